# Bash completion for tandem. Try it with `source`; installed as share/bash-completion/completions/tandem it loads itself.

_tandem_verbs='run inspect check graph converge compare swap linearize new pack can topics view tele'

_tandem_options() {
    local system='--variant --start --stop --step --algorithm --hold --tolerance --implementation --set --input --threads'
    local supervised='--unit-timeout --memory-limit --in-process'
    case $1 in
        run) echo "$system --out --record --record-interval --event-rows --format --csv-units --strict --stats --trace --log --can-log --repeat --scenario --settle --shadow --realtime --replace --map --write --contract --warn --publish --subscribe --dds-address --dds-domain --record-points --tele --link --view --view-host --view-origin --view-page --view-exit $supervised --overwrite --long --quiet" ;;
        inspect) echo '--variant --try --dependencies --json --ssv' ;;
        check) echo "$system $supervised --strict --against --deviations --junit --json --mutate --scenario --settle" ;;
        graph) echo '--variant --out' ;;
        converge) echo "$system $supervised --scenario --settle --record --most" ;;
        compare) echo '--tol --absolute --time --map --only --bits --html' ;;
        swap) echo "$system $supervised --scenario --settle --map --propose --rest-of-old --write --new-step --new-set --transient --bode --at --record --out --most --json" ;;
        linearize) echo "${system/--input/--table} $supervised --scenario --settle --at --input --output --break --sine --points --amplitude --wait --out --json" ;;
        pack) echo '--machine --mapping --out' ;;
        view) echo '--video --video-rate --video-size --video-camera --overwrite --view --view-host --view-origin --view-page' ;;
        tele) echo '--from --key-file --view --view-host --view-origin --view-page' ;;
        can) echo '--dbc --interface --time --bit-rate --data-rate --out --overwrite' ;;
        topics) echo '--time' ;;
    esac
    echo '--help'
}

# _tandem_words WORD...: offers those that begin with what is typed.
_tandem_words() {
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current")
}

# _tandem_files EXTENSION...: offers files that end so, and folders.
_tandem_files() {
    local extension
    compopt -o filenames 2>/dev/null  # refused outside of a completion
    mapfile -t COMPREPLY < <(
        compgen -d -- "$current"
        for extension in "$@"; do compgen -f -X "!*.$extension" -- "$current"; done | sort -u
    )
}

_tandem() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _tandem_words "$_tandem_verbs --help --help-all --version"
        return
    fi
    case $previous in
        --algorithm) _tandem_words jacobi gauss-seidel; return ;;
        --hold) _tandem_words auto constant compensated linear; return ;;
        --implementation) _tandem_words cs me; return ;;
        --shadow) _tandem_words auto on off; return ;;
        --format) _tandem_words csv hdf5 mat mcap; return ;;
        --event-rows) _tandem_words on off; return ;;
        --variant) _tandem_files ssd; return ;;
        --machine) _tandem_files urdf; return ;;
        --mapping) _tandem_files xml; return ;;
        --input) [ "$verb" = linearize ] || _tandem_files csv; return ;;
        --table | --map | --propose) _tandem_files csv; return ;;
        --write) _tandem_files ssd; return ;;
        --html) _tandem_files html; return ;;
        --scenario) _tandem_files xml; return ;;
        --dbc) _tandem_files dbc; return ;;
        --can-log) _tandem_files log asc; return ;;
        --key-file) _tandem_files; return ;;
        --repeat | --trace) _tandem_files json; return ;;
        --out | -o)
            case $verb in
                graph) _tandem_files dot svg ;;
                pack) _tandem_files ssp fmu ;;
                can) _tandem_files log asc ;;
                *) _tandem_files ;;
            esac
            return
            ;;
        --start | --stop | --step | --tolerance | --set | --threads | --unit-timeout | --memory-limit | --record | --record-interval | --most | --tol | \
            --absolute | --time | --only | --replace | --new-step | --new-set | --transient | --bit-rate | --data-rate | --link | --from | \
            --at | --output | --break | --sine | --points | --amplitude | --wait | --bode) return ;;
    esac
    if [[ $current == -* ]]; then
        _tandem_words "$(_tandem_options "$verb")"
        return
    fi
    case $verb in
        run | inspect | check | graph | converge | swap | linearize) _tandem_files ssp ssd fmu ;;
        compare) _tandem_files csv h5 mat mcap ;;
        new) [ "$COMP_CWORD" -gt 2 ] || _tandem_words fmu system spec ;;
        pack) _tandem_files fmu ;;
        can) _tandem_files log asc ;;
        tele) _tandem_files xml ;;
    esac
}

complete -F _tandem tandem
