// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a tile in global memory, as registers of a layout: where each lies and whether it
// is inside. Addresses are one pointer per thread and row plus constants. Bounds become a range per
// tile dimension.

#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_GLOBALACCESS_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_GLOBALACCESS_H

#include "Lowering.h"

#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

namespace tessera::nvvm {

/// Null is true.
bool isTrue(Value condition);

/// The description of a load, a store or a copy, and the tile that it moves.
class Access {
public:
  template <typename Op>
  Access(Lowering &f, Op op, Value memref, mlir::RankedTensorType type)
      : f(f), memref(memref), memrefType(llvm::cast<mlir::MemRefType>(memref.getType())),
        type(type), element(f.memoryType(type.getElementType())),
        bytes(tile::elementBytes(type.getElementType())), index(f, type), dims(op.getDims()) {
    const tile::AccessParts parts = tile::partsOf(op, memref);
    for (int64_t m = 0, rank = memrefType.getRank(); m < rank; ++m)
      coords.push_back(parts.coordOf(m));
    for (int d = 0; d < index.rank(); ++d)
      limits.push_back(op.getLimit(d));
    llvm::ArrayRef<int64_t> maskDims;
    if constexpr (!std::is_same_v<Op, cta::CopyOp>) {
      maskDims = op.getMaskDims();
      if (Value mask = op.getMask())
        readMask(op, mask, maskDims);
    }
    for (auto [number, tile] : llvm::enumerate(parts.indices))
      readIndex(
          op, tile, parts.indexed[number],
          parts.indexDims(static_cast<unsigned>(number), static_cast<unsigned>(index.rank())));
    chooseVector(static_cast<int64_t>(op.getVector().value_or(1)), maskDims);
    const tile::Facts::Place place(f.facts, op);
    prepareBounds();
  }

  /// Calls `one(firstRegister, count, predicate, pointer, byteOffset)` for each vector of each
  /// path. A null predicate is true. The paths yield what `finish` returns.
  Values emit(mlir::TypeRange results, llvm::function_ref<void()> begin,
              llvm::function_ref<void(int64_t, int64_t, Value, Value, int64_t)> one,
              llvm::function_ref<Values()> finish);

  /// The same on one path only, with a predicate for every access; by whole vectors if no bound may
  /// cut one, else by single elements.
  void emitBounded(llvm::function_ref<void(int64_t, int64_t, Value, Value, int64_t)> one) {
    accesses(isTrue(aligned) ? vector : 1, /*bounded=*/true, one);
  }

  /// Where the elements of the memref are instead: the address of the first one in shared memory,
  /// and the bytes from one coordinate to the next in each dimension (i32; null: the image does not
  /// have the dimension, in which all accesses have the same coordinate).
  struct Image {
    Value base;
    Values strides;
  };
  /// Addresses are those of the image from now on. It has less than 2^31 elements.
  void redirect(Image to);

  /// Registers of one access.
  int64_t vectorElements() const { return vector; }
  int64_t elementBytes() const { return bytes; }
  bool isDead(int64_t reg) { return index.deadEverywhere(reg); }
  /// Makes pointers and strides opaque to LLVM from here on. Then it computes the addresses of all
  /// rows where they are used, and keeps none of them over a loop.
  void hideAddresses() { hidden = true; }
  /// Begins another path: nothing that was computed on the last one may be used.
  void beginPath();
  /// The tile is `by` coordinates (an i32) further along one of its dimensions, not the contiguous
  /// one, until the next path begins; `most` is the largest value of `by`. Only for addresses and
  /// `insideOf`.
  void advance(int dim, Value by, int64_t most) { advanced = {dim, by, most}; }
  /// The condition that the whole tile is inside; null: always.
  Value isInside() const { return inside; }
  /// The same along contiguous memory. Rows may lie outside.
  Value isInsideAlongRows();
  /// The address of a register: a pointer and a constant number of bytes.
  std::pair<Value, int64_t> address(int64_t reg);

  /// Addresses in global memory, as i64: from the first byte to behind the last one.
  struct Bytes {
    Value begin, end;
  };
  /// The bytes between the first and the last element of the array, or fewer if a stride is
  /// negative. Nothing is said if a size is 0.
  Bytes arrayBytes();
  /// The condition that all aligned chunks of so many bytes belong to `array` in which rows of the
  /// tile have elements, and two more behind them. Only the rows that are inside count, or with
  /// `allRows` all of them; and only what is inside along contiguous memory, or with `allAlong`
  /// all. There are no index tiles. The coordinate along contiguous memory enters late, so that a
  /// loop over it has little to compute.
  Value hasChunksIn(Bytes array, int64_t chunk, bool allRows, bool allAlong);

