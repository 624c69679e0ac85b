// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of f64 by mma.sync. Each warp reads the fragments of A and B for its accumulators from
// shared memory, 4, 8 or 16 columns of A at a time. Rows and columns beyond the tile read an
// element that exists; their accumulators are dead. Beyond K both operands are zero.
#include "MmaSync.h"
#include "../SharedTile.h"

#include "tessera/Layout/MmaSync.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

namespace {
/// One operand as if all of it were in registers. A register is read where it is first used.
class Fragments {
public:
  Fragments(Lowering &f, Value tile, const layout::RegisterLayout &registers, int kDim)
      : f(f), shared(cta::sharedLayout(cast<cta::SmemType>(tile.getType()))),
        index(f, registers, layout::Coord(shared.shape)), place(*f.placeOf(tile)),
        address(f, index, shared, place, layout::Coord(shared.shape.size(), 0), allDims()),
        kDim(kDim) {}

  /// Registers are numbered by the batch and the blocks of each dimension; `half` is the lower half
  /// of the rows of A.
  Value read(int64_t batch, int64_t block, int64_t step, int64_t half) {
    const layout::Coord repeats = index.layout.repeats(index.shape);
    const int rank = index.rank();
    int64_t row = kDim == rank - 1 ? block : step, column = kDim == rank - 1 ? step : block;
    int64_t number = (batch * repeats[rank - 2] + row) * repeats[rank - 1] + column;
    return read((number << index.layout.regs.size()) + half);
  }

private:
  llvm::SmallVector<int64_t> allDims() const {
    return llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shared.shape.size())));
  }
  bool mayBeDead(int64_t reg, int dim) {
    return index.at(reg, dim).constant + index.maxThread[dim] >= index.shape[dim];
  }

  Value read(int64_t reg) {
    std::pair<Value, int64_t> at;
    bool isWhole = true;
    for (int d = 0; d < index.rank(); ++d)
      isWhole &= !mayBeDead(reg, d);
    if (isWhole) {
      at = address.address(reg);
    } else {
      Values coords;
      for (int d = 0; d < index.rank(); ++d) {
        Value c = index.value(index.at(reg, d));
        coords.push_back(mayBeDead(reg, d) ? f.min(c, f.i32(index.shape[d] - 1)) : c);
      }
      at = {f.gep(place.base, elementOffset(f, shared, coords)), place.offset};
    }
    Type type = f.b.getF64Type();
    Value value = f.unpack(f.loadWords(at.first, at.second, sizeof(double), false), type, 1)[0];
    if (Value isInside = index.liveAlong(reg, kDim))
      value = f.select(isInside, value, f.zero(type));
    return value;
  }

  Lowering &f;
  layout::SharedLayout shared;
  TileIndex index;
  SharedPlace place;
  SharedTile address;
  int kDim;
};

std::string operandList(size_t first, size_t count) {
  std::string list = "{";
  for (size_t i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return list + "}";
}

/// The instruction on `steps` steps of k4; two accumulators are the upper half of 16 rows.
Values multiply(Lowering &f, ValueRange acc, ValueRange a, ValueRange b, int64_t steps) {
  const bool isHalf = acc.size() == 2;
  SmallVector<std::pair<Type, StringRef>> outputs(acc.size(), {f.b.getF64Type(), "d"});
  std::vector<Lowering::AsmInput> inputs;
  for (auto [number, value] : llvm::enumerate(acc))
    inputs.push_back({value, std::to_string(number)});
  for (Value value : llvm::concat<Value>(llvm::to_vector(a), llvm::to_vector(b)))
    inputs.push_back({value, "d"});
  const std::string sums = operandList(0, acc.size());
  const size_t aAt = 2 * acc.size();
  const std::string text = "mma.sync.aligned.m" + std::to_string(isHalf ? 8 : 16) + "n8k" +
                           std::to_string(steps * layout::kMmaSyncK) + ".row.col.f64.f64.f64.f64 " +
                           sums + ", " + operandList(aAt, a.size()) + ", " +
                           operandList(aAt + a.size(), b.size()) + ", " + sums + ";";
  return f.inlineAsm(text, outputs, inputs, /*sideEffects=*/false, /*memoryClobber=*/false);
}
} // namespace

LogicalResult tessera::nvvm::lowerMmaSync(Lowering &f, cta::MmaOp op) {
  RankedTensorType type = op.getResultType();
  TileIndex index(f, type);
  const int rank = index.rank();
  Fragments a(f, op.getA(), layout::mmaSyncA(index.layout), rank - 1);
  Fragments b(f, op.getB(), layout::mmaSyncB(index.layout), rank - 2);
  Values acc = op.getC() ? Values(f.registers(op.getC()))
                         : Values(static_cast<size_t>(index.size()), f.zero(f.b.getF64Type()));

  const layout::Coord repeats = index.layout.repeats(index.shape);
  const int64_t batches = rank == 3 ? repeats[0] : 1;
  const int64_t blocksM = repeats[rank - 2], blocksN = repeats[rank - 1];
  const int64_t allSteps = llvm::divideCeil(op.getAType().getShape().back(), layout::kMmaSyncK);
  constexpr int64_t kRegisters = 4; // of a block of accumulators
  // The fragments of all columns and of one block of rows are live together. Next to many
  // accumulators shorter instructions leave room for another block on the SM.
  constexpr int64_t kMostFragments = 16;
  const bool fitsFour = 4 * (blocksN + 2) <= kMostFragments;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t step = 0; step < allSteps;) {
      const int64_t left = allSteps - step;
      const int64_t steps = left >= 4 && fitsFour ? 4 : left >= 2 ? 2 : 1;
      std::map<int64_t, Values> columns;
      for (int64_t m = 0; m < blocksM; ++m) {
        Values rows;
        bool isHalf = false;
        for (int64_t n = 0; n < blocksN; ++n) {
          const int64_t first = ((batch * blocksM + m) * blocksN + n) * kRegisters;
          if (index.deadEverywhere(first))
            continue;
          if (rows.empty()) {
            // Its registers are the columns k4 by k4, and for each the two halves of the rows.
            isHalf = index.deadEverywhere(first + 2);
            for (int64_t k = 0; k < steps; ++k)
              for (int64_t half = 0; half < (isHalf ? 1 : 2); ++half)
                rows.push_back(a.read(batch, m, step + k, half));
          }
          Values &column = columns[n];
          if (column.empty())
            for (int64_t k = 0; k < steps; ++k)
              column.push_back(b.read(batch, n, step + k, 0));
          // Instructions of 8 rows exist for k4 only.
          const int64_t count = isHalf ? kRegisters / 2 : kRegisters, each = isHalf ? 1 : steps;
          for (int64_t k = 0; k < steps; k += each) {
            ValueRange sums = ValueRange(acc).slice(first, count);
            Values next =
                multiply(f, sums, isHalf ? ValueRange(rows).slice(k, 1) : ValueRange(rows),
                         ValueRange(column).slice(k, each), each);
            llvm::copy(next, acc.begin() + first);
          }
        }
      }
      step += steps;
    }
  f.set(op.getResult(), std::move(acc));
  return success();
}
