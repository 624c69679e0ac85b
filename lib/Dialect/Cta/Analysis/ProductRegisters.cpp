// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/ProductRegisters.h"
#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// Live ranges of tiles in the new order. Places count the steps.
class Lives {
public:
  Lives(CountedLoop loop, ArrayRef<FlightStep> steps) : body(*loop.getBody()), steps(steps) {}
  int64_t most();

private:
  void add(Value value, int64_t birth, int64_t death);
  int64_t deathOf(Value value);

  Block &body;
  ArrayRef<FlightStep> steps;
  DenseMap<Operation *, int64_t> places, retired;
  struct Life {
    int64_t birth, death, registers;
    Operation *takenBy; ///< the product that adds to these accumulators
  };
  SmallVector<Life> lives;
};
} // namespace

/// The place of the last op that reads the value, under this name or another one.
int64_t Lives::deathOf(Value value) {
  int64_t death = -1;
  for (OpOperand &use : value.getUses()) {
    Operation *user = body.findAncestorOpInBlock(*use.getOwner());
    if (!user)
      continue;
    auto product = dyn_cast<WgmmaOp>(use.getOwner());
    int64_t end = places.lookup(user);
    if (user == body.getTerminator())
      end = static_cast<int64_t>(steps.size());
    else if (product && product.aInRegisters() && product.getA() == value)
      end = retired.lookup(product);
    else if (isRenaming(user))
      end = deathOf(user->getResult(0));
    death = std::max(death, end);
  }
  return death;
}

void Lives::add(Value value, int64_t birth, int64_t death) {
  Operation *made = value.getDefiningOp();
  if (!isa<RankedTensorType>(value.getType()) || isa_and_nonnull<BroadcastOp, IotaOp>(made) ||
      (made && (matchPattern(made, m_Constant()) || isRenaming(made))))
    return;
  auto product = value.hasOneUse() ? dyn_cast<WgmmaOp>(*value.user_begin()) : WgmmaOp();
  lives.push_back({birth, death, registersOf(value),
                   product && product.getC() == value ? product.getOperation() : nullptr});
}

int64_t Lives::most() {
  SmallVector<Operation *> inFlight;
  for (auto [i, step] : llvm::enumerate(steps)) {
    const auto place = static_cast<int64_t>(i);
    if (!step.completes) {
      places[step.op] = place;
      if (isa<WgmmaOp>(step.op))
        inFlight.push_back(step.op);
      continue;
    }
    for (Operation *product : inFlight)
      if (places.lookup(product) <= places.lookup(step.op))
        retired.try_emplace(product, place);
  }
  llvm::SetVector<Value> outside;
  for (Operation &op : body)
    for (Value input : inputsOf(&op))
      if (!body.getParentOp()->isAncestor(input.getParentBlock()->getParentOp()))
        outside.insert(input);
  // What other iterations need, too, is live throughout.
  for (Value value : outside)
    add(value, -1, static_cast<int64_t>(steps.size()));
  for (BlockArgument argument : body.getArguments())
    add(argument, -1, deathOf(argument));
  for (Operation &op : body.without_terminator())
    for (Value value : op.getResults())
      add(value, places.lookup(&op), deathOf(value));
  int64_t most = 0;
  for (FlightStep step : steps) {
    auto product = dyn_cast<WgmmaOp>(step.op);
    if (!product || step.completes)
      continue;
    const int64_t at = places.lookup(product);
    int64_t sum = kOtherRegisters;
    for (const Life &life : lives)
      if (life.birth <= at && life.death > at && life.takenBy != product)
        sum += life.registers;
    most = std::max(most, sum);
  }
  return most;
}

int64_t tessera::cta::registersOf(CountedLoop loop, ArrayRef<FlightStep> steps) {
  return Lives(loop, steps).most();
}
