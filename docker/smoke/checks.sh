# Sourced by smoke.sh: the checks, in the order of the README's promises. Each script runs in a
# container of its own, in /workspace, which holds the demo shop.
# shellcheck shell=bash disable=SC2016,SC2154  # expanded in the container; smoke.sh's variables

# --- Each command starts and does its work -----------------------------------------------------------
for command in db-query db-schema report-run file-convert safe-shell; do
    check "$command --version" box -- "same \"\$($command --version)\" \"$command $version\""
done
check "db-query asks the demo shop" box -- \
    'answer 0 db-query -q "SELECT count(*) AS n FROM orders" | says ".rows[0].n > 800"'
check "db-query streams CSV to a file" box -- '
    answer 0 db-query -q "SELECT * FROM orders" -o output/orders.csv --force | says .ok
    [ "$(wc -l <output/orders.csv)" -gt 800 ]'
check "db-schema finds a table for a question" box -- \
    'db-schema --search "where is the order status stored" | grep order_status'
check "db-schema finds it in Russian" box -- 'db-schema --search "статус заказа" | grep order_status'
check "report-run makes a PDF and a PPTX" box -- '
    db-query -q "SELECT * FROM orders LIMIT 50" |
        answer 0 report-run generate --template data-summary --format pdf,pptx --output output --force |
        says "[.files[].bytes > 5000] == [true, true]"'
check "report-run draws a chart" box -- '
    db-query -q "SELECT status_id, count(*) AS n FROM orders GROUP BY 1" |
        answer 0 report-run chart --type bar --x status_id --y n -o output/chart.png --force | says .ok
    file output/chart.png | grep "PNG image"'
check "report-run runs Python code" box -- '
    code 0 "import matplotlib.pyplot as p; p.plot([1, 2]); p.show()" | says ".files[0].mime == \"image/png\""'
if [ "$target" = slim ]; then
    check "report-run says that slim has no Node" box -- '
        echo 1 | answer 5 report-run execute-code --language javascript --code - |
            says ".error.code == \"MISSING_DEP\" and .error.missing == [\"node\"]"'
else
    check "report-run runs JavaScript with chart.js, d3 and a canvas" box -- '
        cp /smoke/chart.mjs . && answer 0 report-run execute-code --language javascript --code chart.mjs |
            says ".files[0].mime == \"image/png\" and .files[0].bytes > 2000 and .dependencies.cached"'
fi
check "file-convert: Markdown to docx" box -- '
    printf "# Title\n\nText.\n" >note.md
    answer 0 file-convert docx note.md --force -o output/note.docx | says .ok'
check "file-convert: Markdown to PDF, and its text back" box -- '
    printf "# Title\n\nПривет 你好 שלום مرحبا नमस्ते สวัสดี 😀\n" >note.md
    answer 0 file-convert pdf note.md --force -o output/note.pdf | says ".ok and (.warnings | length == 0)"
    answer 0 file-convert txt output/note.pdf --force -o note.txt | says .ok
    grep "Привет 你好" note.txt'
check "file-convert: CSV to xlsx and back" box -- '
    printf "a,b\n1,2\n" >t.csv
    answer 0 file-convert xlsx t.csv --force -o t.xlsx | says .ok
    answer 0 file-convert csv t.xlsx --force -o back.csv | says .ok
    grep "^1,2" back.csv'