  /// The conditions for a vector to be inside. They compare numbers of the thread with constants of
  /// the register, so that what a loop keeps live does not grow with the number of registers.
  struct Inside {
    /// How many bytes of the vector, from its start, are inside along contiguous memory. No lower
    /// bound cuts a vector. Null: all of them.
    Value bytes;
    /// A condition along another dimension: the constant is below `number`, or is not below it.
    struct Bound {
      Value number;
      int64_t constant;
      bool below;
    };
    llvm::SmallVector<Bound> bounds;
    /// An index is below a bound, both taken as unsigned: so a negative one is not.
    struct Index {
      Value index, bound; // of i32 or i64
    };
    llvm::SmallVector<Index> indices;
    Value outer; ///< another condition; null: true
  };
  Inside insideOf(int64_t reg);
  /// What of it depends on index tiles; it remains where the rest of the tile is inside.
  Inside indicesInsideOf(int64_t reg);

  Lowering &f;
  Value memref;
  mlir::MemRefType memrefType;
  mlir::RankedTensorType type;
  Type element;
  int64_t bytes;
  TileIndex index;
  bool failed = false;

private:
  struct Range {
    Value low, high; // tile coordinates, i32; low null: 0, high null: no bound
  };

  /// An index tile: the coordinates of memref dimension `dim`.
  struct Index {
    int64_t dim;
    const Values *values;
    std::vector<int64_t> regs; ///< of the index tile, for each register of the tile
    Value bound;               ///< of the coordinates, not negative; has their type
    /// By register: the coordinate in the type of `bound`, as an i64, and whether it is in bounds.
    std::map<int64_t, Value> plain, wide, below;
  };

  /// For each register of the tile, the register of a tile over `on` of its dimensions.
  std::vector<int64_t> registersOver(Operation *op, Value other, llvm::ArrayRef<int64_t> on,
                                     llvm::StringRef what);
  void readMask(Operation *op, Value mask, llvm::ArrayRef<int64_t> maskDims);
  void readIndex(Operation *op, Value tile, int64_t dim, llvm::ArrayRef<int64_t> on);
  Value indexAt(Index &from, int64_t reg);
  Value wideIndexAt(Index &from, int64_t reg);
  void chooseVector(int64_t wanted, llvm::ArrayRef<int64_t> maskDims);
  void prepareBounds();
  Value bound(int64_t reg, int dim);
  Value strideOf(int64_t memrefDim);
  Value scaled(Value coord, int64_t memrefDim);
  std::optional<int64_t> constantStride(int64_t memrefDim);
  bool isAddressed(int64_t memrefDim) const { return !image || image->strides[memrefDim]; }
  Value inRange(int64_t reg);
  void accesses(int64_t width, bool bounded,
                llvm::function_ref<void(int64_t, int64_t, Value, Value, int64_t)> one);

  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<Value> coords, limits;
  int contiguous = -1; // tile dimension of the memref's unit stride
  int64_t vector = 1;
  std::vector<Index> indices;
  std::map<std::vector<int64_t>, Value> places; ///< addresses with index tiles
  const Values *mask = nullptr;
  std::vector<int64_t> maskRegs;
  llvm::SmallVector<Range> ranges;
  Value inside;  // the whole tile is inside; null: always
  Value outer;   // the dimensions that the tile does not have are inside; null: yes
  Value aligned; // no bound cuts a vector; null: none does
  Value threadPointer;
  bool hidden = false;
  std::optional<Image> image;
  std::map<int64_t, Value> hiddenStrides;
  struct Advance {
    int dim = -1;
    Value by;
    int64_t most = 0;
  };
  Advance advanced;
  std::optional<int64_t> lastRow; ///< the register whose row was computed last
  Value lastPointer;
  bool perRegister = false; // the layout is not separable: no common thread pointer
  std::map<std::vector<int64_t>, Value> rows;
  std::map<std::pair<int, int64_t>, Value> bounds;
};

/// Loads words if the predicate holds; `pads` are the words of the result if it does not.
Values predicatedLoad(Lowering &f, Value pointer, int64_t offset, int64_t bytes, Value predicate,
                      ValueRange pads, bool invariant);
/// `.v4.b32`, `.b16`, …: one access of that many bytes.
std::string accessSuffix(int64_t bytes);
/// `{$3, $4}`: the operands of an access in inline PTX.
std::string wordList(llvm::StringRef prefix, size_t first, size_t count);
/// The constraint of a word in inline PTX, which has no 8-bit registers.
llvm::StringRef wordConstraint(Type word);

} // namespace tessera::nvvm

#endif // TESSERA_LIB_CONVERSION_CTATONVVM_GLOBALACCESS_H
