# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Read by scripts that stand for ptxas: answers --version, makes the output (empty), and sets $input to the PTX.
if [ "$1" = --version ]; then
  echo "Cuda compilation tools, release 13.0, V13.0.88"
  exit 0
fi
for word; do
  [ "$last" = -o ] && : >"$word"
  case $word in *.ptx) input=$word ;; esac
  last=$word
done
