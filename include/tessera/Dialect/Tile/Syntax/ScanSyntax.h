// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans, whose text is the same in the dialects `tile` and `cta`.
#ifndef TESSERA_DIALECT_TILE_SYNTAX_SCANSYNTAX_H
#define TESSERA_DIALECT_TILE_SYNTAX_SCANSYNTAX_H

#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/STLExtras.h"

namespace tessera::tile {

/// `(%x, %y) dim = 0 init(%a, %b) exclusive reverse carry(%c, %d) attributes {…} {combiner} : types
/// -> types`; or, if `mayBeNamed`, `addf %x dim = 0 …` without identities and combiner.
mlir::ParseResult parseScan(mlir::OpAsmParser &parser, mlir::OperationState &state,
                            bool mayBeNamed);

/// Prints what `parseScan` parses.
template <typename Op>
void printScan(mlir::OpAsmPrinter &p, Op op, std::optional<ReduceKind> kind = std::nullopt) {
  if (kind)
    p << ' ' << stringifyReduceKind(*kind) << ' ' << op.getInputs();
  else
    p << " (" << op.getInputs() << ')';
  p << " dim = " << op.getDim();
  if (!kind)
    p << " init(" << op.getInits() << ')';
  if (op.getExclusive())
    p << " exclusive";
  if (op.getReverse())
    p << " reverse";
  if (!op.getCarries().empty())
    p << " carry(" << op.getCarries() << ')';
  llvm::SmallVector<llvm::StringRef> hidden{"dim", "exclusive", "reverse", "operandSegmentSizes"};
  if (kind) {
    hidden.push_back("kind");
    p.printOptionalAttrDict(op->getAttrs(), hidden);
  } else {
    p.printOptionalAttrDictWithKeyword(op->getAttrs(), hidden);
    p << ' ';
    p.printRegion(op.getCombiner());
  }
  p << " : " << op.getInputs().getTypes() << " -> ";
  llvm::interleaveComma(op->getResultTypes(), p);
}

} // namespace tessera::tile

#endif
