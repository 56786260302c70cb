#!/usr/bin/env bash
# Assay from a bare machine with Python 3.11 or newer: ./install.sh --help
# Package indexes are those that the user's own uv and pip are configured for; none is named here.
set -Eeuo pipefail
trap 'echo "error: install.sh stopped at line $LINENO: $BASH_COMMAND" >&2' ERR

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
locks=$repository/configs/locks
weights=$repository/models/weights
cache=${ASSAY_CACHE:-$HOME/.cache/assay}
prefix=$repository
models=""
from=""
bundle=""
offline=() # arguments of pip and uv where --from is given
action=install
ggml_features="avx2 fma f16c bmi2 avx512 avx512_vnni avx512_vbmi avx512_bf16"
export UV_PYTHON_DOWNLOADS=never UV_NO_PROGRESS=1 PIP_DISABLE_PIP_VERSION_CHECK=1
unset VIRTUAL_ENV PYTHONPATH PYTHONHOME

usage() {
    cat <<'TEXT'
Usage: ./install.sh [options]
  --demo                       install, load the sample library, ask it a three-hop question
  --test                       install with the test tools and the small models, run the test suite
  --models none|small|default  model weights to fetch (default: 1.3 GB, small: 0.7 GB)
  --from DIR                   take packages and models from DIR only; no network
  --bundle DIR                 install, then fill DIR for --from on machines of this kind
  --prefix DIR                 put the virtual environment in DIR/.venv (default: this folder)
  --help                       this text
A second run takes seconds and downloads nothing. ASSAY_CACHE (~/.cache/assay) keeps what was built or fetched.
TEXT
}

say() { printf '[%3ds] %s\n' "$SECONDS" "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
wrong_usage() { printf 'error: %s; ./install.sh --help lists the options\n' "$*" >&2; exit 2; }

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
            --demo | --test) action=${1#--} ;;
            --models | --from | --bundle | --prefix)
                [ -n "${2:-}" ] || wrong_usage "$1 needs a value"
                printf -v "${1#--}" %s "$2"
                shift
                ;;
            --help | -h) usage && exit 0 ;;
            *) wrong_usage "unknown option $1" ;;
        esac
        shift
    done
    [[ $models =~ ^(none|small|default|)$ ]] || wrong_usage "--models is none, small or default"
    [ "$action" = demo ] && [ "${models:-default}" != default ] && wrong_usage "--demo needs --models default"
    if [ -n "$from" ]; then
        [ -d "$from" ] || wrong_usage "--from $from: no such folder"
        [ -z "$bundle" ] || wrong_usage "--from and --bundle exclude each other"
        from=$(cd "$from" && pwd)
        offline=(--no-index --find-links "$from/wheels")
    fi
}

received_bytes() { # by every interface but loopback since boot
    awk 'NR > 2 && $1 != "lo:" { sum += $2 } END { printf "%.0f", sum }' /proc/net/dev 2>/dev/null || echo 0
}

find_python() {
    local candidate
    for candidate in python3.11 python3.12 python3.13 python3 python3.14; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            python=$("$candidate" -c 'import sys; print(sys.executable)')
            return
        fi
    done
    fail "no Python 3.11 or newer found (python3 is: $(python3 --version 2>&1 | head -n1)); on Debian/Ubuntu: apt install python3 python3-venv"
}

require_disk() { # FOLDER MEGABYTES
    local free
    free=$(df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }')
    [ "$free" -ge "$2" ] || fail "too little disk at $1: $free MB free, $2 MB needed; free some space or choose --prefix DIR"
}

