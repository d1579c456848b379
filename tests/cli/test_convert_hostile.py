"""Files that attack the converter: no secret comes out, nobody is called, nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import hostile
from cli.commands import BIN, Answer, clean_environment
from converting import (
    SECRET,
    Listener,
    Shop,
    left_behind,
    listening,
    pdf_text,
    processes_in,
    shop,
)
from toolbelt.supervise import descendants


@pytest.fixture
def ws(tmp_path: Path) -> Shop:
    return shop(tmp_path)


@pytest.fixture
def server() -> Iterator[Listener]:
    with listening() as listener:
        yield listener


@pytest.fixture(autouse=True)
def nothing_left(ws: Shop) -> Iterator[None]:
    """After every attack: no job folder, no process, no partial file."""
    yield
    assert left_behind() == []
    assert not [p.name for p in ws.root.rglob(".*.tmp")]


def content(path: Path) -> bytes:
    """All that a reader could find in an output: text, and every part of an archive."""
    raw = path.read_bytes()
    if path.suffix == ".pdf":
        return raw + pdf_text(path).encode()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return raw + b"".join(archive.read(name) for name in archive.namelist())
    return raw


def harmless(ws: Shop, answer: Answer, server: Listener) -> dict[str, object]:
    """The answer's body, after looking for the secret and for visitors."""
    body = dict(answer.json())
    assert server.hits == []
    assert SECRET not in answer.stdout + answer.stderr
    for name in body.get("outputs", [body["output_path"]]) if body["ok"] else []:
        assert SECRET.encode() not in content(ws.root / name)
    return body


PICTURES = ["../outside/chart.png", "{outside}/chart.png", "file://{outside}/chart.png",
            "ldir/chart.png", "{url}/p.png", "//127.0.0.1:{port}/p.png"]  # fmt: skip


@pytest.mark.parametrize("target", ["docx", "html", "pdf", "epub", "pptx"])
def test_pictures_from_elsewhere_stay_there(ws: Shop, server: Listener, target: str) -> None:
    names = [p.format(outside=ws.outside, url=server.url, port=server.port) for p in PICTURES]
    text = "# Pictures\n\n" + "\n\n".join(f"![alt {n}](<{name}>)" for n, name in enumerate(names))
    raw = "".join(f'<img src="{name}">\n' for name in names)
    answer = ws.convert(target, ws.write("bait.md", f"{text}\n\n{raw}"))
    body = harmless(ws, answer, server)
    assert body["ok"], answer.stdout
    assert body["warnings"]
    chart = (ws.outside / "chart.png").read_bytes()
    assert chart[40:200] not in content(ws.root / str(body["output_path"]))


@pytest.mark.parametrize("target", ["docx", "html", "pdf", "epub", "pptx"])
def test_a_picture_of_the_workspace_does_come_in(ws: Shop, target: str) -> None:
    name = ws.write("sub/here.md", "# Here\n\n![chart](../img/chart.png)\n")
    answer = ws.convert(target, name)
    assert answer.json()["ok"]
    assert "warnings" not in answer.json()
    out = content(ws.root / f"sub/here.{target}")
    assert (b"/Image" if target == "pdf" else b"image/png" if target == "html" else b".png") in out


METADATA = ["css: {secret}", "header-includes: |\n  ```{{=typst}}\n  #read(\"{secret}\")\n  ```",
            "include-before: {secret}", "bibliography: {secret}", "template: {secret}",
            "logo: {secret}", "syntax-definition: {secret}", "mainfont: '\"); #read(\"{secret}\")'",
            "lang: '\"); #read(\"{secret}\") //'"]  # fmt: skip


@pytest.mark.parametrize("target", ["html", "docx", "pdf"])
@pytest.mark.parametrize("line", METADATA)
def test_metadata_names_no_files(ws: Shop, server: Listener, target: str, line: str) -> None:
    secret = ws.outside / "secret.txt"
    head = line.format(secret=secret)
    name = ws.write("meta.md", f"---\ntitle: T\n{head}\n---\n\n# Text\n\nwords\n")
    body = harmless(ws, ws.convert(target, name), server)
    assert body["ok"]


