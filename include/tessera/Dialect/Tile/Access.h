// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The syntax and the rules of a box of a memref, which `tile.load`, `tile.store` and their
// counterparts in the dialect `cta` share:
//   %A[%i, %k] dims = [1, 0] limit = [%end, _] pad = zero mask = %m on [0]
//   %A[%rows : tensor<16xi32>, %k]
#ifndef TESSERA_DIALECT_TILE_ACCESS_H
#define TESSERA_DIALECT_TILE_ACCESS_H

#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/STLExtras.h"

namespace tessera::tile {

/// The parsed pieces of an access before their types are known.
struct ParsedAccess {
  mlir::OpAsmParser::UnresolvedOperand memref, mask, padTile;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> coords, limits, indices, extents;
  llvm::SmallVector<mlir::Type> indexTypes;
  llvm::SmallVector<int64_t> dims, maskDims, indexed, strides;
  llvm::SmallVector<bool> limited;
  bool hasDims = false, hasMask = false, hasMaskDims = false, hasPadTile = false;
  mlir::Attribute pad;
  /// The type of a mask whose layout the source gives: `mask = (%m : tensor<64xi1, #l>)`.
  mlir::RankedTensorType maskType;
};

/// Parses clauses: words of `names`, each at most once, in any order. `parseClause` parses what
/// follows such a word. `isLast` says that only attributes and types may follow the clauses; then
/// another word is an error, which lists the words that are allowed.
mlir::ParseResult parseClauses(mlir::OpAsmParser &parser, llvm::ArrayRef<llvm::StringRef> names,
                               llvm::function_ref<mlir::ParseResult(llvm::StringRef)> parseClause,
                               bool isLast);

/// Stores have no `pad` and no `stages`.
enum class AccessKind { Load, Store };

/// What an access may have besides the clauses of a box.
struct AccessSyntax {
  AccessKind kind;
  bool indices = false; ///< index tiles as coordinates
  bool strides = false; ///< the clause `strides`
  bool padTile = false; ///< a tile as `pad`
  /// Hint clauses are parsed too, and stored here as attributes.
  mlir::NamedAttrList *hints = nullptr;
  bool extents = false; ///< the clause `tile`: extents of the tile
};

/// Parses `%M[...]` and the clauses after it.
mlir::ParseResult parseAccess(mlir::OpAsmParser &parser, ParsedAccess &access,
                              const AccessSyntax &syntax);

/// The encoding that a mask over these tile dimensions has unless the source gives another one.
using MaskEncoding = llvm::function_ref<mlir::Attribute(llvm::ArrayRef<int64_t> maskDims)>;

/// Fills in the defaults that depend on the types. Appends the operands to `state` in the order
/// memref, coords, limits, mask, indices, tile of pads, extents, and sets the attributes dims,
/// limited, maskDims, indexed, strides and pad. `segments` receives the segment sizes {coords,
/// limits, mask, indices, tile of pads, extents}. `shape` are the extents of the tile, `padType` is
/// the type of a tile of pads, null if there can be none.
mlir::ParseResult resolveAccess(mlir::OpAsmParser &parser, ParsedAccess &access,
                                mlir::Type memrefType, llvm::ArrayRef<int64_t> shape,
                                mlir::Type padType, mlir::OperationState &state,
                                llvm::SmallVectorImpl<int32_t> &segments,
                                MaskEncoding maskEncoding = nullptr);

/// The argument or workspace of the kernel, or the array at an address from memory, of which a
/// memref is a view; null if it is not known (a memref that a loop carries).
mlir::Value rootOf(mlir::Value memref);

/// True for a root whose address comes from memory: `tile.array_at` and `tile.array_from`. The host
/// does not know such an array, and each execution of the op may give another one.
bool isArrayInMemory(mlir::Value root);

/// False only if two roots (`rootOf`) of one kernel do not overlap: different arguments that are
/// not of one alias group, workspace and anything else, or an array at an address from memory that
/// is promised to be of another group. A root that is not known may overlap everything.
bool rootsMayAlias(mlir::Value a, mlir::Value b);

/// How messages call the root of a memref: "%A" as users name the argument, "the workspace", or
/// "the memref" if it is not known.
std::string nameOfRoot(mlir::Value memref);

/// The parts of an access.
struct AccessParts {
  mlir::Value memref;
  mlir::ValueRange coords, limits;
  mlir::Value mask;
  llvm::ArrayRef<int64_t> dims;
  llvm::ArrayRef<bool> limited;
  llvm::ArrayRef<int64_t> maskDims;
  mlir::Attribute pad;
  mlir::ValueRange indices;
  llvm::ArrayRef<int64_t> indexed; ///< the memref dimension of each index tile
  std::optional<llvm::ArrayRef<int64_t>> strides;
  mlir::Value padTile;
  mlir::ValueRange extents;