cpu_features() { # those that the llama.cpp build can use, as ggml calls them; never AMX, which crashes
    local flags feature needs found=()
    flags=" $(grep -m1 '^flags' /proc/cpuinfo 2>/dev/null | cut -d: -f2-) "
    for feature in $ggml_features; do
        needs=${feature/#avx512_vbmi/avx512vbmi} # the kernel's names
        [ "$feature" != avx512 ] || needs="avx512f avx512cd avx512vl avx512dq avx512bw"
        for needs in $needs; do [[ $flags == *" $needs "* ]] || continue 2; done
        found+=("$feature")
    done
    echo "${found[*]:-}"
}

cmake_flags() { # FEATURES in one word
    local feature flags=-DGGML_NATIVE=OFF state
    for feature in $ggml_features; do
        [[ " $1 " == *" $feature "* ]] && state=ON || state=OFF
        flags+=" -DGGML_${feature^^}=$state"
    done
    echo "$flags"
}

logged() { # WHAT COMMAND… : quiet unless it fails; then one line that says why
    local what=$1
    shift
    "$@" >"$work/log" 2>&1 || {
        mv "$work/log" "$cache/last-failure.log"
        fail "$what: $(reason_of "$cache/last-failure.log") (all of it: $cache/last-failure.log)"
    }
}

reason_of() { # LOG
    if grep -qi 'no space left' "$1"; then
        echo "the disk is full; free some space and run again"
    elif grep -qiE 'hash mismatch|do not match the hashes|bad zip|corrupt|crc' "$1"; then
        echo "a damaged download; run again, it is fetched anew"
    elif [ -n "$from" ] && grep -qiE 'not found|no matching|no solution|could not find' "$1"; then
        echo "$from/wheels lacks a package; fill it again with ./install.sh --bundle DIR"
    elif grep -qiE 'dns error|name resolution|lookup address|connect|timed out|network|unreachable|failed to fetch|could not find a version' "$1"; then
        echo "no network, or no package index answers; check the index setting of uv and pip, or use --from DIR"
    else
        grep -iE 'error' "$1" | tail -n1 || tail -n1 "$1"
    fi
}

find_uv() { # sets $uv; brings it into the cache where there is none
    uv=$(command -v uv || true)
    [ -z "$uv" ] && [ -x "$cache/uv/bin/uv" ] && uv=$cache/uv/bin/uv
    if [ -z "$uv" ]; then
        say "bringing uv"
        "$python" -c 'import ensurepip' 2>/dev/null || fail "$python has no venv module; on Debian/Ubuntu: apt install python3-venv"
        rm -rf "$cache/uv"
        logged "making an environment for uv" "$python" -m venv "$cache/uv"
        logged "installing uv" "$cache/uv/bin/python" -m pip install --require-hashes "${offline[@]}" -r "$locks/bootstrap.txt"
        uv=$cache/uv/bin/uv
    fi
    [ -n "$from${UV_DEFAULT_INDEX:-}${UV_INDEX_URL:-}" ] || # a site's pip index serves uv too
        ! UV_DEFAULT_INDEX=$("$python" -m pip config get global.index-url 2>/dev/null) || export UV_DEFAULT_INDEX
}

locate_llama() { # sets $llama_wheel; empty: it has to be compiled
    local version features key place
    version=$(sed -n 's/^llama-cpp-python==\([^ ]*\).*/\1/p' "$locks/llama.txt")
    features=$(cpu_features)
    key=$version-$(uname -m)${features:+-${features// /-}}-$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
    llama_cache=$cache/wheels/$key
    llama_flags=$(cmake_flags "$features")
    for place in "$llama_cache" ${from:+"$from/wheels/llama/$key"}; do
        for llama_wheel in "$place"/llama_cpp_python-*.whl; do [ ! -e "$llama_wheel" ] || return 0; done
    done
    llama_wheel=""
    [ -z "$from" ] || fail "$from/wheels/llama has no $key; fill it on a machine with this processor: ./install.sh --bundle DIR"
}

compile_llama() {
    say "compiling llama-cpp-python (5 to 15 minutes, once per machine)"
    "$uv" venv --quiet --python "$python" "$work/build"
    logged "fetching the build tools" "$uv" pip install --python "$work/build" --require-hashes -r "$locks/build.txt"
    PATH=$work/build/bin:$PATH CMAKE_ARGS=$llama_flags CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) \
        logged "compiling llama-cpp-python" "$work/build/bin/python" -m pip wheel --no-deps --no-cache-dir \
        --no-build-isolation --require-hashes -r "$locks/llama.txt" --wheel-dir "$work/wheel"
    mkdir -p "$llama_cache"
    llama_wheel=$llama_cache/$(basename "$work"/wheel/*.whl)
    cp "$work"/wheel/*.whl "$llama_wheel.new" && mv "$llama_wheel.new" "$llama_wheel"
}

install_packages() { # nothing to do where the stamp says that these very locks are in place
    local lock=app.txt stamp
    [ "$action" != test ] && [ ! -e "$venv/.assay-dev" ] && [ -z "$bundle" ] || lock=dev.txt
    stamp="$(cat "$locks/$lock" "$locks/llama.txt" "$repository/pyproject.toml" | sha256sum | cut -c1-64) $llama_cache $repository"
    if [ "$(cat "$venv/.assay-stamp" 2>/dev/null)" = "$stamp" ] && "$venv/bin/python" -c '' 2>/dev/null; then
        say "packages are in place"
        return
    fi
    require_disk "$prefix" 1500
    if [ -z "$llama_wheel" ]; then
        require_disk "$cache" 1500
        command -v cc c++ | grep -q c++ || fail "no C++ compiler; on Debian/Ubuntu: apt install g++"
    fi
    find_uv
    rm -f "$venv/.assay-stamp"
    if ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        [ ! -e "$venv" ] || [ -e "$venv/pyvenv.cfg" ] || fail "$venv exists and is not a virtual environment"
        rm -rf "$venv"
        logged "making $venv" "$uv" venv --python "$python" "$venv"
    fi
    say "installing $(grep -c '^[a-z0-9].*==' "$locks/$lock") locked packages"
    logged "installing packages" "$uv" pip sync --python "$venv/bin/python" --require-hashes "${offline[@]}" "$locks/$lock"
    [ -n "$llama_wheel" ] || compile_llama
    logged "installing llama-cpp-python" "$uv" pip install --python "$venv" --no-deps "$llama_wheel"
    logged "installing assay" "$uv" pip install --python "$venv" --no-deps --no-build-isolation -e "$repository"
    [ "$lock" = app.txt ] || touch "$venv/.assay-dev"
    printf '%s' "$stamp" >"$venv/.assay-stamp"
}

fetch_models() { # TARGET SET…
    say "models: ${*:2}"
    (cd "$repository" && "$venv/bin/python" -m models.fetch --to "$1" --set "${@:2}" ${from:+--from "$from"}) || exit 1
}

fill_bundle() {
    local lock
    say "filling $bundle"
    mkdir -p "$bundle/wheels/llama" "$bundle/models" || exit 1
    bundle=$(cd "$bundle" && pwd)
    for lock in dev bootstrap; do
        logged "fetching packages" "$venv/bin/python" -m pip download --no-deps --require-hashes \
            -r "$locks/$lock.txt" --dest "$bundle/wheels"
    done
    cp -r "$llama_cache" "$bundle/wheels/llama/"
    fetch_models "$bundle/models" "$@"
}

run_doctor() { # with the language model that was installed
    if [ ! -e "$weights/qwen2.5-coder-1.5b-instruct/model.gguf" ] && [ "$models" != none ]; then
        export ASSAY__LLM__MODEL=${ASSAY__LLM__MODEL:-qwen2.5-coder-0.5b-instruct}
        say "the small language model is in use: keep ASSAY__LLM__MODEL=$ASSAY__LLM__MODEL, or set llm.model"
    fi
    "$venv/bin/assay" doctor || [ "$models" = none ] || fail "assay doctor found a fault, see above"
}

main() {
    parse_options "$@"
    mkdir -p "$cache" "$prefix" || fail "$cache or $prefix cannot be written"
    cache=$(cd "$cache" && pwd) prefix=$(cd "$prefix" && pwd)
    export ASSAY_CACHE=$cache
    venv=$prefix/.venv
    work=$(mktemp -d "$cache/work-XXXXXX")
    trap 'rm -rf "$work"' EXIT
    local received sets=("${models:-default}")
    received=$(received_bytes)
    [ "$action" != test ] || sets=(test ${models:+"$models"})
    find_python
    locate_llama
    install_packages
    fetch_models "$weights" "${sets[@]}"
    [ -z "$bundle" ] || fill_bundle "${sets[@]}"
    run_doctor
    say "installed in ${SECONDS} s; $((($(received_bytes) - received) / 1000000)) MB received over the network meanwhile"
    cd "$repository"
    case $action in
        demo) "$venv/bin/assay" demo || exit $? ;;
        test) "$venv/bin/python" -m pytest -q -m "not gpu and not bench" || exit $? ;;
        install) say "next: $venv/bin/assay init" ;;
    esac
}

main "$@"
