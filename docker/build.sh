#!/usr/bin/env bash
# make image: builds docker/Dockerfile into sandbox-toolbelt:TARGET. With Docker where its daemon
# answers; else with buildah, on a Debian base that mmdebstrap makes, so no container registry is
# needed (root, and the Debian packages mmdebstrap buildah podman runc).
#   TARGET=slim|full|tests   TAG=...   FRESH=1 makes the base anew
# Site settings, all optional, by path and never by value: IMAGE_PIP_CONF, IMAGE_CA_BUNDLE,
# IMAGE_NPMRC, IMAGE_APT_CONF, IMAGE_APT_SOURCES (see docker/steps/site.sh). They are build secrets.
# Exit 3: this machine can build no image at all; 1: the build failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. docker/engine.sh

target=${TARGET:-slim}
tag=${TAG:-localhost/sandbox-toolbelt:$target}
log=${IMAGE_LOG:-$(mktemp /tmp/image-build.XXXXXX.log)}

site_secrets() { # fills `secrets` with what this machine has
    local pip=${IMAGE_PIP_CONF:-} ca=${IMAGE_CA_BUNDLE:-} file
    for file in "${PIP_CONFIG_FILE:-}" /etc/pip.conf; do
        if [ -z "$pip" ] && [ -s "$file" ]; then pip=$file; fi
    done
    for file in "${PIP_CERT:-}" "${SSL_CERT_FILE:-}"; do
        if [ -z "$ca" ] && [ -s "$file" ]; then ca=$file; fi
    done
    secrets=()
    add pipconf "$pip"
    add cabundle "$ca"
    add npmrc "${IMAGE_NPMRC:-}"
    add aptconf "${IMAGE_APT_CONF:-}"
    add aptsources "${IMAGE_APT_SOURCES:-}"
}

add() { # add ID FILE
    [ -z "$2" ] || secrets+=(--secret "id=$1,src=$2")
}

find_base() { # sets `base`: the FROM of the Dockerfile
    base=$DEBIAN
    if [ "$ENGINE" = docker ] && [ -z "${FRESH:-}" ]; then
        if { docker image inspect "$DEBIAN" || timeout 300 docker pull --quiet "$DEBIAN"; } >/dev/null 2>&1; then
            return
        fi
        echo "No registry gives this Docker $DEBIAN."
    fi
    base=$BASE
    if [ -n "${FRESH:-}" ] || ! "$STORE" image inspect "$BASE" >/dev/null 2>&1; then make_base; fi
}

make_base() { # where there is no registry to pull it from
    local store tar
    # shellcheck disable=SC2016  # mmdebstrap's own shell expands these
    local hooks=(--customize-hook='rm -rf "$1"/usr/share/locale/* "$1"/usr/share/man/*')
    # A site's own mirror is no part of the image.
    # shellcheck disable=SC2016
    [ -z "${IMAGE_APT_SOURCES:-}" ] || hooks+=(--customize-hook='rm -f "$1"/etc/apt/sources.list')
    store=$(mktemp -d /var/tmp/toolbelt-base.XXXXXX)
    trap 'rm -rf "$store"' EXIT
    tar=$store/base.tar
    install_tools mmdebstrap
    echo "Making a Debian base with mmdebstrap (once; about two minutes) ..."
    # shellcheck disable=SC2086  # a file of sources, or none
    mmdebstrap --quiet --variant=minbase --include=ca-certificates \
        --dpkgopt=docker/steps/dpkg.conf "${hooks[@]}" trixie "$tar" ${IMAGE_APT_SOURCES:-} >"$store/log" 2>&1 ||
        { tail -n 20 "$store/log" | cut -c1-500; echo "mmdebstrap made no Debian base." >&2; exit 1; }
    "$STORE" import --change 'CMD ["bash"]' "$tar" "$BASE" >"$store/log" 2>&1 ||
        { cat "$store/log"; echo "$STORE took no Debian base." >&2; exit 1; }
    rm -rf "$store"
    trap - EXIT
}

build() {
    local arguments=(
        --file docker/Dockerfile --target "$target" --tag "$tag" "${secrets[@]}"
        --build-arg "BASE_IMAGE=$base"
        --build-arg "VERSION=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' src/toolbelt/__init__.py)"
        --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)"
        --build-arg "CREATED=$(git log -1 --format=%cI 2>/dev/null || date -u +%Y-%m-%dT%H:%M:%SZ)"
    )
    if [ "$ENGINE" = docker ]; then
        # shellcheck disable=SC2086  # further words for Docker, such as --network host
        DOCKER_BUILDKIT=1 docker build --progress plain ${IMAGE_DOCKER_OPTIONS:-} "${arguments[@]}" .
    else
        buildah bud --isolation chroot --layers --format docker --pull-never \
            --ignorefile docker/Dockerfile.dockerignore "${arguments[@]}" .
    fi
}

find_engine
site_secrets
find_base
SECONDS=0
echo "Building $tag with $ENGINE (log: $log) ..."
if ! build >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "The image was not built." >&2
    exit 1
fi
echo "Built $tag with $ENGINE in ${SECONDS} s."
