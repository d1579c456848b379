"""More files that attack: what the outputs may do to those who open them, and what gets round."""

from __future__ import annotations

import json
import os
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_convert_hostile import content, harmless

import hostile
from converting import SECRET, Listener, Shop, left_behind, listening, pages, pdf_text, shop


@pytest.fixture
def ws(tmp_path: Path) -> Shop:
    return shop(tmp_path)


@pytest.fixture
def server() -> Iterator[Listener]:
    with listening() as listener:
        yield listener


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    assert left_behind() == []


ACTIVE = """---
title: "T <script>alert(1)</script> <img src=x onerror=alert(1)>"
author: "<b onclick=alert(1)>A</b> [x](javascript:alert(1)){onclick=alert(1)}"
lang: 'en" onload="alert(1)'
keywords: ['"><script>alert(1)</script>']
abstract: "<script>alert(1)</script>"
---

# Head {#h onclick="alert(1)" style="background:url(URL/a)"}

[one](javascript:alert(1)) [two](JAVASCRIPT:alert(1)) [three](<java\tscript:alert(1)>)
[four](<  javascript:alert(1)>) [five](vbscript:x) [six](data:text/html,<b>x</b>)
[seven](&#106;avascript:alert(1)) [eight](x){onmouseover="alert(1)" ping=URL/p}
[nine](&#1;javascript:alert(1)) [ten](ms-msdt:/id) [eleven](view-source:x)

<a href="javascript:alert(1)" onclick="alert(1)">raw</a> <a href="java&#10;script:alert(1)">raw</a>

[span]{onclick="alert(1)" style="background:url(URL/b)"} [over]{style="position:fixed"}

::: {onclick="alert(1)" style="behavior: url(x)"}
division
:::

![pic](active.svg){onerror="alert(1)" srcset="URL/c 2x"} `code`{onclick="alert(1)"}

``` {.python onclick="alert(1)"}
x = 1
```

<table onclick="alert(1)"><tbody onclick="alert(1)"><tr onclick="alert(1)"><td onclick="alert(1)"
style="background:url(URL/d)">cell</td></tr></table>

<figure onclick="alert(1)"><img src="active.svg" onload="alert(1)"><figcaption onclick="alert(1)">c
</figcaption></figure>

<svg onload="alert(1)"></svg> <details ontoggle="alert(1)" open><summary>s</summary>y</details>
<form action="URL/e"><button formaction="URL/f">b</button></form> <base href="URL/g">
<meta http-equiv="refresh" content="0;url=URL/h"> <iframe src="URL/i"></iframe>
<link rel="stylesheet" href="URL/j"> <object data="URL/k"></object> <embed src="URL/l">

[kept](https://example.com/a:b) [beside](sub/x.html#y) [post](mailto:a@b.c)
[red]{style="color: #ff0000"}
"""
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="alert(1)"><script>alert(1)'
    '</script><a href="javascript:alert(1)"><rect width="9" height="9" onclick="alert(1)"/></a></svg>'
)
# Makes the page say so where anything of it runs.
WATCH = "<script>window.alert = () => document.title = 'RAN'</script>"


