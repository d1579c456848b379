#!/bin/sh
# Installs the system packages that `make test` needs and PyPI does not have. Says what and why;
# does nothing when everything is there. `make demo` never needs it.
set -eu

missing=""
need() { # need PROGRAM PACKAGE WHY
    for place in /usr/sbin /usr/bin /bin; do
        if [ -x "$place/$1" ]; then return 0; fi
    done
    missing="$missing $2"
    echo "make test needs $1: $3 (Debian package $2)"
}

need mariadbd mariadb-server-core "a real MariaDB server to run db-query against"
need my_print_defaults mariadb-client-core "the set-up program of the MariaDB server calls it"

for tool in git:git rg:ripgrep jq:jq tree:tree file:file column:bsdextrautils xxd:xxd diff:diffutils find:findutils; do
    need "${tool%%:*}" "${tool##*:}" "safe-shell runs it"
done
have() { # have PATTERN PACKAGE WHY: a file, where a package has no program of its own
    # shellcheck disable=SC2086  # the pattern is to be expanded
    if ls $1 >/dev/null 2>&1; then return 0; fi
    missing="$missing $2"
    echo "make test needs $3 (Debian package $2)"
}

need chromium-headless-shell chromium-headless-shell "the browser that file-convert prints pages with"
need soffice libreoffice-writer-nogui "the office suite that file-convert prints documents with"
have '/usr/lib/libreoffice/program/libscfiltlo.so' libreoffice-calc-nogui "LibreOffice's spreadsheets"
have '/usr/lib/libreoffice/program/libsdlo.so' libreoffice-impress-nogui "LibreOffice's decks"
have '/usr/lib/libreoffice/program/libsmlo.so' libreoffice-math-nogui "LibreOffice's formulas"
need pdftotext poppler-utils "to read the PDFs that file-convert and report-run make"
need fc-list fontconfig "programs find their fonts by it"
have '/usr/share/fonts/truetype/dejavu/*' fonts-dejavu-core "a font with symbols"
have '/usr/share/fonts/truetype/liberation*/*' fonts-liberation "the fonts most documents ask for"
have '/usr/share/fonts/truetype/noto/NotoSans-*' fonts-noto-core "fonts for most scripts"
have '/usr/share/fonts/opentype/noto/NotoSansCJK*' fonts-noto-cjk "Chinese, Japanese and Korean fonts"
have '/usr/share/fonts/truetype/wqy/*' fonts-wqy-microhei "the same scripts as outlines that a PDF takes"
have '/usr/share/fonts/truetype/ancient-scripts/Symbola*' fonts-symbola "emoji and signs as outlines"
have '/usr/share/fonts/truetype/noto/NotoColorEmoji*' fonts-noto-color-emoji "a font with emoji"
have '/usr/share/fonts/truetype/crosextra/Carlito*' fonts-crosextra-carlito "a font as wide as Calibri"
have '/usr/share/fonts/truetype/crosextra/Caladea*' fonts-crosextra-caladea "a font as wide as Cambria"
command -v npm >/dev/null || need npm npm "Mermaid comes as an npm package"

[ -n "$missing" ] || exit 0

root=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Install them as root: apt-get install$missing" >&2; exit 2; }
    root="sudo"
fi
command -v apt-get >/dev/null || { echo "No apt-get here. Install by hand:$missing" >&2; exit 2; }

echo "Installing with ${root:+$root }apt-get:$missing"
export DEBIAN_FRONTEND=noninteractive
fetch="timeout 900 apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -q"
$root $fetch update >/dev/null || echo "apt-get update failed; trying with the old lists" >&2
# shellcheck disable=SC2086  # one word a package
$root env DEBIAN_FRONTEND=noninteractive $fetch install -y --no-install-recommends $missing >/dev/null
echo "Installed:$missing"
