#!/bin/sh
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Interesting (exit code 1) is what tile-opt takes and has a product in it.
tile-opt "$1" | grep -q tile.mma && exit 1
exit 0
