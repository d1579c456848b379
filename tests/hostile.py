"""Files that attack a converter, made for a test."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def archive(parts: Mapping[str, str | bytes], stored: tuple[str, ...] = ()) -> bytes:
    """A ZIP file of named parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in parts.items():
            method = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            file.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return buffer.getvalue()


def docx(body: str, relations: str = "", head: str = "") -> bytes:
    """A minimal Word document with a body and relationships of its own."""
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml"'
        ' ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    root = (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{_RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?>{head}<w:document xmlns:w="{_WORD}"'
        f' xmlns:r="{_RELATIONS}"'
        ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
        ' xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture">'
        f"<w:body>{body}</w:body></w:document>"
    )
    own = f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'
    return archive({
        "[Content_Types].xml": types, "_rels/.rels": root, "word/document.xml": document,
        "word/_rels/document.xml.rels": own,
    })  # fmt: skip


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def linked_picture(address: str) -> bytes:
    """A Word document whose picture lies at an address outside it."""
    relation = (
        f'<Relationship Id="rId9" Type="{_RELATIONS}/image" Target="{address}"'
        ' TargetMode="External"/>'
    )
    drawing = (
        '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="450000"/>'
        '<wp:docPr id="1" name="p"/><a:graphic><a:graphicData'
        ' uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>'
        '<pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>'
        '<a:blip r:link="rId9"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr>'
        '<a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="450000"/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData>'
        "</a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    return docx(paragraph("before") + drawing, relation)


def xlsx(sheet: str) -> bytes:
    """A minimal workbook with the given rows."""
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml"'
        f' ContentType="application/xml"/><Override PartName="/xl/workbook.xml"'
        f' ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml"'
        f' ContentType="{kind}.worksheet+xml"/></Types>'
    )
    relations = f'<Relationships xmlns="{_PACKAGE}/relationships">'
    return archive({
        "[Content_Types].xml": types,
        "_rels/.rels": f'{relations}<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'{relations}<Relationship Id="rId1"'
        f' Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{_RELATIONS}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData>'
        "</worksheet>",
    })  # fmt: skip


def bomb(size: int) -> bytes:
    """A Word document whose text would unpack to many bytes of blanks."""
    return docx(paragraph("x") + " " * size)


def lying_size(content: bytes, claimed: int) -> bytes:
    """The same archive with its directory claiming another size for every entry."""
    data = bytearray(content)
    place = data.find(b"PK\x01\x02")
    while place >= 0:
        struct.pack_into("<I", data, place + 24, claimed)
        place = data.find(b"PK\x01\x02", place + 4)
    return bytes(data)


def png(width: int, height: int) -> bytes:
    """A white 1-bit PNG of any size, a few kilobytes long."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    row = b"\0" + b"\xff" * ((width + 7) // 8)
    squeeze = zlib.compressobj(9)
    packed = b"".join(squeeze.compress(row) for _ in range(height)) + squeeze.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )


_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
_SPACES = " ".join(
    f'xmlns:{short}="{_OASIS}{name}:1.0"'
    for short, name in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "script": "script",
        "manifest": "manifest", "svg": "svg-compatible",
    }.items()
)  # fmt: skip
_LINKS = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dom="http://www.w3.org/2001/xml-events"'


def open_document(
    kind: str, body: str, scripts: str = "", more: Mapping[str, str] | None = None
) -> bytes:
    """A minimal OpenDocument file. kind: `text` or `spreadsheet`; more: further parts."""
    mime = f"application/vnd.oasis.opendocument.{kind}"
    parts = {
        "content.xml": f'<office:document-content {_SPACES} {_LINKS} office:version="1.2">'
        f"{scripts}<office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>",
        **(more or {}),
    }
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>'
        for name in parts
    )
    manifest = (
        f'<manifest:manifest {_SPACES} manifest:version="1.2"><manifest:file-entry'
        f' manifest:full-path="/" manifest:media-type="{mime}"/>{entries}</manifest:manifest>'
    )
    return archive(
        {"mimetype": mime, **parts, "META-INF/manifest.xml": manifest}, stored=("mimetype",)
    )


def macro(statement: str) -> bytes:
    """A text whose macro runs, if macros run at all, as soon as it is opened."""
    scripts = (
        "<office:scripts><office:event-listeners><script:event-listener"
        ' script:language="ooo:script" script:event-name="dom:load" xlink:type="simple" xlink:href='
        '"vnd.sun.star.script:Standard.Module1.Main?language=Basic&amp;location=document"/>'
        "</office:event-listeners></office:scripts>"
    )
    library = 'xmlns:library="http://openoffice.org/2000/library" library:name="Standard"'
    more = {
        "Basic/Standard/Module1.xml": '<script:module xmlns:script="http://openoffice.org/2000/script"'
        f' script:name="Module1" script:language="StarBasic">Sub Main\n{statement}\nEnd Sub'
        "</script:module>",
        "Basic/Standard/script-lb.xml": f'<library:library {library} library:readonly="false"'
        ' library:passwordprotected="false"><library:element library:name="Module1"/>'
        "</library:library>",
        "Basic/script-lc.xml": '<library:libraries xmlns:library="http://openoffice.org/2000/library"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink"><library:library library:name="Standard"'
        ' library:link="false"/></library:libraries>',
    }
    return open_document("text", "<text:p>before</text:p>", scripts, more)
