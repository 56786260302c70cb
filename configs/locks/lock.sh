#!/usr/bin/env bash
# Writes the hashed locks again from pyproject.toml: configs/locks/lock.sh [--upgrade]
# The package index is whatever the user's uv is configured to use; no index enters the files.
#   app.txt        what the appliance runs on            dev.txt    the same and the test tools
#   llama.txt      the sdist that install.sh compiles    build.txt  what compiles it, CMake and pip included
#   bootstrap.txt  uv itself, for machines without it
set -euo pipefail
cd "$(dirname "$0")/../.."
locks=configs/locks
export UV_CUSTOM_COMPILE_COMMAND="configs/locks/lock.sh"

compile() { # OUTPUT uv-arguments… : universal, so one lock serves every Python from 3.11 on
    local output=$1
    shift
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
        --no-annotate -o "$locks/$output" "$@"
}

compile app.txt pyproject.toml --no-emit-package llama-cpp-python "${@}"
compile dev.txt pyproject.toml --extra dev --no-emit-package llama-cpp-python -c "$locks/app.txt" "${@}"
grep -o '^ *"llama-cpp-python==[^"]*"' pyproject.toml | tr -d ' "' | compile llama.txt - --no-deps "${@}"
printf '%s\n' 'scikit-build-core[pyproject]' ninja cmake pip | compile build.txt - "${@}"
echo uv | compile bootstrap.txt - "${@}"