def quiet(page: str) -> None:
    """Nothing in a page runs or loads."""
    from html.parser import HTMLParser

    seen: list[str] = []

    class Look(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag in ("script", "iframe", "object", "embed", "form", "base", "link", "svg"):
                seen.append(tag)
            for name, value in attrs:
                text = "".join(c for c in (value or "").lower() if c > " ")
                if name.startswith("on") or name in ("srcset", "ping", "action", "formaction"):
                    seen.append(name)
                if name == "http-equiv" or "url(" in text or "position" in text:
                    seen.append(f"{name}={value}")
                if name == "src" and not text.startswith("data:image/"):
                    seen.append(f"src={value}")
                scheme = text.partition(":")[0]
                if name == "href" and ":" in text and scheme not in ("https", "http", "mailto"):
                    seen.append(f"href={value}")

    Look().feed(page)
    assert seen == []


def test_a_page_from_markdown_runs_nothing(ws: Shop, server: Listener) -> None:
    ws.write("active.svg", SVG)
    text = ACTIVE.replace("URL", server.url)
    made = ws.made("html", ws.write("active.md", text)).read_text(encoding="utf-8")
    quiet(made)
    for kept in ('href="https://example.com/a:b"', 'href="sub/x.html#y"', 'href="mailto:a@b.c"',
                 "color: #ff0000", "cell", "three", "division"):  # fmt: skip
        assert kept in made
    # Asked of a browser too: a page that runs anything says so.
    ws.write("watched.html", made.replace("<head>", f"<head>{WATCH}", 1))
    out = ws.made("pdf", "watched.html")
    assert b"RAN" not in out.read_bytes()
    assert server.hits == []


def test_a_page_from_a_notebook_or_a_document_runs_nothing(ws: Shop, server: Listener) -> None:
    url = server.url
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {kind: text}}
        for kind, text in {
            "text/html": f"<script>alert(1)</script><img src={url}/i onerror=alert(1)><p>shown</p>",
            "image/svg+xml": SVG, "application/javascript": "alert(1)",
            "text/markdown": "[x](javascript:alert(1)){onclick=alert(1)}",
        }.items()
    ]  # fmt: skip
    cells = [
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "source": "1",
            "outputs": outputs,
        },
        {"cell_type": "markdown", "metadata": {}, "source": ACTIVE.split("---\n", 2)[2]},
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    ws.write("active.svg", SVG)
    name = ws.write("active.ipynb", json.dumps(book).replace("URL", url))
    quiet(ws.made("html", name).read_text(encoding="utf-8"))
    relation = (
        '<Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/hyperlink" Target="javascript:alert(1)" TargetMode="External"/>'
    )
    link = '<w:p><w:hyperlink r:id="rId9"><w:r><w:t>words</w:t></w:r></w:hyperlink></w:p>'
    ws.write("active.docx", hostile.docx(link, relation))
    page = ws.made("html", "active.docx", "-o", "d.html").read_text(encoding="utf-8")
    quiet(page)
    assert "words" in page
    assert "javascript:" not in ws.made("md", "active.docx").read_text(encoding="utf-8")
    assert server.hits == []


TYPST = ['[x]{typst:text:fill="#read(\\"SECRET\\")"}', '::: {typst:fill="read(\\"SECRET\\")"}\nx\n:::',
         '| a |\n|---|\n| b |\n\n: c {typst:inset="read(\\"SECRET\\")"}',
         '# H {typst:text:size="panic(1)"}']  # fmt: skip


@pytest.mark.parametrize("text", TYPST)
def test_attributes_are_no_typst_code(ws: Shop, server: Listener, text: str) -> None:
    text = text.replace("SECRET", str(ws.outside / "secret.txt"))
    body = harmless(ws, ws.convert("pdf", ws.write("attr.md", f"{text}\n\nend\n")), server)
    assert body["ok"], body
    assert "end" in pdf_text(ws.root / "attr.pdf")


@pytest.mark.parametrize("target", ["md", "docx", "epub", "txt"])
def test_frames_and_links_of_a_page_are_not_read(ws: Shop, server: Listener, target: str) -> None:
    secret, url = ws.outside / "secret.txt", server.url
    page = (
        f'<iframe src="file://{secret}"></iframe><iframe src="{secret}"></iframe>'
        f'<iframe src="../outside/secret.txt"></iframe><iframe src="{url}/f"></iframe>'
        f'<object data="{secret}"></object><embed src="{url}/e"><link rel=stylesheet href="{url}/s">'
        f'<img src="{url}/i"><img src="file://{secret}"><base href="{url}/"><img src="b.png">'
        f'<a href="javascript:alert(1)">words</a><style>@import "{url}/c"</style><p>end</p>'
    )
    body = harmless(ws, ws.convert(target, ws.write("frames.html", page)), server)
    assert body["ok"], body
    assert b"javascript:" not in content(ws.root / str(body["output_path"]))


