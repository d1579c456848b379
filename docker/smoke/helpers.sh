# Sourced inside the container by every check.
# shellcheck shell=bash
answer() { # answer CODE COMMAND ...: its stdout, when it ended so; a success says nothing more
    local wanted=$1 got=0 said notes=/dev/shm/notes
    shift
    said=$("$@" 2>$notes) || got=$?
    printf '%s\n' "$said"
    [ "$got" -eq "$wanted" ] || { echo "exit $got, not $wanted: $*" >&2; cat $notes >&2; return 1; }
    [ "$got" -ne 0 ] || [ ! -s $notes ] || { echo "stderr of $*:" >&2; cat $notes >&2; return 1; }
}

says() { # says FILTER: stdin is JSON of which the jq filter is true
    local document
    document=$(cat)
    jq --exit-status "$1" <<<"$document" >/dev/null || { echo "not $1: ${document:0:2000}" >&2; return 1; }
}

same() { # same GOT WANTED
    [ "$1" = "$2" ] || { echo "got '$1', not '$2'" >&2; return 1; }
}

code() { # code CODE TEXT [OPTION ...]: runs it as Python report code
    local wanted=$1 text=$2
    shift 2
    printf '%s\n' "$text" | answer "$wanted" report-run execute-code --language python --code - "$@"
}