RAW = ["```{{=typst}}\n#read(\"{secret}\")\n```\n", "`#read(\"{secret}\")`{{=typst}}\n",
       "\\input{{{secret}}}\n", "$\\input{{{secret}}}$\n", "#read(\"{secret}\")\n",
       "# Heading #read(\"{secret}\")\n", "![x](a\\\"#read(\"{secret}\"))\n",
       "[a]: <x> '#read(\"{secret}\")'\n[a]\n", "<x-#read>#read(\"{secret}\")</x-#read>\n"]  # fmt: skip


@pytest.mark.parametrize("text", RAW)
def test_markdown_is_no_program(ws: Shop, server: Listener, text: str) -> None:
    name = ws.write("raw.md", "# R\n\n" + text.format(secret=ws.outside / "secret.txt"))
    harmless(ws, ws.convert("pdf", name), server)


def test_an_endless_typst_program_is_text(ws: Shop) -> None:
    assert ws.convert("pdf", "loop.md").code == 0


PAGES = [
    '<iframe src="file://{secret}"></iframe>', '<object data="file://{secret}"></object>',
    '<embed src="file://{secret}">', '<iframe src="{secret}"></iframe>',
    '<iframe src="../outside/secret.txt"></iframe>', '<iframe src="ldir/secret.txt"></iframe>',
    '<link rel="stylesheet" href="file://{secret}">', '<img src="{url}/i.png">',
    '<link rel="stylesheet" href="{url}/s.css">', '<script src="{url}/x.js"></script>',
    '<style>@import "{url}/i.css"; body {{background: url({url}/b.png)}}</style>',
    '<script>fetch("{url}/f")</script>', '<script>location = "{url}/go"</script>',
    '<script>location = "file://{secret}"</script>',
    '<meta http-equiv="refresh" content="0; url=file://{secret}">',
    '<script>new WebSocket("ws://127.0.0.1:{port}/")</script>',
    '<script>window.open("file://{secret}")</script>',
    '<script>navigator.sendBeacon("{url}/b", "x")</script>',
    '<script>new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{port}"}}]}})'
    ".createOffer().then(()=>0)</script>",
    '<link rel="dns-prefetch" href="{url}"><link rel="preconnect" href="{url}">',
    '<a ping="{url}/p" href="#x" id="a">x</a><script>a.click()</script>',
    '<form action="{url}/f" method="post" id="f"></form><script>f.submit()</script>',
    '<script>fetch("file://{secret}").then(r => r.text()).then(t => document.write(t))</script>',
    '<script>var x = new XMLHttpRequest(); x.open("GET", "file://{secret}", false);'
    "try {{x.send(); document.write(x.responseText)}} catch (e) {{}}</script>",
    '<svg><image href="file://{secret}"/><use href="file://{secret}#a"/></svg>',
    '<iframe srcdoc="&lt;iframe src=file://{secret}&gt;&lt;/iframe&gt;"></iframe>',
    '<script>import("{url}/m.js").catch(()=>0)</script>',
    '<video src="{url}/v.mp4"></video><audio src="file://{secret}"></audio>',
    '<iframe src="view-source:file://{secret}"></iframe>',
    "<script>alert(1); confirm(2); print()</script>",
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_sees_no_file_and_calls_nobody(ws: Shop, server: Listener, page: str) -> None:
    body = page.format(secret=ws.outside / "secret.txt", url=server.url, port=server.port)
    name = ws.write("bait.html", f"<!doctype html><h1>Bait</h1>{body}<p>end</p>")
    found = harmless(ws, ws.convert("pdf", name), server)
    assert found["ok"], found
    assert "Bait" in pdf_text(ws.root / "bait.pdf")


@pytest.mark.parametrize("file", ["/etc/passwd", "/etc/hosts", "/proc/self/environ"])
def test_a_page_sees_no_file_of_the_system(ws: Shop, file: str) -> None:
    name = ws.write("bait.html", f'<h1>Bait</h1><iframe src="file://{file}" width=900></iframe>')
    text = pdf_text(ws.made("pdf", name))
    assert "root:" not in text
    assert "localhost" not in text
    assert "PATH=" not in text


def test_other_files_of_the_workspace_are_not_shown(ws: Shop) -> None:
    ws.write(".env", f"KEY={SECRET}")
    ws.write("notes.txt", SECRET)
    name = ws.write(
        "bait.html", '<h1>Bait</h1><iframe src=".env"></iframe><iframe src="notes.txt">'
    )
    assert SECRET not in pdf_text(ws.made("pdf", name))


def test_an_endless_script_ends_with_the_time(ws: Shop) -> None:
    name = ws.write("spin.html", "<h1>Spin</h1><script>while (1) {}</script>")
    begun = time.monotonic()
    answer = ws.convert("pdf", name, "--timeout", "4")
    assert answer.code == 124
    assert answer.error["code"] == "CONVERT_FAILED"
    assert answer.error["reason"] == "timeout"
    assert time.monotonic() - begun < 60
    assert not (ws.root / "spin.pdf").exists()


def test_a_page_that_eats_memory_is_stopped(ws: Shop, tmp_path: Path) -> None:
    manifest = tmp_path / "m.toml"
    row = ws.convert("show", "html", "pdf").json()
    argv = [w.replace("INPUT", "{input}").replace("OUTPUT", "{output}") for w in row["argv"]]
    quoted = ", ".join(f'"{word}"' for word in argv)
    manifest.write_text(
        f'[[recipe]]\nfrom="html"\nto="pdf"\nargv=[{quoted}]\nout_ext="pdf"\nprofile="browser"\n'
        'memory="400M"\ntimeout=60\n'
    )
    script = "let a=[]; for(;;) a.push(new Uint8Array(8<<20).fill(7))"
    name = ws.write("eat.html", f"<h1>Eat</h1><script>{script}</script>")
    answer = ws.convert("pdf", name, "--recipes", str(manifest))
    assert answer.code in (4, 124)
    assert answer.error["reason"] in ("memory", "timeout")


@pytest.mark.parametrize("target", ["pdf", "md", "html"])
@pytest.mark.parametrize("address", ["{url}/p.png", "file://{outside}/chart.png"])
def test_a_linked_picture_of_a_document_stays_out(
    ws: Shop, server: Listener, target: str, address: str
) -> None:
    bait = hostile.linked_picture(address.format(url=server.url, outside=ws.outside))
    answer = ws.convert(target, ws.write("bait.docx", bait))
    body = harmless(ws, answer, server)
    if body["ok"]:
        chart = (ws.outside / "chart.png").read_bytes()
        assert chart[40:200] not in content(ws.root / str(body["output_path"]))


def test_a_sheet_calls_nobody(ws: Shop, server: Listener) -> None:
    formula = f'WEBSERVICE("{server.url}/f")'
    rows = f'<row r="1"><c r="A1" t="str"><f>{formula.replace(chr(34), "&quot;")}</f><v>old</v></c></row>'
    for target in ("pdf", "csv"):
        assert harmless(ws, ws.convert(target, ws.write("bait.xlsx", hostile.xlsx(rows))), server)
    ws.write("bait.csv", f'a,b\n"={formula.replace(chr(34), chr(34) * 2)}",=1+1\n')
    assert harmless(ws, ws.convert("pdf", "bait.csv", "-o", "c.pdf"), server)["ok"]


ENTITIES = [
    '<!DOCTYPE x [<!ENTITY s SYSTEM "file://{secret}">]>',
    '<!DOCTYPE x [<!ENTITY % p SYSTEM "{url}/d.dtd"> %p;]>',
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
]


@pytest.mark.parametrize("head", ENTITIES)
@pytest.mark.parametrize("target", ["pdf", "md"])
def test_a_document_defines_no_entities(ws: Shop, server: Listener, head: str, target: str) -> None:
    prolog = head.format(secret=ws.outside / "secret.txt", url=server.url)
    bait = hostile.docx(hostile.paragraph("x &s; &b;"), head=prolog)
    answer = ws.convert(target, ws.write("bait.docx", bait))
    assert harmless(ws, answer, server)["ok"] is False
    assert answer.error["reason"] == "bad_input"


SVGS = [
    '<!DOCTYPE svg [<!ENTITY x SYSTEM "file://{secret}">]><svg {ns}><text y="9">&x;</text></svg>',
    "<!DOCTYPE svg [" + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "lol" * 10}">'
                               for n in range(9)) + "]><svg {ns}><text>&e8;</text></svg>",
    '<svg {ns}><image width="9" height="9" href="{outside}/chart.png"/></svg>',
    '<svg {ns}><image width="9" height="9" href="file://{outside}/chart.png"/></svg>',
    '<svg {ns}><image width="9" height="9" href="../outside/chart.png"/></svg>',
    '<svg {ns}><image width="9" height="9" href="{url}/p.png"/></svg>',
    '<svg {ns}><style>@import url({url}/s.css); @font-face {{src: url({url}/f.ttf)}}</style></svg>',
    '<svg {ns}><text><tspan xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include'
    ' href="file://{secret}" parse="text"/></tspan></text></svg>',
]  # fmt: skip


