#!/bin/sh
# The image's entrypoint: the command takes this process's place.
# A workspace mounted without its output folder gets one. Where it cannot be made nothing is said:
# not every command writes, and those that do say what they could not write.
mkdir -p "${TOOLBELT_WORKSPACE:-/workspace}/output" 2>/dev/null
exec "$@"
