// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses of elements that lie anywhere, and atomics: ops whose text is the same in the dialects
// `tile` and `cta`, but for the layouts that masks and index tiles have in `cta`.
#ifndef TESSERA_DIALECT_TILE_SYNTAX_ACCESSSYNTAX_H
#define TESSERA_DIALECT_TILE_SYNTAX_ACCESSSYNTAX_H

#include "tessera/Dialect/Tile/Access.h"

namespace tessera::tile {

/// The encoding that a mask over these dimensions of a tile has unless the source gives another
/// one. Null: none.
using MaskEncodingOf =
    llvm::function_ref<mlir::Attribute(mlir::Type tile, llvm::ArrayRef<int64_t> maskDims)>;

/// `%M[…] clauses attrs : memref -> tile`: an op that reads.
mlir::ParseResult parseSource(mlir::OpAsmParser &parser, mlir::OperationState &state,
                              const AccessSyntax &syntax, MaskEncodingOf encoding = nullptr);

/// `%v, %M[…] clauses attrs : tile -> memref`: an op that writes.
mlir::ParseResult parseDestination(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                   const AccessSyntax &syntax, MaskEncodingOf encoding = nullptr);

/// `kind words %v, [%w,] %M[…] clauses attrs : type -> memref`.
mlir::ParseResult parseAtomic(mlir::OpAsmParser &parser, mlir::OperationState &state,
                              const AccessSyntax &syntax, bool takesScalars,
                              MaskEncodingOf encoding = nullptr);

/// Sets `indexed` also where no coordinate is a tile, so that a verifier can say so.
void setNoIndexed(mlir::OpAsmParser &parser, mlir::OperationState &state);

/// The attributes that the clauses of an access print, and the words of an atomic.
llvm::ArrayRef<llvm::StringRef> accessAttrs();
llvm::ArrayRef<llvm::StringRef> atomicAttrs();

namespace detail {
template <typename Op>
void printParts(mlir::OpAsmPrinter &p, Op op, mlir::Value memref, MaskEncodingOf encoding) {
  auto ofTile = [&](llvm::ArrayRef<int64_t> dims) { return encoding(op.getTileType(), dims); };
  printAccess(p, partsOf(op, memref), op.getTileType().getRank(),
              encoding ? MaskEncoding(ofTile) : MaskEncoding(nullptr));
}
} // namespace detail

/// Print what the functions above parse. `hints` are the attributes that `printHints` prints, of an
/// op that may have them.
template <typename Op>
void printSource(mlir::OpAsmPrinter &p, Op op, MaskEncodingOf encoding = nullptr,
                 llvm::ArrayRef<llvm::StringRef> hints = {}) {
  p << ' ';
  detail::printParts(p, op, op.getSource(), encoding);
  if (!hints.empty())
    printHints(p, op);
  p.printOptionalAttrDict(
      op->getAttrs(), llvm::to_vector(llvm::concat<const llvm::StringRef>(accessAttrs(), hints)));
  p << " : " << op.getSource().getType() << " -> " << op.getResult().getType();
}

template <typename Op>
void printDestination(mlir::OpAsmPrinter &p, Op op, MaskEncodingOf encoding = nullptr,
                      llvm::ArrayRef<llvm::StringRef> hints = {}) {
  p << ' ' << op.getValue() << ", ";
  detail::printParts(p, op, op.getDest(), encoding);
  if (!hints.empty())
    printHints(p, op);
  p.printOptionalAttrDict(
      op->getAttrs(), llvm::to_vector(llvm::concat<const llvm::StringRef>(accessAttrs(), hints)));
  p << " : " << op.getValue().getType() << " -> " << op.getDest().getType();
}

template <typename Op>
void printAtomic(mlir::OpAsmPrinter &p, Op op, MaskEncodingOf encoding = nullptr) {
  printAtomicWords(p, op.getKind(), op.getOrder(), op.getScope(), static_cast<bool>(op.getOld()));
  p << ' ' << op.getValue() << ", ";
  if (op.getReplacement())
    p << op.getReplacement() << ", ";
  detail::printParts(p, op, op.getDest(), encoding);
  p.printOptionalAttrDict(op->getAttrs(), atomicAttrs());
  p << " : " << op.getValue().getType() << " -> " << op.getDest().getType();
}

} // namespace tessera::tile

#endif
