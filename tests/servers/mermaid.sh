#!/bin/sh
# Puts Mermaid's one-file library where file-convert looks for it: mermaid.sh FOLDER. Nothing else
# of the npm package is kept, and nothing of it is run.
set -eu
folder="$1"
version=11.17.2
target="$folder/mermaid.min.js"
[ ! -s "$target" ] || exit 0

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
echo "Fetching mermaid $version with npm"
npm pack --silent "mermaid@$version" >/dev/null
tar -xzf "mermaid-$version.tgz" package/dist/mermaid.min.js
mkdir -p "$folder"
mv package/dist/mermaid.min.js "$target"
