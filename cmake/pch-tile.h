// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sources that use the dialect tile include. Its ops are half a megabyte of generated code.
#include "pch.h"
#include "tessera/Dialect/Tile/Tile.h"
