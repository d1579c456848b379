"""Write the image's software bill of materials (CycloneDX 1.6, JSON) from what is installed.

python sbom.py FILE    Debian packages by dpkg, Python packages by their metadata, npm packages and
                       what fetched them by the lock files beside them
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from urllib.parse import quote

_SHARE = Path(sys.prefix, "share/sandbox-toolbelt")
Component = dict[str, object]


def component(kind: str, name: str, version: str, **qualifiers: str) -> Component:
    """One package with its purl, which is its identity."""
    path = "/".join(quote(part, safe="") for part in name.split("/"))
    tail = "&".join(f"{key}={quote(value, safe='')}" for key, value in qualifiers.items())
    purl = f"pkg:{kind}/{path}@{quote(version, safe='')}" + (f"?{tail}" if tail else "")
    short = name.removeprefix("debian/")
    return {"type": "library", "name": short, "version": version, "purl": purl, "bom-ref": purl}


def debian() -> Iterator[Component]:
    """What dpkg has installed."""
    shown = "${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\n"
    listed = subprocess.run(
        ["/usr/bin/dpkg-query", "--show", f"--showformat={shown}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for line in listed.stdout.splitlines():
        status, name, version, architecture = line.split("\t")
        if status.startswith("ii"):
            yield component("deb", f"debian/{name}", version, arch=architecture)


def python() -> Iterator[Component]:
    """What this environment has."""
    for found in metadata.distributions():
        yield component("pypi", found.name.lower().replace("_", "-"), found.version)


def node() -> Iterator[Component]:
    """npm packages below our share folder: each has a package.json."""
    seen = set()
    for file in (*_SHARE.glob("code/node-*/node_modules/*/package.json"),
                 *_SHARE.glob("code/node-*/node_modules/@*/*/package.json"),
                 *_SHARE.glob("*.package.json")):  # fmt: skip
        about = json.loads(file.read_text(encoding="utf-8"))
        if "version" in about and (key := (about["name"], about["version"])) not in seen:
            seen.add(key)
            yield component("npm", *key)


def main(target: Path) -> None:
    """Write the document, components in order of their identity."""
    components = sorted((*debian(), *python(), *node()), key=lambda one: str(one["purl"]))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "container",
                "name": "sandbox-toolbelt",
                "version": metadata.version("sandbox-toolbelt"),
            }
        },
        "components": components,
    }
    target.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{target}: {len(components)} components")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
