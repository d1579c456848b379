"""The engines of the fuzz: a privileged login, canaries, and a fingerprint of all that may change."""

from __future__ import annotations

import hashlib
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

MARKER = "CANARY-7f3a-SECRET-FILE"


class Listener:
    """A loopback port that counts who knocks."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        self.knocks = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:  # closed
                return
            self.knocks += 1
            client.close()

    def close(self) -> None:
        self.socket.close()


def folder_digest(folder: Path) -> str:
    """Names, sizes and contents of all files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path.relative_to(folder)).encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


class Target(ABC):
    """One engine with canaries.

    run() sends a text as the privileged login, all of it, and returns the rows it got as text; an
    engine's error is an answer, too. fingerprint() is everything a statement may not change.
    """

    dialect: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # where the engine may write files
        self.listener = Listener()
        self.errors = 0

    @abstractmethod
    def fill(self) -> dict[str, str]:
        """Values for the grammar's {names}."""

    @abstractmethod
    def reset(self) -> None:
        """Make all canaries anew, on a fresh session."""

    @abstractmethod
    def run(self, statement: str) -> str:
        """Send one allowed text."""

    @abstractmethod
    def observed(self) -> Iterator[tuple[str, object]]:
        """Name and state of everything watched inside the engine."""

    def fingerprint(self) -> dict[str, str]:
        """Name -> state, as text."""
        found = {name: str(state) for name, state in self.observed()}
        found["files"] = folder_digest(self.folder)
        found["knocks"] = str(self.listener.knocks)
        return found

    def close(self) -> None:
        """Close the sessions."""
        self.listener.close()