@pytest.mark.parametrize("target", ["png", "pdf"])
@pytest.mark.parametrize("text", SVGS)
def test_a_drawing_reaches_for_nothing(ws: Shop, server: Listener, target: str, text: str) -> None:
    ns = 'xmlns="http://www.w3.org/2000/svg" width="20" height="20"'
    values = {
        "secret": ws.outside / "secret.txt",
        "outside": ws.outside,
        "url": server.url,
        "ns": ns,
    }
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", str(value))
    name = ws.write("bait.svg", text.replace("{{", "{").replace("}}", "}"))
    answer = ws.convert(target, name)
    body = harmless(ws, answer, server)
    if body["ok"] and target == "png":
        from PIL import Image

        with Image.open(ws.root / "bait.png") as drawn:
            assert drawn.convert("RGBA").getextrema()[3][1] == 0, "something was drawn"


BOMBS = {
    "one large part": lambda: hostile.bomb(600 << 20),
    "a ratio": lambda: hostile.bomb(40 << 20),
    "many parts": lambda: hostile.archive({
        **{f"word/{n}.xml": "" for n in range(10_001)}, "[Content_Types].xml": "x"
    }),
    "a lying directory": lambda: hostile.lying_size(hostile.bomb(8 << 20), 1000),
}  # fmt: skip


