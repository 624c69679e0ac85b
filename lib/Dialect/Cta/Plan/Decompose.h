// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-decompose as a function, for passes that decompose a copy of a kernel to see the result.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_DECOMPOSE_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_DECOMPOSE_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

mlir::LogicalResult decompose(tile::KernelOp kernel);

/// Copies of a scan: as it is, of parts, or exclusive.
enum class ScanForm { Same, Partial, Exclusive };
ScanOp cloneScan(mlir::OpBuilder &b, ScanOp op, mlir::TypeRange scanned, mlir::TypeRange totals,
                 mlir::ValueRange inputs, mlir::ValueRange carries, ScanForm form);
/// Replaces a scan along a dimension that several warps share. The layout has an order.
void scanAcrossWarps(ScanOp op);

} // namespace tessera::cta

#endif
