// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of tile.take, tile.pack, tile.unpack and tile.print that ops of the dialect cta
// share. Each reports an error at the op and fails if a constraint does not hold.
#ifndef TESSERA_DIALECT_TILE_TAKERULES_H
#define TESSERA_DIALECT_TILE_TAKERULES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tessera::tile {

/// `take_c1` to `take_c4`: result[…] is source[…] with the coordinates along `dims` replaced by
/// indices. Shapes are those of tiles, so that the source may be a shared tile.
struct TakeShape {
  llvm::ArrayRef<int64_t> source;
  mlir::Type element;
  llvm::ArrayRef<int64_t> dims;
  llvm::SmallVector<mlir::RankedTensorType> indices;
  mlir::RankedTensorType result;
};
llvm::LogicalResult verifyTake(mlir::Operation *op, const TakeShape &take);

/// The number of elements of type `narrow` in one of type `wide`; with `bits`, elements of that
/// many bits in a byte. 0 if there is no such number.
int64_t packFactor(mlir::Type wide, mlir::Type narrow, std::optional<int64_t> bits);

/// Constraints 1 to 3 of `tile.pack` and `tile.unpack`; `name` is the op's in messages.
llvm::LogicalResult verifyPack(mlir::Operation *op, llvm::StringRef name,
                               mlir::RankedTensorType wide, mlir::RankedTensorType narrow,
                               std::optional<int64_t> bits);

/// `print_c1` and `print_c2`; the type is that of a scalar or, with the shape, of an element.
llvm::LogicalResult verifyPrint(mlir::Operation *op, llvm::StringRef message, mlir::Type element,
                                llvm::ArrayRef<int64_t> shape);

/// The format of one line of `tile.print`, for printf: the message, then `coords` numbers in
/// brackets, `rank` ones in parentheses, then the value. All integers are of 64 bits, all floats
/// f64.
std::string printFormat(llvm::StringRef message, unsigned coords, unsigned rank,
                        mlir::Type element);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_TAKERULES_H
