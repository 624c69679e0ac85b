// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which matrix products the tensor cores can do, and for how many warpgroups.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PRODUCTS_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PRODUCTS_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <string>

namespace tessera::cta {

/// A product as wgmma sees it: tiles of M x K and K x N, the result M x N (rank 3: a batch in
/// front).
struct Product {
  llvm::ArrayRef<int64_t> a, b;
  mlir::Type element, result;
  bool hasPrecision = false, hasUnsigned = false;

  explicit Product(tile::MmaOp op);
  explicit Product(MmaOp op);
  int64_t m() const { return a[a.size() - 2]; }
  int64_t n() const { return b[b.size() - 1]; }
  int64_t k() const { return a[a.size() - 1]; }
  /// The dimension that so many warpgroups share; -1: they cannot.
  int split(int64_t warpgroups) const { return layout::wgmmaSplit(m(), n(), warpgroups); }
};

/// Why the tensor cores cannot do the product with so many warpgroups, and what to change; nothing
/// if they can.
std::optional<std::string> whyNotWgmma(const Product &product, int64_t warpgroups);

/// Whether it is, or holds, a product of the tensor cores.
bool hasProducts(mlir::Operation *op);

/// The loop over points, with products, of a persistent launch; without one an error that begins
/// with what it is for.
mlir::FailureOr<mlir::scf::ForOp> loopOverPoints(LaunchOp launch, const llvm::Twine &purpose);

/// The number of warpgroups of a block for a kernel at L0 that does not say it. With products for
/// the tensor cores: the largest of 1, 2, 3 that splits the rows of all of them into 64s, if
/// possible such that no thread has more than 128 accumulators. Without: 1, 2 or 4 so that a thread
/// has about 32 elements of the largest tile, 64 if that is reduced to less than an element a warp.
int64_t chooseWarpgroups(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
