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

# leave_foreign_build PRESET: a build folder that was made where the tree stood before (it was moved or copied) names files
# of that place. It is removed, and made again.
leave_foreign_build() {
    local cache="build/$1/CMakeCache.txt" home
    [ -e "$cache" ] || return 0
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")
    [ ! "$home" -ef . ] || return 0
    say "build/$1 was made for $home, which is not this folder; making it again"
    rm -rf "build/$1"
}

# leave_foreign_environment FOLDER: the same for a Python environment, whose programs name the place it was made in.
leave_foreign_environment() {
    local place
    [ -e "$1/bin/activate" ] || return 0
    place=$(sed -n "s/^ *VIRTUAL_ENV=[\"']\{0,1\}\([^\"']*\).*/\1/p" "$1/bin/activate" | head -n 1)
    [ ! "$place" -ef "$1" ] || return 0
    say "$1 was made for $place, which is not this folder; making it again"
    rm -rf "$1"
}

# configure PRESET: (re)makes build/PRESET; silent unless it fails.
configure() {
    mkdir -p "build/$1"
    if ! cmake --preset "$1" >"build/$1/configure.log" 2>&1; then
        cat "build/$1/configure.log" >&2
        return 1
    fi
}

# build PRESET TARGET...: (re)configures and builds; says how far it is, and nothing when there is nothing to do.
build() {
    local preset=$1 log="build/$1/build.log" title="Building Tandem" begin=
    shift
    local targets=()
    [ $# -eq 0 ] || targets=(--target "$@")
    leave_foreign_build "$preset"
    if [ ! -e "build/$preset/.ninja_log" ]; then
        title+=" (first time, a few minutes)"
        begin='[0/1]'  # said at once: the first file takes a while
    fi
    mkdir -p "build/$preset"  # for the log
    {
        echo "$begin"
        configure "$preset" && NINJA_STATUS='[%f/%t] ' cmake --build "build/$preset" "${targets[@]}" 2>&1
    } | tee "$log" | progress "$title" || {
        grep -v '^\[' "$log" | grep -E 'error|FAILED' -A4 | head -60 >&2
        return 1
    }
}

# build_page: the page of the view, into build/page, where its sources changed; npm brings what it is made of.
build_page() {
    local source=master/view/page work=build/page_work stamp=build/page/sources.sha256
    [ -e $source/package.json ] || return 0
    mkdir -p build
    (cd $source && find . -name node_modules -prune -o -type f -print | sort | xargs sha256sum) >build/page_sources.sha256
    ! cmp -s build/page_sources.sha256 "$stamp" || return 0
    command -v npm >/dev/null || need_packages .ci/packages-node.txt
    say "Building the page of the view"
    mkdir -p $work build/page
    rm -rf $work/src  # what was removed since
    cp -r $source/. $work
    npm ci --prefix $work --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null
    npm run build --prefix $work --loglevel error --silent -- --outdir="$PWD/build/page"
    mv build/page_sources.sha256 "$stamp"
}

# progress TITLE: reads ninja's output; one line for each tenth of the work, or a line that changes on a terminal.
progress() {
    local line percent shown=-1 step=10 format='%s: %d %%\n'
    if [ -t 2 ]; then
        step=1
        format='\r%s: %d %%'
    fi
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] && $line != *'Re-checking globbed'* ]] || continue
        percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2] / step * step))
        [ "$percent" -gt "$shown" ] || continue
        shown=$percent
        printf "$format" "$1" "$percent" >&2
    done
    [ ! -t 2 ] || [ "$shown" -lt 0 ] || printf '\r\033[K' >&2
}