  /// One index tile gives the place of each element in a memref of rank 1.
  bool isFlat() const { return dims.empty() && !indices.empty(); }
  /// The tile dimensions over which index tile `number` varies, in a tile of rank `tileRank`.
  llvm::SmallVector<int64_t> indexDims(unsigned number, unsigned tileRank) const;
  /// The number of the index tile for a memref dimension, or of its scalar coordinate.
  std::optional<unsigned> indexOf(int64_t memrefDim) const;
  mlir::Value coordOf(int64_t memrefDim) const;
};

namespace detail {
template <typename Op>
using MaskOf = decltype(std::declval<Op>().getMask());
template <typename Op>
using PadOf = decltype(std::declval<Op>().getPadAttr());
template <typename Op>
using IndicesOf = decltype(std::declval<Op>().getIndices());
template <typename Op>
using StridesOf = decltype(std::declval<Op>().getStrides());
template <typename Op>
using PadTileOf = decltype(std::declval<Op>().getPadTile());
template <typename Op>
using ExtentsOf = decltype(std::declval<Op>().getExtents());
} // namespace detail

/// The parts of an op. What its kind of op does not have is empty.
template <typename Op>
AccessParts partsOf(Op op, mlir::Value memref) {
  AccessParts parts;
  parts.memref = memref;
  parts.coords = op.getCoords();
  parts.limits = op.getLimits();
  parts.dims = op.getDims();
  parts.limited = op.getLimited();
  if constexpr (llvm::is_detected<detail::MaskOf, Op>::value) {
    parts.mask = op.getMask();
    parts.maskDims = op.getMaskDims();
  }
  if constexpr (llvm::is_detected<detail::PadOf, Op>::value)
    parts.pad = op.getPadAttr();
  if constexpr (llvm::is_detected<detail::IndicesOf, Op>::value) {
    parts.indices = op.getIndices();
    parts.indexed = op.getIndexed();
  }
  if constexpr (llvm::is_detected<detail::StridesOf, Op>::value)
    parts.strides = op.getStrides();
  if constexpr (llvm::is_detected<detail::PadTileOf, Op>::value)
    parts.padTile = op.getPadTile();
  if constexpr (llvm::is_detected<detail::ExtentsOf, Op>::value)
    parts.extents = op.getExtents();
  return parts;
}

/// Prints what `parseAccess` reads.
void printAccess(mlir::OpAsmPrinter &printer, const AccessParts &parts, unsigned tileRank,
                 MaskEncoding maskEncoding = nullptr);

/// Parses `= 3` of `stages`, `= first` of `cache`, `= [tma]` of `require`.
mlir::ParseResult parseHint(mlir::OpAsmParser &parser, llvm::StringRef name,
                            mlir::NamedAttrList &attrs);

/// Prints the hints that `op` has.
void printHints(mlir::OpAsmPrinter &printer, mlir::Operation *op);

/// The names of the attributes that `printHints` prints.
llvm::ArrayRef<llvm::StringRef> hintNames();

/// Verifies the constraints 1 to 5, 8 and 9 of `tile.load`; emits an error at `op` for the first
/// one that is violated.
mlir::LogicalResult verifyAccess(mlir::Operation *op, const AccessParts &parts,
                                 llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

/// Verifies constraint 7 of `tile.load`.
mlir::LogicalResult verifyLookahead(mlir::Operation *op, std::optional<uint64_t> stages);

/// Verifies constraint 6 of `tile.store`.
mlir::LogicalResult verifyStrideOfStores(mlir::Operation *op, mlir::MemRefType memref);

/// Verifies constraints 12 to 14 of `tile.atomic`. `value` and `replacement` are tiles or scalars.
mlir::LogicalResult verifyAtomic(mlir::Operation *op, AtomicKind kind, MemoryOrder order,
                                 mlir::Type value, mlir::Type replacement, mlir::Type old,
                                 bool isScalar);

/// `add acq_rel system returning`: the words before the operands of an atomic.
mlir::ParseResult parseAtomicWords(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                   bool &isReturning);
void printAtomicWords(mlir::OpAsmPrinter &printer, AtomicKind kind, MemoryOrder order,
                      MemoryScope scope, bool isReturning);

/// Verifies constraint 6 of `tile.load`.
mlir::LogicalResult verifyPad(mlir::Operation *op, mlir::Attribute pad, mlir::Type elementType);

/// The pad as a constant of the element type. It is zero for `any` and for an absent pad; see
/// `padIsAny`.
mlir::TypedAttr padValue(mlir::Attribute pad, mlir::Type elementType);
bool padIsAny(mlir::Attribute pad);

/// The limit of tile dimension `dim`, or null.
mlir::Value limitOf(mlir::ValueRange limits, llvm::ArrayRef<bool> limited, unsigned dim);

/// `[rank - tileRank, …, rank - 1]`: the default of `dims`.
llvm::SmallVector<int64_t> trailingDims(unsigned memrefRank, unsigned tileRank);

} // namespace tessera::tile

#endif
