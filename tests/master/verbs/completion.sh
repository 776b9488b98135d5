#!/usr/bin/env bash
# Usage: completion.sh TANDEM. The completion offers every verb and option that the program has, and the files it reads.
set -euo pipefail
export LC_ALL=C
tandem=$(readlink -f "$1")
source "$(dirname "$(readlink -f "$0")")/../../../master/verbs/completion/tandem.bash"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
touch 'a system.ssp' b.ssd c.fmu d.txt e.csv
mkdir folder
failures=0

# offers WORD...: what is offered for the last word, sorted.
offers() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _tandem
    printf '%s\n' "${COMPREPLY[@]}" | sort
}

# expect WANTED WORD...
expect() {
    local wanted=$1 found
    shift
    found=$(offers "$@" | paste -sd,)
    [ "$found" = "$wanted" ] && return
    echo "completing '$*': found '$found', expected '$wanted'" >&2
    failures=$((failures + 1))
}

# expect_among NAME WORD...
expect_among() {
    local wanted=$1
    shift
    offers "$@" | grep -qxe "$wanted" && return
    echo "completing '$*': '$wanted' is not offered" >&2
    failures=$((failures + 1))
}

expect run tandem ru
expect compare,converge tandem co
expect 'a system.ssp,b.ssd,c.fmu,folder' tandem run ''
expect 'e.csv,folder' tandem run --input ''
expect b.ssd tandem check b
expect gauss-seidel,jacobi tandem run b.ssd --algorithm ''
expect --step tandem run --ste
expect fmu,spec,system tandem new ''
expect '' tandem run b.ssd --stop ''

verbs=$("$tandem" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p')
[ -n "$verbs" ] || { echo "no verbs in $tandem --help" >&2; exit 1; }
for verb in $verbs; do
    expect_among "$verb" tandem ''
    for option in $("$tandem" "$verb" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -e '--[a-z-]+'); do
        [ "$option" = --help-all ] || expect_among "$option" tandem "$verb" --
    done
done
[ $failures -eq 0 ] || exit 1
echo "completion: $(wc -w <<<"$verbs") verbs, all options offered"
