// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builders for programs that write tile programs in C++ (docs/Embedding.md): what a line of text
// says is one call, and what is optional there is set by its name.
//
//   tile::buildKernel(b, loc, "scale", {{"x", memref, {"N"}}}, [&](OpBuilder &b, ValueRange args) {
//     Value n = tile::buildDim(b, loc, "N");
//     tile::buildGrid(b, loc, {n}, {1024}, [&](OpBuilder &b, ValueRange at) {
//       Value a = tile::buildLoad(b, loc, tileType, args[0], at, Box().pad(Pad::NegInf));
//       tile::buildStore(b, loc, arith::AddFOp::create(b, loc, a, a), args[0], at);
//     });
//   });
#ifndef TESSERA_DIALECT_TILE_BUILDERS_H
#define TESSERA_DIALECT_TILE_BUILDERS_H

#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <string>

namespace tessera::tile {

/// An argument of a kernel: its name, its type, and names of its sizes for `tile.shape`; an empty
/// name leaves a size without one. Scalars, and memrefs of whose sizes none has a name, give none.
struct KernelArgument {
  std::string name;
  mlir::Type type;
  std::vector<std::string> shape;
};

/// What is optional in `tile.load` and `tile.store`. The defaults are those of the text.
class Box {
public:
  /// The memref dimension of each tile dimension.
  Box &dims(llvm::ArrayRef<int64_t> list) { return ofDims.assign(list.begin(), list.end()), *this; }
  /// An exclusive bound for each tile dimension; null for none.
  Box &limit(llvm::ArrayRef<mlir::Value> list) {
    return ofLimits.assign(list.begin(), list.end()), *this;
  }
  /// A tile of i1 over some dimensions of the tile; without `on`, over all.
  Box &mask(mlir::Value tile, std::optional<llvm::SmallVector<int64_t>> on = std::nullopt) {
    return ofMask = tile, maskDims = std::move(on), *this;
  }
  /// What a load gives where nothing is accessed.
  Box &pad(Pad word) { return padWord = word, *this; }
  Box &pad(mlir::TypedAttr literal) { return padLiteral = literal, *this; }
  /// Hints and demands.
  Box &stages(int64_t number) { return lookahead = number, *this; }
  Box &cache(Cache hint) { return ofCache = hint, *this; }
  Box &require(llvm::ArrayRef<Requirement> list) {
    return demands.assign(list.begin(), list.end()), *this;
  }

private:
  friend mlir::Value buildLoad(mlir::OpBuilder &, mlir::Location, mlir::RankedTensorType,
                               mlir::Value, mlir::ValueRange, const Box &);
  friend StoreOp buildStore(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value,
                            mlir::ValueRange, const Box &);
  template <typename Op>
  void apply(mlir::OpBuilder &b, Op op, int64_t rank) const;

  llvm::SmallVector<int64_t> ofDims;
  llvm::SmallVector<mlir::Value> ofLimits;
  mlir::Value ofMask;
  std::optional<llvm::SmallVector<int64_t>> maskDims;
  std::optional<Pad> padWord;
  mlir::TypedAttr padLiteral;
  std::optional<int64_t> lookahead;
  std::optional<Cache> ofCache;
  llvm::SmallVector<Requirement> demands;
};

/// A body gets a builder that inserts into it, and the values that it begins with: the arguments of
/// a kernel, the coordinates of a grid.
using BodyBuilder = std::function<void(mlir::OpBuilder &, mlir::ValueRange)>;

/// A kernel, with `tile.return` after the body.
KernelOp buildKernel(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
                     llvm::ArrayRef<KernelArgument> arguments, const BodyBuilder &body);
/// `tile.dim`: the size with that name.
mlir::Value buildDim(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name);
/// A grid from 0 to `upper`; `upper` and `step` have one entry for each dimension.
GridOp buildGrid(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::OpFoldResult> upper,
                 llvm::ArrayRef<int64_t> step, const BodyBuilder &body);
mlir::Value buildLoad(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type,
                      mlir::Value memref, mlir::ValueRange coords, const Box &box = {});
StoreOp buildStore(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile, mlir::Value memref,
                   mlir::ValueRange coords, const Box &box = {});
/// `lhs · rhs + sum`, of the type of `sum`.
mlir::Value buildMma(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs,
                     mlir::Value sum);
/// A tile with the same number everywhere.
mlir::Value buildSplat(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type,
                       double value);

} // namespace tessera::tile

#endif
