#!/bin/sh
# with-site COMMAND ...: runs a step of the image's build with the site's own settings, where the
# build was given any as secrets (docker/build.sh). They exist during that step only.
set -eu
secret() { [ -s "/run/secrets/$1" ]; }

if secret cabundle; then
    export PIP_CERT=/run/secrets/cabundle NODE_EXTRA_CA_CERTS=/run/secrets/cabundle
fi
if secret pipconf; then export PIP_CONFIG_FILE=/run/secrets/pipconf; fi
if secret npmrc; then export npm_config_globalconfig=/run/secrets/npmrc; fi
if secret aptconf; then export APT_CONFIG=/run/secrets/aptconf; fi

if [ "$1" = packages ]; then # packages NAME ...: Debian packages, and nothing of apt's left behind
    shift
    export DEBIAN_FRONTEND=noninteractive
    sources=""
    if secret aptsources; then
        sources="-o Dir::Etc::SourceList=/run/secrets/aptsources -o Dir::Etc::SourceParts=/dev/null"
    fi
    # shellcheck disable=SC2086  # one word an option
    apt-get $sources -o Acquire::Retries=3 -q update >/dev/null
    # shellcheck disable=SC2086
    apt-get $sources -o Acquire::Retries=3 -q install -y --no-install-recommends "$@" >/dev/null
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/log/apt \
        /var/log/dpkg.log /var/log/alternatives.log /var/cache/debconf/*-old /var/lib/dpkg/*-old
    exit
fi
exec "$@"
