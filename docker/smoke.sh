#!/usr/bin/env bash
# make image-test: runs the built image as an agent's sandbox would and says one line a check.
#   TARGET=slim|full   TAG=...   ONLY=word runs the checks whose name has it
# Every container has no network, a read-only root, no capabilities, no-new-privileges, limits, and
# an unprivileged user. Exit 1 when a check failed; 3 when this machine can run no container.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. docker/engine.sh

target=${TARGET:-slim}
tag=${TAG:-localhost/sandbox-toolbelt:$target}
# Unpacked size, in million bytes.
declare -A budget=([slim]=1300 [full]=2800)
passed=0 failed=0

runner() { # sets RUN: how a container is started here
    find_engine
    if [ "$ENGINE" = docker ]; then
        RUN=(docker run)
    else
        # runc knows every layout of cgroups; limits are named because raising them may be forbidden.
        RUN=(podman --runtime runc run --ulimit nofile=1024:1024 --ulimit nproc=1024:1024)
    fi
    RUN+=(--rm --network none)
    "${RUN[@]}" --entrypoint /bin/true "$tag" >/dev/null 2>"$scratch/why" ||
        cannot "No container starts from $tag here: $(tail -n 2 "$scratch/why")"
    # What the kernel's Landlock can do, asked by the number of the system call.
    abi=$("${RUN[@]}" --entrypoint python3 "$tag" -c \
        'import ctypes; print(max(0, ctypes.CDLL(None).syscall(444, None, 0, 1)))')
    if [ "$abi" -eq 0 ]; then
        echo "THIS KERNEL HAS NO LANDLOCK: the checks run with TOOLBELT_CONFINE=auto" >&2
        HARDENED+=(-e TOOLBELT_CONFINE=auto)
    fi
}

HARDENED=(
    --read-only --cap-drop ALL --security-opt no-new-privileges --memory 2g --pids-limit 512
)

box() { # box [OPTION ...] -- SCRIPT: a hardened container with a workspace, and /tmp unless NO_TMP
    local options=("${HARDENED[@]}")
    [ -n "${NO_TMP:-}" ] || options+=(--tmpfs /tmp)
    [ -n "${NO_WORKSPACE:-}" ] || options+=(-v "$workspace:/workspace")
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    timeout 300 "${RUN[@]}" "${options[@]}" -e DB_TYPE=sqlite -e DB_NAME=/workspace/shop.db \
        -v "$PWD/docker/smoke:/smoke:ro" "$tag" bash -c "set -euo pipefail; . /smoke/helpers.sh; $2"
}

as_root() { # as_root SCRIPT: past the entrypoint, which would drop to the image's user
    timeout 300 "${RUN[@]}" --read-only --user 0 -v "$PWD/docker/smoke:/smoke:ro" --entrypoint bash "$tag" \
        -c "set -euo pipefail; . /smoke/helpers.sh; $1"
}

check() { # check NAME COMMAND ...: one line; what was said, when it failed
    local name=$1 began=$SECONDS
    shift
    [[ "$name" == *"${ONLY:-}"* ]] || return 0
    if "$@" >"$scratch/said" 2>&1; then
        passed=$((passed + 1))
        echo "ok    $name$(tail -n 1 "$scratch/said" | sed -n 's/^note: / - /p')"
    else
        failed=$((failed + 1))
        echo "FAIL  $name ($((SECONDS - began)) s)"
        tail -n 25 "$scratch/said" | sed 's/^/      /'
    fi
}

fresh_workspace() { # the demo shop, in a folder that belongs to the image's user
    workspace=$scratch/workspace nothing=$scratch/nothing
    mkdir -p "$workspace" "$nothing"
    chmod 777 "$workspace"
    box -v "$PWD/demo:/demo/demo:ro" -- 'cd /demo && python3 -B -m demo.build /workspace/shop.db' \
        >"$scratch/said" 2>&1 || { cat "$scratch/said"; echo "The demo shop could not be built." >&2; exit 1; }
}

site_words() { # a script that fails when a registry's host of this machine is named in the image
    local host
    # shellcheck disable=SC2013  # a host is one word
    for host in $(cat /etc/pip.conf "${PIP_CONFIG_FILE:-/dev/null}" "${IMAGE_PIP_CONF:-/dev/null}" 2>/dev/null |
        sed -n 's#.*https\{0,1\}://\([^/@]*@\)\{0,1\}\([^/:]*\).*#\2#p' | sort -u); do
        echo "! grep -rlF '$host' /etc /root /home /run /var/lib/dpkg /usr/local/share /usr/local/bin /usr/local/sbin"
    done
}

size() {
    local bytes
    # du sees what is unpacked; no layer's leftovers count, so those are looked at on their own.
    bytes=$("${RUN[@]}" --user 0 --entrypoint du "$tag" -sxB1 / 2>/dev/null | cut -f1)
    echo "note: $((bytes / 1000000)) MB of ${budget[$target]} MB"
    [ "$bytes" -gt 0 ] && [ "$bytes" -le "$((budget[$target] * 1000000))" ]
}

labels() {
    "$STORE" image inspect "$tag" >"$scratch/inspect" || return
    local label
    for label in title description version revision created licenses; do
        grep -q "\"org.opencontainers.image.$label\": \"..*\"" "$scratch/inspect" || return
    done
    ! grep -iE '"[A-Z_]*(proxy|index_url|cert|find_links|registry)[A-Z_]*=' "$scratch/inspect"
}

version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' src/toolbelt/__init__.py)
scratch=$(mktemp -d /tmp/image-smoke.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
runner
fresh_workspace
. docker/smoke/checks.sh
echo "$passed passed, $failed failed: $tag in $SECONDS s"
[ "$failed" -eq 0 ]
