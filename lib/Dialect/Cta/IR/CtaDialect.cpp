// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::cta;

#include "tessera/Dialect/Cta/IR/CtaDialect.cpp.inc"
#include "tessera/Dialect/Cta/IR/CtaEnums.cpp.inc"
#include "tessera/Dialect/Cta/IR/CtaInterfaces.cpp.inc"

namespace {
/// Prints aliases for layouts at the top of the file (`#frag`, `#wgmma_acc`, …), because layouts
/// are long and repeat on every line.
struct CtaAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const final {
    auto frag = dyn_cast<FragAttr>(attr);
    if (!frag)
      return AliasResult::NoAlias;
    std::string name = tessera::layout::nameOf(frag.layout());
    os << (name.empty() ? "frag" : name);
    return AliasResult::FinalAlias;
  }
};

/// Keeps folded constants inside their launch (or the grid that it stands for), because tiles do
/// not cross its border.
struct CtaFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final {
    return isa<LaunchOp>(region->getParentOp());
  }
};
} // namespace

void CtaDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tessera/Dialect/Cta/IR/CtaOps.cpp.inc"
      >();
  addInterfaces<CtaAsmInterface, CtaFoldInterface>();
}