@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS)
def test_an_archive_bomb_is_refused(ws: Shop, make: object) -> None:
    assert callable(make)
    answer = ws.convert("pdf", ws.write("bomb.docx", make()))
    assert answer.code == 4
    assert answer.error["reason"] == "bomb"


def test_a_picture_of_too_many_pixels_is_refused(ws: Shop) -> None:
    name = ws.write("big.png", hostile.png(40_000, 40_000))
    assert ws.convert("jpg", name).error["reason"] == "too_large"
    name = ws.write("large.png", hostile.png(20_000, 12_000))
    assert ws.convert("jpg", name).error["reason"] == "too_large"


@pytest.mark.parametrize("text", ["[" * 20_000, "> " * 5_000, "*a " * 40_000, "![" * 20_000])
def test_markdown_that_takes_for_ever_ends_with_the_time(ws: Shop, text: str) -> None:
    answer = ws.convert("html", ws.write("deep.md", text), "--timeout", "6")
    assert answer.code in (0, 4, 124)
    if answer.code:
        assert answer.error["reason"] in ("timeout", "memory", "bad_input", "exit_status")
        assert not (ws.root / "deep.html").exists()


ROWS = {
    "reads outside": ("cat {outside}/secret.txt > \"$1\"", False),
    "reads the workspace": ("cat {root}/report.md > \"$1\"", False),
    "writes the workspace": ("echo x > {root}/made.txt; echo x > \"$1\"", True),
    "writes outside": ("echo x > {outside}/made.txt; echo x > \"$1\"", True),
    "looks at the environment": ("env > \"$1\"", True),
    "leaves a process": ("sleep 60 & echo x > \"$1\"", True),
    "links its output": ("ln -s {outside}/secret.txt \"$1\"", False),
}  # fmt: skip