DIAGRAMS = [
    'graph TD\n A[x] --> B[y]\n click A href "javascript:alert(1)"\n click B call alert(1)',
    'graph TD\n A["<img src=URL/a onerror=alert(1)><script>alert(1)</script>"] --> B',
    'graph TD\n A@{ img: "URL/b.png", label: "x", h: 60 }\n B["<img src=file://SECRET>"]',
    '%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(URL/c); '
    '* {background: url(URL/d)}", "fontFamily": "x;} @import url(URL/e); {"}}%%\ngraph TD\n A --> B',
    '---\nconfig:\n  securityLevel: loose\n  themeCSS: "rect {fill: url(URL/f)}"\n---\ngraph TD\n A-->B',
    "graph TD\n A --> B\n style A fill:url(URL/g)\n classDef k fill:url(URL/h),background:url(URL/h)\n"
    " class B k",
]  # fmt: skip


def test_diagrams_run_nothing_and_call_nobody(ws: Shop, server: Listener) -> None:
    for number, text in enumerate(DIAGRAMS):
        text = text.replace("URL", server.url).replace("SECRET", str(ws.outside / "secret.txt"))
        answer = ws.convert("svg", ws.write(f"d{number}.mmd", text))
        body = harmless(ws, answer, server)
        if body["ok"]:
            drawn = (ws.root / f"d{number}.svg").read_text(encoding="utf-8").lower()
            for word in ("<script", "javascript:", "onerror=", "onclick=", server.url):
                assert word not in drawn, (number, word)


def test_pictures_of_a_document_are_nothing_else(ws: Shop) -> None:
    """Files put beside a text: pictures, by content and by name, wherever they lay before."""
    relations = "".join(
        f'<Relationship Id="rId{n}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        f'relationships/image" Target="{target}"/>'
        for n, target in enumerate(PLACES, 10)
    )
    drawings = "".join(hostile_drawing(n, place) for n, place in enumerate(PLACES, 10))
    raw = hostile.docx(hostile.paragraph("before") + drawings, relations)
    parts = dict.fromkeys(ENTRIES, b"#!/bin/sh\ntouch RAN\n")
    name = ws.write("media.docx", with_parts(raw, parts))
    answer = ws.convert("md", name, "--preset", "pictures")
    assert answer.json()["ok"], answer.stdout
    made = answer.json().get("outputs", [answer.json()["output_path"]])
    assert [one for one in made if not one.endswith((".md", ".png", ".jpg", ".gif"))] == []
    assert all(b"#!/bin/sh" not in (ws.root / one).read_bytes() for one in made)
    ws.write("out.docx", with_parts(raw, {"../evil.desktop": b"x"}))
    assert ws.convert("md", "out.docx").error["reason"] == "bad_input"
    assert not list(ws.root.parent.rglob("evil.*"))


@pytest.mark.parametrize("place", ["/etc/passwd", "/proc/self/environ", "file:///etc/passwd"])
def test_a_file_of_the_machine_is_no_picture_of_a_document(ws: Shop, place: str) -> None:
    cell = {
        "cell_type": "markdown",
        "metadata": {},
        "source": f"# H\n\n![x]({place})\n\n<img src='{place}'>",
    }
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    ws.write("machine.ipynb", json.dumps(book))
    relation = (
        '<Relationship Id="rId10" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        f'relationships/image" Target="{place}" TargetMode="External"/>'
    )
    ws.write(
        "machine.docx",
        hostile.docx(hostile.paragraph("words") + hostile_drawing(10, place), relation),
    )
    for name, out in (("machine.ipynb", "a.md"), ("machine.docx", "b.md")):
        answer = ws.convert("md", name, "--preset", "pictures", "-o", out)
        assert answer.json()["ok"], answer.stdout
        assert answer.json().get("outputs", [out]) == [out]


