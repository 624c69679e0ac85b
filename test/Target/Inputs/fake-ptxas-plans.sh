#!/bin/sh
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands for ptxas: spills $FAKE_BYTES in each entry function of $FAKE_SPILLS whose head holds $FAKE_WHEN, and whose body $FAKE_BODY, but $FAKE_FEWER bytes where the body has $FAKE_LESS; with FAKE_CODE (C7512) it serialises the products of those, too.
. "$(dirname "$0")/fake-ptxas-arguments.sh"
for name in $FAKE_SPILLS; do
  bytes=0
  sed -n "/\.entry $name(/,/^{/p" "$input" | grep -q "$FAKE_WHEN" && sed -n "/\.entry $name(/,/^}/p" "$input" | grep -q "${FAKE_BODY:-entry}" && bytes=$FAKE_BYTES
  [ $bytes != 0 ] && [ -n "$FAKE_LESS" ] && sed -n "/\.entry $name(/,/^}/p" "$input" | grep -q "$FAKE_LESS" && bytes=$FAKE_FEWER
  echo "ptxas info    : Compiling entry function '$name' for 'sm_90a'"
  echo "ptxas info    : Function properties for $name"
  [ -n "$FAKE_CODE" ] && [ $bytes != 0 ] &&
    echo "ptxas info    : ($FAKE_CODE) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources in function '$name'"
  echo "    $bytes bytes stack frame, $bytes bytes spill stores, $bytes bytes spill loads"
  echo "ptxas info    : Used 128 registers, used 1 barriers"
done
