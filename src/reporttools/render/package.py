"""Office files are zips: the same content in the same bytes, whenever it is written."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import IO, Final

Edit = Callable[[str, bytes], bytes]
CORE: Final = "docProps/core.xml"
_STAMP: Final = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:\2>)")
# The first moment a zip can hold; its members' own times say nothing.
_FIXED: Final = (1980, 1, 1, 0, 0, 0)


def stamped(core: bytes, moment: datetime) -> bytes:
    """The document's properties with both of its dates set."""
    text = moment.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    return _STAMP.sub(rb"\g<1>" + text + rb"\g<3>", core)


def rewritten(
    made: io.BytesIO, file: IO[bytes], moment: datetime, edit: Edit = lambda _name, content: content
) -> None:
    """Copy an Office file, member by member in its order, with fixed times. edit: may change the
    content of a member, which it is given with its name."""
    made.seek(0)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(file, "w") as target:
        for name in source.namelist():
            content = edit(name, source.read(name))
            if name.endswith(".xlsx"):
                # The data behind a native chart is a workbook of its own.
                inner = io.BytesIO()
                rewritten(io.BytesIO(content), inner, moment)
                content = inner.getvalue()
            _add(target, name, content, moment)


def restamped(file: IO[bytes], moment: datetime) -> None:
    """Set the dates of a finished file in place; only its last members are written again."""
    with zipfile.ZipFile(file, "a") as archive:
        core = archive.getinfo(CORE)
        later = [i for i in archive.infolist() if i.header_offset >= core.header_offset]
        contents = [(info.filename, archive.read(info)) for info in later]
        for info in later:
            archive.filelist.remove(info)
            del archive.NameToInfo[info.filename]
        archive.start_dir = core.header_offset
        for name, content in contents:
            _add(archive, name, content, moment)
    file.truncate()


def _add(target: zipfile.ZipFile, name: str, content: bytes, moment: datetime) -> None:
    info = zipfile.ZipInfo(name, _FIXED)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    info.create_system = 3
    target.writestr(info, stamped(content, moment) if name == CORE else content)
