// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conversions between Tessera's dialects and to upstream's. The documentation of each pass is in
// Passes.td.
#ifndef TESSERA_CONVERSION_PASSES_H
#define TESSERA_CONVERSION_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "tessera/Dialect/Tile/Tile.h"

namespace tessera {
#define GEN_PASS_DECL
#include "tessera/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

#endif
