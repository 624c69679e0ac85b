// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which matrix products the tensor cores can compute, and with how many warpgroups.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_PRODUCTS_H
#define TESSERA_DIALECT_CTA_ANALYSIS_PRODUCTS_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Layout/RegisterForms.h"

#include <optional>
#include <string>

namespace tessera::cta {

/// A matrix product as wgmma sees it: tiles of M x K and K x N, the result M x N. Rank 3 has a
/// leading batch dimension.
struct Product {
  llvm::ArrayRef<int64_t> a, b;
  mlir::Type element, elementB, result;
  bool allowsTf32 = false;

  Product() = default;
  explicit Product(tile::MmaOp op);
  explicit Product(MmaOp op);
  int64_t m() const { return a[a.size() - 2]; }
  int64_t n() const { return b[b.size() - 1]; }
  int64_t k() const { return a[a.size() - 1]; }
  /// K of one instruction; 0 if the tensor cores do not take these types.
  int64_t stepK() const;
  /// N of one instruction that computes all columns.
  int64_t stepN() const;
  /// The dimension of the result that `warpgroups` warpgroups share; -1 if they cannot.
  int split(int64_t warpgroups) const { return layout::wgmmaSplit(m(), n(), warpgroups); }
};

/// The reason why wgmma cannot compute the product with that many warpgroups, and what
/// to change; nothing if they can.
std::optional<std::string> whyNotWgmma(const Product &product, int64_t warpgroups);

/// The reason why mma.sync does not compute the product with that many warpgroups, which it does
/// for f64; nothing if it does.
std::optional<std::string> whyNotMmaSync(const Product &product, int64_t warpgroups);

/// True if the op is, or contains, a product of the tensor cores.
bool hasProducts(mlir::Operation *op);

/// True if the op contains a product of matrices, whatever computes it: the tensor cores or
/// threads.
bool multipliesMatrices(mlir::Operation *op);

/// The number of warpgroups for a kernel at L0 that does not give it. With products for the tensor
/// cores it is the largest of 1, 2, 3 that divides the rows of all of them into multiples of 64; if
/// possible, such that no thread has more than 128 accumulators. Without such products it is 1, 2
/// or 4, so that a thread has about 32 elements of the largest tile, or 64 if that tile is reduced
/// to less than one element for each warp.
int64_t chooseWarpgroups(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
