// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile.param, and what follows from there being some.
#include "tessera/Dialect/Tile/Params/Params.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tessera::tile;

//===--- the op ------------------------------------------------------------------------------===//

void ParamOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }

LogicalResult ParamOp::verify() {
  StringRef name = getName();
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (name.empty() || llvm::isDigit(name.front()) || !llvm::all_of(name, isWord))
    return emitOpError("param_c1: the name of a parameter is a letter or _, then letters, digits "
                       "and _, got \"")
           << name << "\"";
  if (std::optional<ArrayRef<int64_t>> choices = getChoices()) {
    if (choices->empty())
      return emitOpError("param_c2: the list of choices is empty; leave it out where every "
                         "positive number is a choice");
    if (choices->size() > kMaxChoices)
      return emitOpError("param_c2: a parameter has at most ")
             << kMaxChoices << " choices, got " << choices->size();
    for (auto [i, choice] : llvm::enumerate(*choices)) {
      if (choice < 1 || choice > kMaxExtent)
        return emitOpError("param_c2: a choice is a positive number, at most ")
               << kMaxExtent << ", got " << choice;
      if (llvm::is_contained(choices->take_front(i), choice))
        return emitOpError("param_c2: the choice ") << choice << " is there twice";
    }
  }
  return success();
}

LogicalResult tessera::tile::verifyParams(KernelOp kernel) {
  llvm::StringMap<ParamOp> seen;
  size_t count = 0;
  for (auto param : kernel.getBody().front().getOps<ParamOp>()) {
    // The op itself is verified later, so it may have no name.
    StringAttr name = param.getNameAttr();
    if (!name)
      continue;
    if (++count > kMaxParams)
      return param.emitOpError("param_c3: a kernel has at most ") << kMaxParams << " parameters";
    auto [other, isNew] = seen.try_emplace(name.getValue(), param);
    if (isNew)
      continue;
    InFlightDiagnostic error = param.emitOpError("param_c3: the kernel has a parameter ")
                               << name << " already; use its value, or choose another name";
    error.attachNote(other->second.getLoc()) << "the other one";
    return error;
  }
  return success();
}

//===--- parameters of a kernel --------------------------------------------------------------===//

SmallVector<ParamOp> tessera::tile::paramsOf(KernelOp kernel) {
  return llvm::to_vector(kernel.getBody().front().getOps<ParamOp>());
}

bool tessera::tile::hasParams(KernelOp kernel) {
  return !kernel.getBody().front().getOps<ParamOp>().empty();
}

LogicalResult tessera::tile::requireBound(Operation *root) {
  bool isBound = true;
  auto check = [&](KernelOp kernel) {
    SmallVector<ParamOp> params = paramsOf(kernel);
    if (params.empty())
      return;
    isBound = false;
    InFlightDiagnostic error = kernel.emitOpError("has parameters, which must be bound first: ");
    llvm::interleaveComma(params, error, [&](ParamOp param) { error << param.getName(); });
    error << "; bind them by tilec -D " << params.front().getName()
          << "=<number>, or by tile-bind-params{bindings=\"" << params.front().getName()
          << "=<number>\"}";
  };
  if (auto kernel = dyn_cast<KernelOp>(root))
    check(kernel);
  else
    root->walk(check);
  return success(isBound);
}

//===--- extents -----------------------------------------------------------------------------===//

bool tessera::tile::shapesAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return extentsAgree(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult tessera::tile::verifyExtents(Operation *op, StringRef constraint,
                                           RankedTensorType type, ValueRange extents) {
  const int64_t count = type.getNumDynamicDims();
  if (count == static_cast<int64_t>(extents.size()))
    return success();
  InFlightDiagnostic error = op->emitOpError(constraint);
  if (extents.empty())
    return error << ": has type " << type
                 << "; a tile has a static shape: load a tile of fixed extents, loads and stores "
                    "stop at the end of the memref by themselves; or give each '?' by parameters "
                    "(tile.param), by 'tile(%BM)' on a load and 'extents(%BM)' on other ops";
  return error << ": needs a number for each of the " << count << " '?' of " << type << ", got "
               << extents.size();
}

std::optional<ValueRange> tessera::tile::extentsGiven(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getExtents();
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcast.getExtents();
  if (auto iota = dyn_cast<IotaOp>(op))
    return iota.getExtents();
  if (auto extract = dyn_cast<ExtractOp>(op))
    return extract.getExtents();
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return splat.getDynamicSizes();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getSizes();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getOutputShape();
  return std::nullopt;
}
