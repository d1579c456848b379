#!/bin/sh
# Puts Mermaid's one-file library where file-convert looks for it: mermaid.sh FOLDER. Of the
# npm package its description is kept beside, and nothing of it is run.
set -eu
folder="$1"
version=11.17.2
sha256=581ed7d74bd9048d0e3a91363927d72ef22942d7722546b27f7cc29e35390eb8
target="$folder/mermaid.min.js"
[ ! -s "$target" ] || exit 0

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
echo "Fetching mermaid $version with npm"
npm pack --silent "mermaid@$version" >/dev/null
tar -xzf "mermaid-$version.tgz" package/dist/mermaid.min.js package/package.json
echo "$sha256  package/dist/mermaid.min.js" | sha256sum --check --quiet
mkdir -p "$folder"
mv package/package.json "$folder/mermaid.package.json"
mv package/dist/mermaid.min.js "$target"
