// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"

#include "tessera/Dialect/Cta/Analysis/Products.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

std::pair<Operation *, Operation *> tessera::cta::readersOf(CopyOp copy) {
  std::pair<Operation *, Operation *> range{nullptr, nullptr};
  SmallVector<Value> tiles{copy.getResult()};
  while (!tiles.empty()) {
    Value tile = tiles.pop_back_val();
    for (Operation *user : tile.getUsers()) {
      // A view moves nothing; who reads it is a reader.
      if (auto view = dyn_cast<ViewOp>(user); view && !view->use_empty()) {
        tiles.push_back(view.getResult());
        continue;
      }
      Operation *here = copy->getBlock()->findAncestorOpInBlock(*user);
      if (!range.first || here->isBeforeInBlock(range.first))
        range.first = here;
      if (!range.second || range.second->isBeforeInBlock(here))
        range.second = here;
    }
  }
  return range;
}

bool EpilogueCopies::contains(CopyOp copy) {
  Block &block = *copy->getBlock();
  auto [known, isNew] = lastProducts.try_emplace(&block, nullptr);
  for (auto it = block.rbegin(); isNew && !known->second && it != block.rend(); ++it)
    if (hasProducts(&*it))
      known->second = &*it;
  Operation *first = readersOf(copy).first;
  return known->second && first && known->second->isBeforeInBlock(first);
}