PLACES = ["media/evil.sh", "media/evil.html", "media/../../../evil.desktop", "/tmp/evil.py",
          "media/evil.png", "media/evil"]  # fmt: skip
ENTRIES = ["word/media/evil.sh", "word/media/evil.html", "tmp/evil.py",
           "word/media/evil.png", "word/media/evil"]  # fmt: skip


def hostile_drawing(number: int, _place: str) -> str:
    """A picture embedded by its relationship's number."""
    return (
        '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="450000"/><wp:docPr id="1"'
        ' name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/'
        'picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr>'
        f'<pic:blipFill><a:blip r:embed="rId{number}"/></pic:blipFill><pic:spPr/></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )


def with_parts(raw: bytes, parts: dict[str, bytes]) -> bytes:
    """The archive with more entries, under whatever names."""
    import io

    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        own = {name: archive.read(name) for name in archive.namelist()}
    return hostile.archive({**own, **parts})


PDFS = {
    "a script": b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>",
    "a launch": b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(/bin/sh)>>>>",
    "an address": b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI(URL/o)>>>>",
}


@pytest.mark.parametrize("catalog", PDFS.values(), ids=PDFS)
def test_a_pdf_runs_nothing(ws: Shop, server: Listener, catalog: bytes) -> None:
    catalog = catalog.replace(b"URL", server.url.encode())
    file = (
        f"<</F<</Type/Filespec/F({ws.outside}/secret.txt)>>/Length 0>>stream\n\nendstream".encode()
    )
    objects = [
        catalog, b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 99]/Contents[4 0 R 6 0 R]"
        b"/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length 42>>stream\nBT /F 12 Tf 9 50 Td (hello world) Tj ET   \nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", file,
    ]  # fmt: skip
    raw, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(raw))
        raw += b"%d 0 obj" % number + one + b"endobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = (
        b"xref\n0 7\n0000000000 65535 f \n" + table + b"trailer<</Size 7/Root 1 0 R>>\nstartxref\n"
    )
    ws.write("x.pdf", raw + end + b"%d\n%%%%EOF\n" % len(raw))
    for target in ("txt", "png"):
        assert harmless(ws, ws.convert(target, "x.pdf"), server)["ok"]
    assert "hello world" in (ws.root / "x.txt").read_text()


def office(ws: Shop, url: str) -> dict[str, bytes]:
    """Documents of every kind that refer to what lies outside them."""
    secret = (ws.outside / "secret.txt").as_uri()
    field = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{}</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>old</w:t></w:r><w:r><w:fldChar'
        ' w:fldCharType="end"/></w:r></w:p>'
    )
    fields = [f'INCLUDETEXT "{secret}"', f'INCLUDEPICTURE "{url}/f.png"', f'LINK x "{secret}"',
              'DDEAUTO "sh" "-c" "touch RAN"']  # fmt: skip
    relation = (
        '<Relationship Id="rId{}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/{}" Target="{}" TargetMode="External"/>'
    )
    relations = (
        relation.format(20, "subDocument", secret) + relation.format(21, "aFChunk", secret)
        + relation.format(22, "attachedTemplate", f"{url}/t.dotm")
    )  # fmt: skip
    body = "".join(field.format(one.replace('"', "&quot;")) for one in fields)
    body += '<w:subDoc r:id="rId20"/><w:altChunk r:id="rId21"/>'
    section = (
        f'<text:section text:name="s"><text:section-source xlink:type="simple" xlink:href="{secret}"'
        ' xlink:show="embed"/><text:p>old</text:p></text:section><text:p><draw:frame svg:width="2cm"'
        f' svg:height="2cm"><draw:image xlink:href="{url}/i.png"/></draw:frame><draw:frame svg:width='
        f'"2cm" svg:height="2cm"><draw:object-ole xlink:href="{secret}"/></draw:frame></text:p>'
    )
    cell = '<table:table-cell table:formula="{}" office:value-type="string"><text:p>old</text:p></table:table-cell>'
    formulas = [f"of:=WEBSERVICE(&quot;{url}/w&quot;)", f"of:='{secret}'#$Sheet1.A1",
                "of:=DDE(&quot;soffice&quot;;&quot;/x&quot;;&quot;A1&quot;)"]  # fmt: skip
    sheet = (
        '<table:table table:name="S"><table:table-source xlink:type="simple" table:mode="copy-all"'
        f' xlink:href="{secret}" table:table-name="x"/><table:table-row>'
        + "".join(cell.format(one) for one in formulas)
        + "</table:table-row></table:table>"
    )
    rtf = (
        r"{\rtf1{\*\template " + url + r"/t.dot}{\field{\*\fldinst INCLUDETEXT " + f'"{secret}"'
        + r"}{\fldrslt old}}{\field{\*\fldinst INCLUDEPICTURE " + f'"{url}/p.png"'
        + r"\\d}{\fldrslt old}} end}"
    )  # fmt: skip
    return {
        "bait.docx": hostile.docx(body + hostile.paragraph("end"), relations),
        "bait.odt": hostile.open_document("text", section),
        "bait.ods": hostile.open_document("spreadsheet", sheet),
        "bait.rtf": rtf.encode(),
    }


