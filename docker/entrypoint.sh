#!/bin/sh
# The image's entrypoint: the command takes this process's place.
# Started as root (docker run --user 0) it first hands DB_* to the credential broker, which keeps the
# secrets under its own user, and goes on as the user `sandbox`: docs/broker.md.
if [ "$(id -u)" -eq 0 ]; then
  exec /usr/local/lib/toolbelt/bin/python -I -m dbtools.broker.launch -- "$0" "$@"
fi
# A workspace mounted without its output folder gets one. Where it cannot be made nothing is said:
# not every command writes, and those that do say what they could not write.
mkdir -p "${TOOLBELT_WORKSPACE:-/workspace}/output" 2>/dev/null
exec "$@"
