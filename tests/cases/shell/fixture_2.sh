#!/bin/bash
# Builds the workspace the honest shell lines run in. Usage: fixture_2.sh DIR  (DIR must not exist)
set -eu
D=$1; mkdir -p "$D"; cd "$D"
export HOME="$D/.nohome" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Ana GIT_AUTHOR_EMAIL=ana@example.com GIT_COMMITTER_NAME=Ana GIT_COMMITTER_EMAIL=ana@example.com
git init -q -b main .
mkdir -p src/util src/api tests docs data config "notes dir" build
cat > src/app.py <<'P'
"""Entry point."""
import os
import json
from util.helpers import slugify  # noqa: E501

DEBUG = False

class App:
    def __init__(self, name):
        self.name = name

    def run(self, arg=None):
        # TODO: handle --verbose
        print(f"running {self.name}")
        return {"ok": True, "cost": "$5"}

def main():
    app = App("demo")
    app.run()

if __name__ == "__main__":
    main()
P
printf 'def slugify(s):\n    """Make a slug."""\n    return s.lower().replace(" ", "-")\n\n\ndef parse_args(argv):\n    # FIXME: use argparse\n    return [a for a in argv if a.startswith("--")]\n' > src/util/helpers.py
: > src/util/__init__.py
printf 'import asyncio\n\nasync def fetch(url):\n\traise NotImplementedError("todo")\n' > src/api/client.py
printf 'export function add(a, b) {\n  return a + b; // TODO: types\n}\n' > src/api/index.js
printf 'export type Id = string | number;\n' > src/api/types.ts
printf 'from src.util.helpers import slugify\n\ndef test_slug():\n    assert slugify("A b") == "a-b"\n' > tests/test_helpers.py
printf '# Demo\n\n## Install\n\nRun `make`.\n\n## Usage\n\nSee docs/guide.md; cost is $5 & up.\n' > README.md
printf '# Guide\n\n- step 1\n- step 2\n' > docs/guide.md
printf '# Über uns\n\nGrüße aus Köln\n' > 'docs/übersicht.md'
printf 'one\ntwo three\n' > 'notes dir/meeting notes.txt'
printf 'it is quoted\n' > "notes dir/it's.txt"
printf '{"name":"demo","version":"1.2.3","scripts":{"build":"tsc -p .","test":"jest"},"dependencies":{"left-pad":"^1.0.0","zod":"~3.2"},"files":["a b","c"]}\n' > package.json
printf '{"users":[{"id":1,"name":"Ana","tags":["x","y"],"age":31},{"id":2,"name":"Bo","tags":[],"age":25},{"id":3,"name":"Çem","tags":["x"],"age":40}],"total":3}\n' > data/users.json
printf '{"ts":"2026-01-01","level":"info","msg":"start"}\n{"ts":"2026-01-02","level":"error","msg":"boom"}\n{"ts":"2026-01-03","level":"error","msg":"bang"}\n' > data/log.jsonl
printf 'id,city,amount\n1,Berlin,10.5\n2,Köln,7\n3,Berlin,2.25\n4,Paris,99\n' > data/sales.csv
printf 'id\tname\n1\tx\n2\ty\n' > data/t.tsv
printf '1 apple\n2 pear\n3 fig\n' > data/left.txt; printf '1 red\n3 purple\n4 blue\n' > data/right.txt
printf 'b\na\nc\na\n' > data/words.txt; printf 'a\nb\nd\n' > data/sorted.txt
printf '[tool.demo]\nkey = "v"\nport = 8080\n' > config/settings.toml
printf 'host: localhost\nport: 5432\n' > config/db.yml
printf 'ERROR 2026-01-01 disk full\nINFO 2026-01-01 ok\nERROR 2026-01-02 timeout 10.0.0.1\n' > app.log
printf '\x89PNG\r\n\x1a\n' > docs/logo.png
printf -- '-n\n-- dash\n' > ./-dash.txt
printf 'node_modules/\nbuild/\n*.pyc\n' > .gitignore
printf 'x' > build/out.bin
git add -A; GIT_AUTHOR_DATE='2026-01-01T10:00:00Z' GIT_COMMITTER_DATE='2026-01-01T10:00:00Z' git commit -qm 'feat: initial import'
sed -i 's/DEBUG = False/DEBUG = True/' src/app.py; git add -A
GIT_AUTHOR_DATE='2026-02-01T10:00:00Z' GIT_COMMITTER_DATE='2026-02-01T10:00:00Z' git commit -qm 'fix: turn debug on (#12)'
git tag v1.0.0; git branch feature/login
printf '\ndef extra():\n    return 42\n' >> src/util/helpers.py; git mv docs/guide.md docs/handbook.md; git add -A
GIT_AUTHOR_DATE='2026-03-01T10:00:00Z' GIT_COMMITTER_DATE='2026-03-01T10:00:00Z' git commit -qm 'refactor: extra helper; rename guide' -m 'Co-authored-by: Bo <bo@example.com>'
printf '\n# local edit\n' >> src/app.py; printf 'wip\n' > src/new_file.py
printf 'stash me\n' >> README.md; git stash push -q README.md