@pytest.mark.parametrize("name", ["bait.docx", "bait.odt", "bait.ods", "bait.rtf"])
def test_an_office_document_draws_nothing_in(ws: Shop, server: Listener, name: str) -> None:
    ws.write(name, office(ws, server.url)[name])
    targets = ("pdf", "csv") if name.endswith(".ods") else ("pdf", "md", "html")
    for target in targets:
        harmless(ws, ws.convert(target, name), server)
    assert not list(ws.root.parent.rglob("RAN"))


def test_no_macro_runs(ws: Shop) -> None:
    ws.write("macro.odt", hostile.macro('ThisComponent.Text.String = "MACRO" & "RAN"'))
    text = pdf_text(ws.made("pdf", "macro.odt"))
    assert "before" in text
    assert "MACRORAN" not in text


@pytest.mark.parametrize("target", ["pdf", "docx", "html"])
def test_a_picture_of_too_many_pixels_stops_no_document(ws: Shop, target: str) -> None:
    ws.write("big.png", hostile.png(40_000, 40_000))
    groups = "<g>" * 5000 + "</g>" * 5000
    ws.write(
        "deep.svg", f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{groups}</svg>'
    )
    text = "# H\n\n![big](big.png)\n\n![deep](deep.svg)\n\n![chart](img/chart.png)\n\nend\n"
    answer = ws.convert(target, ws.write("pixels.md", text))
    assert answer.json()["ok"], answer.stdout
    told = " ".join(answer.json()["warnings"])
    assert "too many pixels" in told
    assert "deep.svg" in told


DEEP = {
    "deep.json": ("csv", "[" * 100_000 + "]" * 100_000),
    "deep.jsonl": ("csv", '{"a":' * 50_000 + "1" + "}" * 50_000),
    "deep.ipynb": ("html", '{"cells":' + "[" * 50_000 + "]" * 50_000 + "}"),
    "deep.svg": ("png", '<svg xmlns="http://www.w3.org/2000/svg">' + "<g>" * 99_999 + "</g>" * 99_999 + "</svg>"),
}  # fmt: skip


@pytest.mark.parametrize("name", DEEP)
def test_what_is_nested_too_deep_is_bad_input(ws: Shop, name: str) -> None:
    target, text = DEEP[name]
    assert ws.convert(target, ws.write(name, text)).error["reason"] == "bad_input"


