// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of MLIR code include.
#include "pch-cta.h"
#include <gtest/gtest.h>
