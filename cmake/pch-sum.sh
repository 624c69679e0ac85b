#!/bin/sh
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a compiler: pch-sum.sh COMPILER ARGUMENTS. Where it makes FILE.pch, FILE.pch.sum is the sum of all headers in it. ccache takes that for the
# precompiled header (pch_external_checksum), which has 200 megabytes, and paths of this tree; and so does this script for the one below.
"$@" || exit
while [ $# -gt 1 ]; do
  case $1 in
    -o) out=$2 ;;
    -MF) deps=$2 ;;
  esac
  shift
done
case $out in
  *.pch | *.gch) sed -e 's/^[^:]*://' -e 's/\\$//' "$deps" | xargs -n 1 | sed 's/[.]pch$/&.sum/' | xargs cat | sha256sum >"$out.sum" ;;
esac