@pytest.mark.parametrize(("script", "ok"), ROWS.values(), ids=ROWS)
def test_a_row_of_ones_own_is_confined_too(ws: Shop, tmp_path: Path, script: str, ok: bool) -> None:
    manifest = tmp_path / "m.toml"
    line = script.format(outside=ws.outside, root=ws.root).replace('"', '\\"')
    manifest.write_text(
        f'[[recipe]]\nfrom="md"\nto="out"\nargv=["/bin/sh","-c","{line}","sh","{{output}}"]\n'
        'out_ext="out"\n'
    )
    answer = ws.convert("out", "report.md", "--recipes", str(manifest), AWS_TOKEN=SECRET)
    assert answer.json()["ok"] is ok, answer.stdout
    assert not (ws.root / "made.txt").exists()
    assert not (ws.outside / "made.txt").exists()
    if ok:
        assert SECRET not in (ws.root / "report.out").read_text()
    else:
        assert not (ws.root / "report.out").exists()


def test_a_file_name_is_one_argument(ws: Shop, tmp_path: Path) -> None:
    manifest = tmp_path / "m.toml"
    manifest.write_text(
        '[[recipe]]\nfrom="md"\nto="out"\nargv=["/bin/cp","--","{input}","{output}"]\nout_ext="out"\n'
    )
    for name in ("a b.md", "$(id).md", "`id`.md", "-rf.md", "{output}.md", "a\nb.md", "'\".md"):
        ws.write(name, name)
        answer = ws.convert("out", "--recipes", str(manifest), f"--input={name}")
        assert answer.json()["output_path"] == name.removesuffix(".md") + ".out"
        assert (ws.root / answer.json()["output_path"]).read_text() == name


def started(command: subprocess.Popen[bytes], name: str) -> list[int]:
    """Every process below a command, once the converter itself is among them."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert command.poll() is None
        tree = descendants(command.pid)
        lines = processes_in(f"file-convert-{command.pid}-")
        if any(name in line for line in lines) and len(tree) > 3:
            return tree
        time.sleep(0.05)
    raise AssertionError("the converter never started")


@pytest.mark.parametrize(("target", "source"), [("pdf", "deck.pptx"), ("pdf", "page.html")])
def test_a_killed_command_leaves_nothing(ws: Shop, target: str, source: str) -> None:
    if source.endswith(".html"):
        ws.write(source, "<h1>x</h1><script>while (1) {}</script>")
    before = set(ws.root.rglob("*"))
    command = subprocess.Popen(
        [str(BIN / "file-convert"), target, source], cwd=ws.root, env=clean_environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    tree = started(command, "soffice.bin" if source.endswith("pptx") else "chromium")
    os.kill(command.pid, signal.SIGKILL)
    command.wait()
    end = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in tree) and time.monotonic() < end:
        time.sleep(0.1)
    assert not [pid for pid in tree if Path(f"/proc/{pid}").exists()]
    assert processes_in(f"file-convert-{command.pid}-") == []
    assert set(ws.root.rglob("*")) == before


def test_an_interrupt_cleans_up(ws: Shop) -> None:
    ws.write("spin.html", "<script>while (1) {}</script>")
    command = subprocess.Popen(
        [str(BIN / "file-convert"), "pdf", "spin.html"], cwd=ws.root, env=clean_environment(),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    started(command, "chromium")
    command.send_signal(signal.SIGINT)
    out, _ = command.communicate(timeout=60)
    assert command.returncode == 130
    assert b'"CANCELLED"' in out


def test_an_output_swapped_for_a_link_is_not_followed(ws: Shop) -> None:
    (ws.root / "report.html").symlink_to(ws.outside / "secret.txt")
    assert ws.convert("html", "report.md").code == 1
    assert ws.convert("html", "report.md", "--force").code == 0
    assert (ws.outside / "secret.txt").read_text() == SECRET
    assert not (ws.root / "report.html").is_symlink()
