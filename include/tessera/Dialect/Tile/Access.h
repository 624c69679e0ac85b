// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The syntax and the rules of a box of a memref, which `tile.load`, `tile.store` and their
// counterparts in the dialect `cta` share:
//   %A[%i, %k] dims = [1, 0] limit = [%end, _] pad = zero mask = %m on [0]
#ifndef TESSERA_DIALECT_TILE_ACCESS_H
#define TESSERA_DIALECT_TILE_ACCESS_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::tile {

/// The parsed pieces of an access before their types are known.
struct ParsedAccess {
  mlir::OpAsmParser::UnresolvedOperand memref, mask;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> coords, limits;
  llvm::SmallVector<int64_t> dims, maskDims;
  llvm::SmallVector<bool> limited;
  bool hasDims = false, hasMask = false, hasMaskDims = false;
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

/// Parses `%M[...]` and the clauses after it. With `hints` it parses hint clauses too, and stores
/// them there as attributes.
mlir::ParseResult parseAccess(mlir::OpAsmParser &parser, ParsedAccess &access, AccessKind kind,
                              mlir::NamedAttrList *hints = nullptr);

/// The encoding that a mask over these tile dimensions has unless the source gives another one.
using MaskEncoding = llvm::function_ref<mlir::Attribute(llvm::ArrayRef<int64_t> maskDims)>;

/// Fills in the defaults that depend on the types. Appends the operands to `state` in the order
/// memref, coords, limits, mask, and sets the attributes dims, limited, maskDims
/// and pad. `segments` receives the segment sizes {coords, limits, mask}. `shape` are the extents
/// of the tile.
mlir::ParseResult resolveAccess(mlir::OpAsmParser &parser, ParsedAccess &access,
                                mlir::Type memrefType, llvm::ArrayRef<int64_t> shape,
                                mlir::OperationState &state,
                                llvm::SmallVectorImpl<int32_t> &segments,
                                MaskEncoding maskEncoding = nullptr);

/// The argument or workspace of the kernel of which a memref is a view; null if it is not known (a
/// memref that a loop carries).
mlir::Value rootOf(mlir::Value memref);

/// How messages call the root of a memref: "%A" as users name the argument, "the workspace", or
/// "the memref" if it is not known.
std::string nameOfRoot(mlir::Value memref);

/// Prints what `parseAccess` reads.
void printAccess(mlir::OpAsmPrinter &printer, mlir::Value memref, mlir::ValueRange coords,
                 mlir::ValueRange limits, mlir::Value mask, llvm::ArrayRef<int64_t> dims,
                 llvm::ArrayRef<bool> limited, llvm::ArrayRef<int64_t> maskDims,
                 mlir::Attribute pad, unsigned tileRank, MaskEncoding maskEncoding = nullptr);

/// Parses `= 3` of `stages`, `= first` of `cache`, `= [tma]` of `require`.
mlir::ParseResult parseHint(mlir::OpAsmParser &parser, llvm::StringRef name,
                            mlir::NamedAttrList &attrs);

/// Prints the hints that `op` has.
void printHints(mlir::OpAsmPrinter &printer, mlir::Operation *op);

/// The names of the attributes that `printHints` prints.
llvm::ArrayRef<llvm::StringRef> hintNames();

/// Verifies the constraints 1 to 5 of `tile.load`; emits an error at `op` for the first one that is
/// violated.
mlir::LogicalResult verifyAccess(mlir::Operation *op, mlir::MemRefType memref,
                                 llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                                 mlir::ValueRange coords, mlir::ValueRange limits, mlir::Value mask,
                                 llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<bool> limited,
                                 llvm::ArrayRef<int64_t> maskDims);

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
