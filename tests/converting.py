"""A workspace to convert in, and what can be read out of the results."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cli.commands import Answer, run

CASES = Path(__file__).parent / "cases" / "convert"
SECRET = "SECRET-7f3a9c"
_JOB = "file-convert-"
_XHTML = "{http://www.w3.org/1999/xhtml}"


@dataclass(frozen=True, slots=True)
class Shop:
    """A workspace with files, and a folder outside it that holds the secret."""

    root: Path
    outside: Path

    def convert(self, *arguments: str, **env: str) -> Answer:
        """Run the built command in the workspace."""
        return run("file-convert", *arguments, env=env, cwd=self.root)

    def made(self, *arguments: str) -> Path:
        """The output of a conversion that must go well."""
        answer = self.convert(*arguments)
        assert answer.code == 0, answer.stdout + answer.stderr
        return self.root / answer.json()["output_path"]

    def write(self, name: str, content: str | bytes) -> str:
        """A file in the workspace; its name."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name


def shop(tmp_path: Path) -> Shop:
    """A fresh workspace with every input of the cases, and bait around it."""
    root, outside = tmp_path / "ws", tmp_path / "outside"
    shutil.copytree(CASES / "in", root)
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (outside / "secret.md").write_text(f"# {SECRET}\n")
    shutil.copy(CASES / "in" / "img" / "chart.png", outside / "chart.png")
    (root / "ln-out.md").symlink_to("../outside/secret.md")
    (root / "ldir").symlink_to("../outside")
    os.mkfifo(root / "fifo.md")
    # What a case expects to be made must not be there already.
    (root / "report.pdf").rename(root / "printed.pdf")
    return Shop(root, outside)


def left_behind() -> list[str]:
    """Job folders, and processes at work in them, whose command is gone: of nobody's command may
    there be any, whichever tests run side by side. Looked for until those about to end have ended."""
    end = time.monotonic() + 10
    while (found := _orphans()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def _orphans() -> list[str]:
    folders = [p for base in ("/tmp", "/var/tmp", "/dev/shm") for p in Path(base).glob(f"{_JOB}*")]
    named = [str(folder) for folder in folders if _ours(folder)] + processes_in(_JOB)
    owned = [(name, _owner(name)) for name in named]
    return [name for name, pid in owned if pid.isdecimal() and not Path("/proc", pid).exists()]


def _ours(folder: Path) -> bool:
    """Whether a folder is our user's, or of a user number that a job of root's gets."""
    try:
        uid = folder.stat().st_uid
    except FileNotFoundError:
        return False
    return uid == os.geteuid() or 61_184 <= uid <= 65_519


def _owner(name: str) -> str:
    """The process number in a job folder's name."""
    return name.split(_JOB, 1)[1].split("-", 1)[0]


def _tool(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def pdf_text(path: Path) -> str:
    """The text of a PDF in reading order."""
    return _tool("pdftotext", "-enc", "UTF-8", str(path), "-")


def pdf_about(path: Path) -> dict[str, str]:
    """What pdfinfo says of a PDF."""
    pairs = (line.partition(":") for line in _tool("pdfinfo", str(path)).splitlines())
    return {name: value.strip() for name, _, value in pairs}


def pages(path: Path) -> int:
    return int(pdf_about(path)["Pages"])


def page_size(path: Path) -> tuple[float, float]:
    """Points across and down of the first page."""
    words = pdf_about(path)["Page size"].split()
    return float(words[0]), float(words[2])


@dataclass(slots=True)
class Word:
    """A word on a page and its box."""

    page: int
    text: str
    left: float
    top: float
    right: float
    bottom: float


def words(path: Path) -> list[Word]:
    """Every word of a PDF with its place; control characters are no part of a word."""
    raw = _tool("pdftotext", "-bbox", str(path), "-")
    text = "".join(c for c in raw if c.isprintable() or c in "\r\n\t")
    root = ET.fromstring(text[text.index("<html") :])  # noqa: S314 (our own tool wrote it)
    found = []
    for number, page in enumerate(root.iter(f"{_XHTML}page"), 1):
        for word in page.iter(f"{_XHTML}word"):
            box = [float(word.get(side, "0")) for side in ("xMin", "yMin", "xMax", "yMax")]
            found.append(Word(number, word.text or "", *box))
    return found


def overlaps(path: Path) -> list[tuple[str, str]]:
    """Pairs of words printed over each other (emoji apart: their boxes are those of a font)."""
    plain = [w for w in words(path) if all(ord(c) < 0x1F000 and ord(c) != 0x2705 for c in w.text)]
    plain.sort(key=lambda w: (w.page, w.top))
    pairs = []
    for place, one in enumerate(plain):
        for other in plain[place + 1 :]:
            if other.page != one.page or other.top >= one.bottom:
                break
            across = min(one.right, other.right) - max(one.left, other.left)
            down = min(one.bottom, other.bottom) - max(one.top, other.top)
            height = min(one.bottom - one.top, other.bottom - other.top)
            if across > 1 and down > 0.4 * height:
                pairs.append((one.text, other.text))
    return pairs


@dataclass(slots=True)
class Listener:
    """A server on loopback that counts who comes; nobody should."""

    port: int
    hits: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def listening() -> Iterator[Listener]:
    """A listener on a free port of 127.0.0.1."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        listener = Listener(server.getsockname()[1])
        server.settimeout(0.1)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                try:
                    peer, _ = server.accept()
                except TimeoutError:
                    continue
                with peer:
                    peer.settimeout(1)
                    listener.hits.append(peer.recv(400))
                    peer.sendall(b"HTTP/1.0 404 no\r\n\r\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener
        finally:
            over.set()
            thread.join()


def processes_in(job: str) -> list[str]:
    """Command lines of running processes that hold a job folder's name, or the beginning of one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            ours = (path.parent / "ns" / "pid").readlink() == Path("/proc/self/ns/pid").readlink()
        except OSError:
            continue
        # In a container the numbers mean other processes.
        if ours and f"/{job}" in line:
            found.append(line)
    return found
