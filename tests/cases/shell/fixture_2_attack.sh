#!/bin/bash
# Extra bait files for the attack lines (evil.sh, links out, lists, planted.git ...).
# Usage: fixture_2_attack.sh BASE  -> builds BASE/ws (workspace), BASE/outside, BASE/canary.
# The jsonl lines name {DIR}/canary and {DIR}/outside; rewrite them to BASE when BASE differs.
set -u
BASE=$1; WS=$BASE/ws; mkdir -p "$BASE/outside" "$BASE/canary"
"$(dirname "$0")/fixture_2.sh" "$WS"

cd $BASE/outside; printf 'SECRET_CANARY line\n' > secret.txt; printf '{"v":"topsecret"}' > secret.json; printf 'def answer: 42;' > mod.jq; echo demo > pat.txt; printf '[user]\n\ttoken = hidden\n' > creds.ini
export HOME=/nonexistent GIT_AUTHOR_NAME=o GIT_AUTHOR_EMAIL=o@o GIT_COMMITTER_NAME=o GIT_COMMITTER_EMAIL=o@o
git init -q repo; cd repo; echo x > f; git add f; git commit -qm 'outside commit'
cd $WS
printf '#!/bin/sh\ntouch '"$BASE"'/canary/hit\necho evil ran\nexec cat >/dev/null\n' > evil.sh; chmod +x evil.sh
cp evil.sh git-evil; cp evil.sh git; mkdir tools; cp evil.sh tools/ls; ln -s tools bin
ln -s $BASE/outside link; ln -s ../outside/secret.txt linkfile
printf '%s\0' "$BASE/outside/secret.txt" > list0; echo ../outside/secret.txt > list_nl
(cd ../outside; sha256sum secret.txt) | sed 's#secret#../outside/secret#' > sums.txt
printf '0\tstring\tA\ttest magic\n' > mymagic
echo 'zipped needle' | gzip > arch.gz; seq 1 40000 | sort -R > big.txt; mkfifo pipe1
mkdir globdir; echo v > globdir/victim; : > ./-delete
printf '*.filtered filter=x\n*.conv diff=x\n' > .git/info/attributes
cp -r .git planted.git; git --git-dir=planted.git config core.fsmonitor $WS/evil.sh