if [ "$target" = slim ]; then
    check "file-convert doctor --deep: rows without browser, office and pyarrow all work" box -- '
        file-convert doctor --deep >found.json || true
        jq -r "\"note: \(.rows - .bad) of \(.rows) rows\"" found.json
        says "[.recipes[] | select(.status != \"available\") | .reason] |
            all(test(\"chromium|soffice|mermaid|pyarrow\"))" <found.json
        says ".rows - .bad > 80" <found.json
        jq -r "\"note: \(.rows - .bad) of \(.rows) rows\"" found.json'
else
    check "file-convert doctor --deep: every row works" box --memory 4g --shm-size 512m -- '
        answer 0 file-convert doctor --deep >found.json
        jq -r "\"note: \(.rows) rows\"" found.json'
    check "file-convert: a page, a deck and a diagram" box --memory 4g -- '
        printf "# One\n\n~~~mermaid\ngraph LR; A-->B\n~~~\n" >deck.md
        answer 0 file-convert pptx deck.md --force -o deck.pptx | says .ok
        answer 0 file-convert pdf deck.pptx --force -o deck.pdf | says .ok
        echo "<h1>Page</h1>" >page.html
        answer 0 file-convert pdf page.html --force | says .ok
        echo "graph LR; A-->B" >d.mmd
        answer 0 file-convert svg d.mmd --force | says .ok'
fi
check "safe-shell runs a pipe" box -- '
    answer 0 safe-shell "sort -t, -k1 -n output/orders.csv | head -3 | cut -d, -f1 | wc -l" | says ".stdout == \"3\n\""'
check "the programs are there" box -- '
    for program in psql mysql sqlite3 rg git jq tree file pandoc pdftotext rsvg-convert ip; do
        command -v "$program" >/dev/null || { echo "$program is missing"; exit 1; }
    done; psql --version; mysql --version; pandoc --version; rsvg-convert --version'

# --- What must be refused --------------------------------------------------------------------------------
check "db-query refuses a write" box -- '
    answer 1 db-query -q "DELETE FROM orders" | says ".error.code == \"BLOCKED\""'
check "safe-shell refuses a write" box -- 'answer 126 safe-shell "rm -rf output" | says ".error.code == \"BLOCKED\""'
check "safe-shell refuses an escape" box -- 'answer 126 safe-shell "cat /etc/passwd" | says ".ok == false"'
check "file-convert refuses an escape" box -- '
    answer 1 file-convert pdf ../etc/passwd | says ".error.code == \"BAD_PATH\""
    ln -sf /etc/passwd link.md
    answer 1 file-convert pdf link.md | says ".error.code == \"BAD_PATH\""
    rm link.md'
check "report code cannot leave its folder, reach a network or read its parent" box -- '
    code 0 "$(cat /smoke/escapes.py)" | says ".stdout == \"refused\\n\" * 5"; [ ! -e /workspace/escaped ]'

# --- The container -----------------------------------------------------------------------------------------
check "children are confined: Landlock, seccomp, limits" box -- '
    code 0 "print(1)" >found.json
    says ".confinement | .landlock >= ('"$abi"' | if . > 0 then 1 else 0 end) and .network == \"seccomp\" and .rlimits" <found.json
    jq -r "\"note: Landlock ABI \(.confinement.landlock)\"" found.json'
check "uid 10001, no capability, no new privileges, nothing set-uid" box -- '
    same "$(id -u)" 10001
    grep "^CapEff:.*0000000000000000" /proc/self/status
    grep "^NoNewPrivs:.*1" /proc/self/status
    same "$(find / -xdev -perm /6000 -type f 2>/dev/null)" ""'
check "no network, and a root that is read-only" box -- '
    same "$(ls /sys/class/net)" lo
    ! touch /usr/x /etc/x /home/sandbox/x 2>/dev/null'
check "byte code is compiled" box -- '
    cd /usr/local/lib/toolbelt/lib/python3*/site-packages
    for file in toolbelt/cli.py dbtools/query.py reporttools/cli.py convert/cli.py safeshell/cli.py click/core.py pandas/core/frame.py; do
        ls "$(dirname "$file")/__pycache__/$(basename "$file" .py)".*.pyc; done'
check "skills, policy and licences are there" box -- '
    same "$(ls /usr/local/share/sandbox-toolbelt/skills | tr "\n" " ")" "db-query db-schema file-convert report-run safe-shell "
    grep -q network_policies /etc/openshell/policy.yaml
    same "$(stat -c %U /workspace/output /sandbox /home/sandbox | sort -u)" sandbox' 
check "fonts for Latin, Cyrillic, Greek, CJK, Arabic, Hebrew, Hindi, Thai, emoji" box -- '
    for language in en ru el zh-cn ja ko ar he hi th und-zsye; do
        [ -n "$(fc-list ":lang=$language" file)" ] || { echo "no font for $language"; exit 1; }
    done'
check "the bill of materials names every package" box -- '
    sbom=/usr/local/share/sandbox-toolbelt/sbom.cdx.json
    says ".bomFormat == \"CycloneDX\" and .specVersion == \"1.6\"" <$sbom
    count() { jq "[.components[].purl | select(startswith(\"pkg:$1/\"))] | length" $sbom; }
    same "$(count deb)" "$(dpkg-query -f "\${db:Status-Abbrev}\n" -W | grep -c ^ii)"
    same "$(count pypi)" "$(ls -d /usr/local/lib/toolbelt/lib/python3*/site-packages/*.dist-info | wc -l)"
    '"$([ "$target" = slim ] || echo 'for one in chart.js d3 mermaid %40napi-rs/canvas; do grep -q "pkg:npm/$one@" $sbom; done')"'
    jq -r "\"note: \(.components | length) packages\"" $sbom'
check "labels say what it is; no setting of this site is among the variables" labels
check "no setting of this site is left in a file" as_root '
    ! ls /etc/pip.conf /root/.config /root/.npmrc /root/.npm /root/.cache 2>/dev/null
    same "$(find /run/secrets -type f -size +0 2>/dev/null)" ""
    ! grep -rlE "^(index-url|extra-index-url|find-links|trusted-host|registry) *=" /etc /root /home /usr/local/share /usr/local/lib/toolbelt/*.cfg 2>/dev/null
    '"$(site_words)"
check "the size is within its budget" size

# --- Bad weather ---------------------------------------------------------------------------------------------
check "an arbitrary uid and gid work" box --user 54321:54321 -- '
    same "$(id -u)" 54321
    answer 0 db-query -q "SELECT 1 AS one" | says ".rows[0].one == 1"
    code 0 "import matplotlib.pyplot as p; p.plot([1, 2]); p.savefig(\"uid.png\")" --output uid | says .ok
    printf "# T\n" >uid.md; answer 0 file-convert pdf uid.md -o uid.pdf | says .ok
    answer 0 safe-shell "ls | wc -l" | says .ok'
NO_WORKSPACE=1 check "an arbitrary uid of group 0 owns the image's own workspace" box --user 54321:0 --read-only=false -- '
    code 0 "open(\"x\", \"w\").write(\"1\")" | says ".files | length == 1"'
check "without Landlock nothing runs where it is required, queries do" box --security-opt "seccomp=$PWD/docker/smoke/no-landlock.json" -- '
    code 5 "print(1)" | says ".error.code == \"MISSING_DEP\""
    answer 0 db-query -q "SELECT 1 AS one" | says .ok'
check "without Landlock and not required, the answer says so" box --security-opt "seccomp=$PWD/docker/smoke/no-landlock.json" -e TOOLBELT_CONFINE=auto -- '
    code 0 "print(1)" | says ".confinement | .landlock == 0 and .network == \"seccomp\" and .rlimits"'
check "without fonts a report is made, and says what it lacks" box -v "$nothing:/usr/share/fonts:ro" -- '
    echo "[{\"a\": \"你好\", \"n\": 1}, {\"a\": \"Привет\", \"n\": 2}]" |
        answer 0 report-run table --format pdf -o output/plain.pdf --force | says "[.warnings[].code] | index(\"MISSING_GLYPHS\") != null"'
check "without an optional program the answer names it" box -v /dev/null:/usr/bin/pdftotext -v /dev/null:/usr/bin/rg -- '
    answer 5 file-convert txt output/note.pdf --force | says ".error.code == \"MISSING_DEP\" and (.error.message | test(\"pdftotext\"))"
    answer 127 safe-shell "rg x note.md" | says ".ok == false"'
NO_WORKSPACE=1 check "an unwritable workspace is said, and read all the same" box -v "$workspace:/workspace:ro" -- '
    answer 0 db-query -q "SELECT 1 AS one" | says .ok
    answer 0 safe-shell "head -1 note.md" | says .ok
    answer 1 file-convert pdf note.md -o new.pdf | says ".error.code == \"BAD_PATH\" and .error.reason == \"not_writable\""
    answer 1 db-query -q "SELECT 1 AS one" -o new.csv | says ".error.code == \"BAD_PATH\""'
check "a full disk is said, and leaves nothing half made" box --tmpfs /workspace/full:size=64k,mode=1777 -- '
    answer 4 db-query -q "SELECT a.* FROM orders a, orders b LIMIT 20000" -o full/all.csv | says ".error.code == \"OUTPUT_FAILED\""
    same "$(ls -A full)" ""'
NO_TMP=1 check "without a /tmp to write in: queries work, the rest works or says why" box -- '
    answer 0 db-query -q "SELECT 1 AS one" | says .ok
    db-schema --search "order status" | grep order_status
    answer 0 safe-shell "sort note.md | head -1" | says .ok
    got=0; said=$(file-convert docx note.md --force -o output/t.docx) || got=$?
    case $got in 0 | 4) says "has(\"ok\")" <<<"$said" ;; *) echo "exit $got: $said"; exit 1 ;; esac'
check "without time zone data a query and a report work" box -v "$nothing:/usr/share/zoneinfo:ro" -e TZ=Europe/Berlin -- '
    answer 0 db-query -q "SELECT placed_at FROM orders LIMIT 2" -o output/t.json --force | says .ok
    db-query -q "SELECT placed_at, total_amount FROM orders LIMIT 20" |
        answer 0 report-run generate --template data-summary --format pdf -o output/t.pdf --force | says .ok'

# --- The credential broker: started as root, secrets from a file ----------------------------------------
printf 'smoke-%s\n' "$(head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n')" >"$scratch/secret"
chmod 400 "$scratch/secret"
BROKER=(
    --user 0 --cap-add SETUID --cap-add SETGID --cap-add CHOWN --tmpfs /run/toolbelt
    -v "$scratch/secret:/run/secrets/db:ro" -e DB_1_NAME=far -e DB_1_TYPE=postgresql -e DB_1_DB=d
    -e DB_1_HOST=127.0.0.1 -e DB_1_USER=u -e DB_1_PASS_FILE=/run/secrets/db
    -e DB_2_NAME=near -e DB_2_TYPE=sqlite -e DB_2_DB=/workspace/shop.db
)
check "with a broker the agent has no rights, no DB_*, and asks all the same" box "${BROKER[@]}" -- '
    same "$(id -u)" 10001
    same "$(env | grep ^DB_ || true)" ""
    grep -q "^CapPrm:.0*$" /proc/self/status; grep -q "^NoNewPrivs:.1$" /proc/self/status
    answer 0 db-query -c near -q "SELECT count(*) AS n FROM orders" -o output/n.csv --force | says .ok
    answer 1 db-query -c far -q "DROP TABLE orders" | says ".error.code == \"BLOCKED\""
    answer 3 db-query -c far -q "SELECT 1" | says ".error.code == \"CONNECTION_FAILED\""
    answer 0 db-query --list-connections | says "[.connections[].name] | contains([\"far\", \"near\"])"
    db-schema -c near --search "order status" | grep order_status'
check "the agent reads the secret nowhere: environments, command lines, files, the broker" box "${BROKER[@]}" -- '
    ! cat /run/secrets/db
    ! grep -l smoke-[0-9a-f] /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null
    ! grep -rsl "^smoke-[0-9a-f]\|=smoke-[0-9a-f]" /run /tmp /home /root /etc
    broker=$(pgrep -u broker)
    for part in environ maps mem; do ! head -c 1 "/proc/$broker/$part"; done
    ! kill "$broker"'
check "report code, though run by the agent, reaches no broker" box "${BROKER[@]}" -- '
    test -S /run/toolbelt/broker.sock
    code 4 "import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"/run/toolbelt/broker.sock\")" |
        says ".error.stderrTail // .stderr | test(\"PermissionError\")"'
check "a broker without a place for its socket says what to mount" bash -c '
    ! timeout 60 "$@" >"$0" 2>&1 && grep -- "--tmpfs /run/toolbelt" "$0"' "$scratch/told" \
    "${RUN[@]}" "${HARDENED[@]}" "${BROKER[@]:0:6}" -e DB_TYPE=pg -e DB_HOST=h -e DB_NAME=d "$tag" true
