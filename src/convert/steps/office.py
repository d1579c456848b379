"""Documents through LibreOffice: `office PROGRAM INPUT OUTPUT FILTER`; a profile for every job."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from convert.steps import told
from convert.steps.documents import has_changes

# No macros, no links followed, no questions: (node, property, value).
_SETTINGS: Final = (
    ("org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("org.openoffice.Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("org.openoffice.Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("org.openoffice.Office.Writer/Content/Update", "Link", "2"),
    ("org.openoffice.Office.Calc/Content/Update", "Link", "2"),
    ("org.openoffice.Office.Common/Misc", "FirstRun", "false"),
    ("org.openoffice.Office.Common/Save/Document", "AutoSave", "false"),
)
_WARNED: Final = {"pdf": "the document has tracked changes; the PDF shows them as marks"}


def main() -> NoReturn:
    """Program."""
    told.run(_step)


def _step(arguments: Sequence[str], warnings: told.Warnings) -> None:
    program, source, output, chosen = arguments
    path, target = Path(source), Path(output)
    if has_changes(path):
        kind = target.suffix.removeprefix(".")
        warnings.add(_WARNED.get(kind, "the document has tracked changes; they are kept"))
    if path.suffix == ".xlsx" and target.suffix == ".pdf":
        from convert.steps import sheet_fit

        sheet_fit.fit(path, warnings)
    _convert(program, path, target, chosen)


def _convert(program: str, source: Path, target: Path, chosen: str) -> None:
    profile = told.scratch() / "office"
    _settle(profile)
    folder = told.scratch() / "made"
    folder.mkdir(exist_ok=True)
    kind = target.suffix.removeprefix(".")
    done = subprocess.run(
        [
            program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore",
            "--nolockcheck", "--nodefault", "--nologo", "--convert-to", f"{kind}:{chosen}",
            "--outdir", str(folder), str(source),
        ],
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    sys.stderr.buffer.write(done.stderr)
    made = folder / f"{source.stem}.{kind}"
    if done.returncode or not made.is_file() or not made.stat().st_size:
        raise told.Problem(
            "bad_input", "LibreOffice cannot open the document: it is damaged, or not what its"
            " name says.",
        )  # fmt: skip
    shutil.move(made, target)


def _settle(profile: Path) -> None:
    """The profile's settings, before LibreOffice makes the rest of it."""
    user = profile / "user"
    user.mkdir(parents=True, exist_ok=True)
    items = "".join(
        f'<item oor:path="/{node}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value>'
        "</prop></item>"
        for node, name, value in _SETTINGS
    )
    (user / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<oor:items xmlns:oor="http://openoffice.org/2001/registry"'
        ' xmlns:xs="http://www.w3.org/2001/XMLSchema"'
        f' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{items}</oor:items>\n',
        encoding="utf-8",
    )