def test_references_may_be_anything(ws: Shop) -> None:
    names = ["a" * 300 + ".png", "a/" * 3000 + "x.png", "%00.png", "x%00y.png", "\x7f.png", ".", "..",
             "/", "//", "file:", "file://", "?x", "C:\\x.png", "img/", "img/..", "fifo.md",
             "/proc/self/environ", "/dev/zero", "[::1", "http://[::1"]  # fmt: skip
    text = "\n\n".join(f"![a](<{name}>)" for name in names)
    for target in ("html", "pdf"):
        answer = ws.convert(target, ws.write("names.md", f"{text}\n\nend\n"))
        assert answer.json()["ok"], answer.stdout


STRANGE = {
    "deep": "[" * 60_000,
    "half a character": '["\\ud800", "a\\udfff.png"]',
    "no list": '{"a": 1}',
    "no text": "\\xff",
    "long": json.dumps(["x" * 5_000_000]),
}


@pytest.mark.parametrize("said", STRANGE.values(), ids=STRANGE)
def test_what_a_program_says_is_not_trusted(ws: Shop, tmp_path: Path, said: str) -> None:
    """Instead of its report, its wishes and its diagrams a program leaves something strange."""
    (tmp_path / "said").write_text(said)
    manifest = tmp_path / "m.toml"
    line = "for f in report wanted diagrams; do cat $0 > $TMPDIR/$f.json; done; echo x > $1"
    manifest.write_text(
        '[[recipe]]\nfrom="md"\nto="out"\nout_ext="out"\nresources="pictures"\n'
        f'prepare=["/bin/sh","-c","{line}","{tmp_path}/said","{{output}}"]\n'
        f'argv=["/bin/sh","-c","{line}","{tmp_path}/said","{{output}}"]\nread=["{tmp_path}/said"]\n'
    )
    answer = ws.convert("out", "report.md", "--recipes", str(manifest))
    assert answer.json()["ok"], answer.stdout


LINKS = {
    "the answer": "ln -s {outside}/secret.txt $TMPDIR/resources.json",
    "its folder": "rm -r $TMPDIR/../in/img; ln -s {outside} $TMPDIR/../in/img",
    "its own folder": "cd ..; mv tmp old; ln -s {outside} tmp; mkdir tmp2",
}


@pytest.mark.parametrize("line", LINKS.values(), ids=LINKS)
def test_links_in_the_job_folder_lead_nowhere(ws: Shop, tmp_path: Path, line: str) -> None:
    """A program that was taken over plants links where the command itself will write."""
    before = {p.name: p.read_bytes() for p in ws.outside.iterdir()}
    manifest = tmp_path / "m.toml"
    script = tmp_path / "taken.sh"
    script.write_text(
        "mkdir -p $TMPDIR/../in/img\n"
        "echo '[\"img/chart.png\"]' > $TMPDIR/wanted.json\n"
        f"{line.format(outside=ws.outside)}\necho x > $1\n"
    )
    manifest.write_text(
        '[[recipe]]\nfrom="md"\nto="out"\nout_ext="out"\nresources="pictures"\n'
        f'read=["{script}"]\nprepare=["/bin/sh","{script}","{{output}}"]\n'
        'argv=["/bin/sh","-c","echo y > $1","sh","{output}"]\n'
    )
    answer = ws.convert("out", "report.md", "--recipes", str(manifest))
    assert answer.code in (0, 1, 4), answer.stdout + answer.stderr
    assert {p.name: p.read_bytes() for p in ws.outside.iterdir()} == before


@pytest.mark.parametrize(
    "label", ["punycode", "idna", "unicode_escape", "utf-7", "undefined", "rot13"]
)
def test_a_page_is_not_read_as_no_reader_would(ws: Shop, label: str) -> None:
    raw = f'<meta charset="{label}"><p>a\\u003cb\\u003e +ADw-i+AD4- caf'.encode() + b"\xe9"
    text = ws.made("md", ws.write("odd.html", raw)).read_text(encoding="utf-8")
    assert "u003cb" in text
    assert "ADw-i" in text
    assert "café" in text


