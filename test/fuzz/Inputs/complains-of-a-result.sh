#!/bin/sh
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if tr -d '\n' < "$1" | grep -q 'return.*%r#2'; then
  echo "seed 0: the compiler dies of signal 6; to see it: --print --count=1 --seed=0" >&2
  exit 1
fi
