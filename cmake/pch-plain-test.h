// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of code without LLVM include.
#include "pch-plain.h"
#include <gtest/gtest.h>
#include <random>
