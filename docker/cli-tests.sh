#!/usr/bin/env bash
# make image-cli: runs tests/cli inside the image (target `tests`: `full` and pytest) as uid 10001 with
# the engine's default restrictions: its seccomp profile and capabilities, a writable root, no network
# but loopback. Further words go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
. docker/engine.sh
find_engine
TARGET=tests bash docker/build.sh
if [ "$ENGINE" = docker ]; then
    run=(docker run)
else
    run=(podman --runtime runc run --ulimit nofile=1024:1024 --ulimit nproc=1024:1024)
fi
deselect=()
while IFS= read -r line; do
    [[ "$line" == tests/* ]] && deselect+=(--deselect "$line")
done <docker/cli-tests.txt
echo "Not run inside: $((${#deselect[@]} / 2)) tests (docker/cli-tests.txt says why)"
echo "tests/cli as uid 10001 in ${run[0]} with its default restrictions"
exec "${run[@]}" --rm --network none --shm-size 512m -v "$PWD:/repo:ro" -w /repo \
    -e HYPOTHESIS_STORAGE_DIRECTORY=/tmp/hypothesis localhost/sandbox-toolbelt:tests \
    /usr/local/lib/toolbelt/bin/python -m pytest -q -p no:cacheprovider "${deselect[@]}" tests/cli "$@"