def test_a_long_line_is_guessed_where_its_letters_are(ws: Shop) -> None:
    line = '[{"pad": "' + "x" * 200_000 + '", "town": "Orl\xe9ans"}]'
    made = ws.made("csv", ws.write("line.json", line.encode("cp1252")))
    assert "Orléans" in made.read_text(encoding="utf-8")


def test_a_picture_that_is_swapped_while_it_is_read(ws: Shop) -> None:
    """Now a picture, now a link to one outside: never the one outside."""
    chart = (ws.outside / "chart.png").read_bytes() + b"OUTSIDE-OUTSIDE"
    (ws.outside / "chart.png").write_bytes(chart)
    inside = (ws.root / "img" / "chart.png").read_bytes()
    ws.write("swap.md", "# S\n\n![s](swap.png)\n")
    place, other = ws.root / "swap.png", ws.root / ".other"
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for make in (
                lambda: other.write_bytes(inside),
                lambda: other.symlink_to("../outside/chart.png"),
            ):
                make()
                os.replace(other, place)  # noqa: PTH105

    place.write_bytes(inside)
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        answers = [ws.convert("docx", "swap.md", "--force") for _ in range(6)]
    finally:
        over.set()
        thread.join()
    for answer in answers:
        assert answer.json()["ok"], answer.stdout
    assert b"OUTSIDE-OUTSIDE" not in content(ws.root / "swap.docx")


def test_a_folder_that_is_swapped_before_the_output_appears(ws: Shop, tmp_path: Path) -> None:
    (ws.root / "out").mkdir()
    manifest = tmp_path / "m.toml"
    manifest.write_text(
        '[[recipe]]\nfrom="md"\nto="out"\nout_ext="out"\n'
        'argv=["/bin/sh","-c","sleep 2; echo x > $1","sh","{output}"]\n'
    )
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append(
            ws.convert("out", "report.md", "-o", "out/x.out", "--recipes", str(manifest))
        )
    )
    thread.start()
    time.sleep(1)
    (ws.root / "out").rename(ws.root / "moved")
    (ws.root / "out").symlink_to("../outside")
    thread.join()
    assert not (ws.outside / "x.out").exists()
    assert answers[0].json()["ok"] is (ws.root / "moved" / "x.out").exists()


def test_formulas_stay_text_in_every_table(ws: Shop) -> None:
    values = [
        "=1+1",
        "+1",
        "-1+cmd",
        "@SUM(1)",
        "=cmd|'/C calc'!A0",
        "\t=1",
        '=HYPERLINK("http://x")',
    ]
    ws.write("f.json", json.dumps([{"a": value} for value in values]))
    book = ws.made("xlsx", "f.json")
    with zipfile.ZipFile(book) as archive:
        for name in archive.namelist():
            assert b"<f>" not in archive.read(name)
            assert b"<hyperlink" not in archive.read(name).lower()
    ws.made("json", "f.xlsx", "-o", "g.json")
    assert [row["a"] for row in json.loads((ws.root / "g.json").read_text())] == values
    table = ws.made("md", ws.write("t.json", json.dumps([{"a": "x | y\nz <script>"}])))
    assert "| y" not in table.read_text().replace("\\|", "")


def test_no_row_is_there_for_programs(ws: Shop) -> None:
    """TeX and typst run what they read; without a row of one's own they are not converted."""
    for name in ("x.tex", "x.typ", "x.rst", "x.org", "x.sh", "x.py"):
        ws.write(name, f'\\input{{{ws.outside}/secret.txt}} #read("/etc/passwd")')
        answer = ws.convert("pdf", name)
        assert answer.error["code"] == "UNKNOWN_FORMAT"
    assert pages(ws.made("pdf", "x.tex", "--from", "md")) == 1
    assert SECRET not in pdf_text(ws.root / "x.pdf")
