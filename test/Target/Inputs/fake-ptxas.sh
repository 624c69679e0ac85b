#!/bin/sh
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands for ptxas: prints the log that FAKE_LOG names, writes an empty cubin, exits with FAKE_STATUS.
if [ "$1" = --version ]; then
  echo "Cuda compilation tools, release 13.0, V13.0.88"
  exit 0
fi
cat "$FAKE_LOG"
for word; do
  [ "$last" = -o ] && : >"$word"
  last=$word
done
exit "${FAKE_STATUS:-0}"
