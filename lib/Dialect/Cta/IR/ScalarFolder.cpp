// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/ScalarFolder.h"

using namespace mlir;
using namespace tessera::cta;

ScalarFolder::~ScalarFolder() {
  for (auto [op, copy] : copies)
    copy->destroy();
}

bool ScalarFolder::fold(Operation *op, llvm::function_ref<Attribute(Value)> lookup,
                        SmallVectorImpl<Attribute> &results) {
  Operation *&kept = copies[op];
  if (!kept)
    kept = op->clone();
  Operation *copy = kept;
  bool folded = false;
  // If a folder only rewrites its op, ask it again, a few times.
  for (int round = 0; round < 4; ++round) {
    SmallVector<Attribute> operands;
    for (Value operand : copy->getOperands())
      operands.push_back(lookup(operand));
    SmallVector<OpFoldResult> values;
    if (failed(copy->fold(operands, values)))
      break;
    if (values.empty())
      continue;
    results.clear();
    for (OpFoldResult value : values) {
      auto attribute = dyn_cast<Attribute>(value);
      results.push_back(attribute ? attribute : lookup(cast<Value>(value)));
    }
    folded = !llvm::is_contained(results, Attribute());
    break;
  }
  // A rewrite may be valid for these operands only, so it must not remain.
  if (copy->getAttrDictionary() != op->getAttrDictionary() ||
      !llvm::equal(copy->getOperands(), op->getOperands())) {
    copy->destroy();
    copies.erase(op);
  }
  return folded;
}
