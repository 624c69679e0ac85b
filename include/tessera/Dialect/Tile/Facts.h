// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known about the numbers of a kernel: divisors and bounds of values, and the alignment of
// memrefs. Every question of legality is answered from here: may TMA fetch this tile, how wide may
// this access be.
//
// The launcher checks the sources of this knowledge, or the program promises them: argument facts
// (`tile.align`, `tile.size_divisible`, `tile.stride_divisible`, `tile.size_max`, `tile.divisible`,
// equal names in `tile.shape`), static extents, guards of a variant, and `tile.assume`. From these
// follow results of arithmetic (by own rules, and by upstream's InferIntRangeInterface for ranges)
// and values that regions yield. The answers are conservative: a divisor of 1 and the full range
// mean that nothing is known.
//
//   tile.kernel @k(%A: memref<?x?xbf16> {tile.align = 16 : i64,
//                                        tile.stride_divisible = array<i64: 8, 1>})
//   alignment(%A)              16
//   strideDivisibility(%A, 0)  8
//   sizeDivisibility(%A, 1)    8, because the layout is the identity: the row stride is the row
//   divisibility(%i)           128 for a coordinate of a grid from 0 in steps of 128
//
// The divisibility of a value is a number of which the value is a multiple; 0 means that the value
// is 0.

#ifndef TESSERA_DIALECT_TILE_FACTS_H
#define TESSERA_DIALECT_TILE_FACTS_H

#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

namespace tessera::tile {

/// An interval of integers, both ends included.
struct IntRange {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  bool fitsI32() const { return min >= INT32_MIN && max <= INT32_MAX; }
};

class Facts {
  struct Known {
    int64_t divisor = 1;
    IntRange range;
  };

public:
  explicit Facts(KernelOp kernel);

  /// While an object of this class lives, questions are answered for the place of `op`. There the
  /// promises of all blocks around `op` hold, for instance those of a branch of scf.if. Without it
  /// a promise holds only if it is in the block that defines its value.
  ///
  ///   scf.if %full {
  ///     tile.assume %n {divisible = 8} : index
  ///     %x = tile.load %X[%i, %n]      // Place(facts, load): divisibility(%n) is 8, else 1
  ///   }
  class Place {
  public:
    Place(Facts &facts, mlir::Operation *op);
    ~Place();
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;

  private:
    Facts &facts;
    llvm::DenseMap<mlir::Value, Known> promisesOutside, cacheOutside;
  };

  /// The divisor and the range of an index or integer value.
  int64_t divisibility(mlir::Value value);
  IntRange range(mlir::Value value);

  /// The alignment of the address of the memref's first element, in bytes.
  int64_t alignment(mlir::Value memref);
  /// Divisors and ranges of sizes and strides, in elements.
  int64_t sizeDivisibility(mlir::Value memref, unsigned dim);
  int64_t strideDivisibility(mlir::Value memref, unsigned dim);
  IntRange sizeRange(mlir::Value memref, unsigned dim);

  /// True if `value` is at least the memref's size along `dim` for all arguments, so that it limits
  /// nothing.
  bool coversSize(mlir::Value value, mlir::Value memref, unsigned dim);
  /// True if `value` is the memref's size along `dim`.
  bool isSize(mlir::Value value, mlir::Value memref, unsigned dim);
  /// True if the size of `memref` along `dim` is at most that of `other` along `otherDim`.
  bool isWithinSize(mlir::Value memref, unsigned dim, mlir::Value other, unsigned otherDim);

private:
  /// A size: a constant, the size of an argument (a class of equal sizes), or a value.
  struct Size {
    enum Kind { Constant, Argument, Dynamic, Unknown } kind = Unknown;
    int64_t number = 0;
    mlir::Value value;
  };

  Size sizeOf(mlir::Value memref, unsigned dim);
  Known know(const Size &size);
  Known know(mlir::Value value);
  Known knowEverywhere(mlir::Value value);
  Known compute(mlir::Value value);
  Known computeMerge(mlir::Value value);
  Known computeOp(mlir::Operation *op);
  Known computeArithmetic(mlir::Operation *op);
  Known evaluate(mlir::AffineExpr expr, llvm::ArrayRef<Known> operands, unsigned numDims);
  std::optional<unsigned> sizeClass(mlir::Value memref, unsigned dim);
  /// Records what follows from an i1 that is true.
  void learn(mlir::Value condition);
  void learn(mlir::arith::CmpIOp compare);
  void learnDivisor(mlir::Value value, int64_t divisor);
  void learnRange(mlir::Value value, IntRange range);
  Known *assumed(mlir::Value value);
  static void addPromise(Known &known, AssumeOp assume);
  /// Reduces `known` to values that satisfy both.
  static void limit(Known &known, const Known &promise);

  KernelOp kernel;
  /// Sizes of arguments that are equal share a class.
  llvm::SmallVector<Known> classes;
  llvm::SmallVector<llvm::SmallVector<unsigned>> classOfArg;
  llvm::StringMap<unsigned> classOfName;
  llvm::DenseMap<mlir::Value, Known> promises;
  /// Promises that hold in a part of the kernel only, and those that hold at the current place.
  llvm::SmallVector<AssumeOp> promisesOfParts;
  llvm::DenseMap<mlir::Value, Known> promisesHere;
  llvm::DenseMap<mlir::Value, Known> cacheHere;
  llvm::DenseMap<mlir::Value, Known> cache;
  /// While a question is being answered: values whose answer used one that is still in progress.
  llvm::DenseMap<mlir::Value, Known> provisional;
  llvm::SmallPtrSet<void *, 8> inProgress;
  bool metCycle = false;
  /// The depth of nested questions about what holds at a place.
  unsigned stepsHere = 0;
};

} // namespace tessera::tile

#endif
