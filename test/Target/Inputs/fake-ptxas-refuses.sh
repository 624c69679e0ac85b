#!/bin/sh
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands for ptxas: refuses the first entry function whose name matches $FAKE_REFUSES, and spills 64 bytes in those that match $FAKE_SPILLS.
. "$(dirname "$0")/fake-ptxas-arguments.sh"
names=$(sed -n 's/.*\.entry \([A-Za-z0-9_]*\).*/\1/p' "$input")
for name in $names; do
  bytes=0
  if [ -n "$FAKE_REFUSES" ] && echo "$name" | grep -q "$FAKE_REFUSES"; then
    echo "ptxas error   : Entry function '$name' uses too much shared data (0x40000 bytes, 0x38c00 max)"
    exit 255
  fi
  [ -n "$FAKE_SPILLS" ] && echo "$name" | grep -q "$FAKE_SPILLS" && bytes=64
  echo "ptxas info    : Compiling entry function '$name' for 'sm_90a'"
  echo "ptxas info    : Function properties for $name"
  echo "    $bytes bytes stack frame, $bytes bytes spill stores, $bytes bytes spill loads"
  echo "ptxas info    : Used 128 registers, used 1 barriers"
done
