# Sourced by build.sh and smoke.sh: which container engine this machine has.
# shellcheck shell=bash disable=SC2034  # read by those who source this
# What the image is built on: Debian's own, where a registry answers; else one made here.
DEBIAN=docker.io/library/debian:trixie-slim
BASE=localhost/toolbelt-base:trixie

cannot() { # loudly: nothing about the image is proven here
    {
        echo "=================================================================="
        echo "THE IMAGE CANNOT BE BUILT OR TESTED ON THIS MACHINE"
        echo "$1"
        echo "=================================================================="
    } >&2
    exit 3
}

install_tools() { # install_tools PROGRAM ...: Debian packages of that name, as root
    local missing="" program
    for program in "$@"; do
        command -v "$program" >/dev/null || missing="$missing $program"
    done
    [ -n "$missing" ] || return 0
    [ "$(id -u)" -eq 0 ] || cannot "Without Docker and a registry this needs root: apt-get install$missing"
    command -v apt-get >/dev/null || cannot "There is no apt-get here. Install by hand:$missing"
    echo "Installing with apt-get:$missing"
    export DEBIAN_FRONTEND=noninteractive
    local fetch="timeout 600 apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -q"
    $fetch update >/dev/null || echo "apt-get update failed; trying with the old lists" >&2
    # shellcheck disable=SC2086  # one word a package
    $fetch install -y --no-install-recommends $missing >/dev/null ||
        cannot "These could not be installed:$missing"
}

find_engine() { # sets ENGINE, and STORE: the program that has the images
    if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
        ENGINE=docker STORE=docker
        return
    fi
    install_tools mmdebstrap buildah podman runc
    [ "$(id -u)" -eq 0 ] || cannot "There is no Docker, and buildah needs root."
    unshare --mount true 2>/dev/null || cannot "There is no Docker, and nothing may be mounted, which buildah needs."
    ENGINE=buildah STORE=podman
}
