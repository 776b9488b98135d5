# Sourced by ./run and ./test: installs what is missing, and says so. Quick when there is nothing to do.

say() { printf '%s\n' "$*" >&2; }

# need_packages FILE...: Debian packages listed in the files are installed if they are missing. Without the rights to do
# that they are named, and the work goes on: the libraries may be there in another way.
need_packages() {
    local wanted missing=()
    command -v dpkg-query >/dev/null || return 0
    wanted=$(sed 's/#.*//' "$@" | xargs)
    local package
    for package in $wanted; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            as_root=(sudo)
        else
            say "These Debian packages are missing; ask an administrator for: apt-get install ${missing[*]}"
            return 0
        fi
    fi
    say "Installing Debian packages: ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# configure PRESET: (re)makes build/PRESET; silent unless it fails.
configure() {
    mkdir -p "build/$1"
    if ! cmake --preset "$1" >"build/$1/configure.log" 2>&1; then
        cat "build/$1/configure.log" >&2
        return 1
    fi
}

# build PRESET TARGET...
build() {
    local preset=$1
    shift
    configure "$preset"
    local targets=()
    [ $# -eq 0 ] || targets=(--target "$@")
    if [ -t 2 ]; then
        cmake --build "build/$preset" "${targets[@]}" >&2
    else
        cmake --build "build/$preset" "${targets[@]}" >"build/$preset/build.log" 2>&1 || {
            grep -E 'error|FAILED' -A4 "build/$preset/build.log" | head -60 >&2
            return 1
        }
    fi
}
