// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sources that use the dialect cta include. Its ops are a megabyte of generated code.
#include "pch-tile.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
