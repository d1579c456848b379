"""Report code that tries what it must not do; every line it prints is a refusal."""

import os
import pathlib
import socket

ACTS = (
    lambda: pathlib.Path("/workspace/escaped").write_text("x"),
    lambda: pathlib.Path("/tmp/escaped").write_text("x"),  # noqa: S108
    lambda: socket.create_connection(("127.0.0.1", 1)),
    lambda: pathlib.Path(f"/proc/{os.getppid()}/environ").read_bytes(),
    lambda: os.unshare(os.CLONE_NEWUSER),
)
for number, act in enumerate(ACTS):
    try:
        act()
        print("DONE", number)
    except ConnectionRefusedError:
        print("CONNECTED", number)
    except OSError:
        print("refused")
