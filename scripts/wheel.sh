#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the wheel of the Python package from the libraries of a build, installs it in a clean virtual environment and tries it
# there: scripts/wheel.sh [BUILD]. BUILD is build/release if it is not given. The wheel goes to BUILD/wheel. pip gets what it needs
# (scikit-build-core, NumPy, NVIDIA's wheel with ptxas) from the package index.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
die() { echo "wheel: error: $*" >&2; exit 1; }
for name in tessera tessera_runtime; do
  [ -e "$build/lib/lib$name.so" ] || die "there is no $build/lib/lib$name.so: ninja -C $build $name"
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/make"
"$scratch/make/bin/pip" install --quiet --disable-pip-version-check --upgrade pip
rm -rf "$build/wheel"
"$scratch/make/bin/pip" wheel --quiet --no-deps --wheel-dir "$build/wheel" "$root" \
  -C "cmake.define.TESSERA_LIBRARY_DIR=$build/lib" -C "build-dir=$scratch/build"
wheel=$(ls "$build"/wheel/*.whl)

python3 -m venv "$scratch/try"
"$scratch/try/bin/pip" install --quiet --disable-pip-version-check "$wheel" numpy ml_dtypes
# Not from the source tree, and without the programs of a toolkit in PATH: ptxas is that of NVIDIA's wheel.
cd "$scratch"
env -u PYTHONPATH -u TESSERA_LIBRARY_DIR PATH=/usr/bin:/bin TESSERA_CACHE_DIR="$scratch/cache" \
  "$scratch/try/bin/python" "$root/test/Python/Inputs/wheel.py" "$root"
echo "wheel: $wheel, $(stat -c %s "$wheel") bytes"
