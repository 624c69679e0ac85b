#!/usr/bin/env bash
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what building and testing Tessera needs on Debian 12: LLVM/MLIR and tools from apt, and a
# virtual environment .venv with numpy and NVIDIA's ptxas. It may be run again: what is installed
# already is left alone. It needs root or sudo only if a package is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/versions.env"

say() { echo "bootstrap: $*"; }
die() { echo "bootstrap: error: $*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "installing packages needs root or sudo: $*"
  fi
}

# The version of a package without epoch, or nothing.
installed_version() {
  dpkg-query -W -f='${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
    sed -n 's/^installed \([0-9]*:\)\{0,1\}//p' | head -n 1
}

install_packages() {
  command -v dpkg-query >/dev/null || die "this script knows Debian only; see versions.env for what is needed"
  local missing=()
  for package in $LLVM_PACKAGES $TOOL_PACKAGES; do
    [ -n "$(installed_version "$package")" ] || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    say "installing ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" ||
      die "apt-get could not install ${missing[*]}; LLVM $LLVM_MAJOR comes from Debian 12's security archive or apt.llvm.org"
  fi
}

check_versions() {
  local package version
  for package in $LLVM_PACKAGES; do
    version=$(installed_version "$package")
    [ -n "$version" ] || die "$package is not installed"
    case $version in
      "$LLVM_PREFIX"|"$LLVM_PREFIX"[!0-9]*) ;;
      *) die "$package is version $version, Tessera is pinned to $LLVM_PREFIX (scripts/versions.env): 'apt-get install $package' or change the pin" ;;
    esac
  done
  local cmake_version
  cmake_version=$(cmake --version | sed -n '1s/^cmake version //p')
  [ "$(printf '%s\n' "$CMAKE_MINIMUM" "$cmake_version" | sort -V | head -n 1)" = "$CMAKE_MINIMUM" ] ||
    die "cmake is $cmake_version, at least $CMAKE_MINIMUM is needed"
}

make_venv() {
  local stamp="$root/.venv/tessera-stamp" want="$PYTHON_PACKAGES $CUDA_WHEELS"
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then return; fi
  say "making $root/.venv"
  # The distribution's Python, or if there is none, python3 on PATH.
  local python=/usr/bin/python3
  [ -x "$python" ] || python=python3
  [ -x "$root/.venv/bin/python" ] || "$python" -m venv "$root/.venv"
  # shellcheck disable=SC2086
  "$root/.venv/bin/python" -m pip install --quiet --disable-pip-version-check $PYTHON_PACKAGES $CUDA_WHEELS
  # The wheels install their programs where PATH does not find them, so they are linked.
  local tool found
  for tool in ptxas nvdisasm cuobjdump; do
    found=$(find "$root/.venv/lib" -path "*/bin/$tool" -type f | head -n 1)
    [ -n "$found" ] || die "the CUDA wheels hold no $tool"
    chmod +x "$found"
    ln -sf "$found" "$root/.venv/bin/$tool"
  done
  # This is not piped into grep -q, which ends at the first match, so that ptxas would sometimes end by SIGPIPE.
  local version
  version=$("$root/.venv/bin/ptxas" --version)
  [[ $version == *"V$PTXAS_VERSION"* ]] || die "ptxas of the wheel is not $PTXAS_VERSION: $version"
  echo "$want" >"$stamp"
}

install_packages
check_versions
make_venv
say "ready (LLVM $LLVM_PREFIX, ptxas $PTXAS_VERSION)"
