// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The conditions under which the private tables of a kernel's blocks fit and pay, as far as the
// program does not say so.
//
// A table must fit the shared memory of a block while some blocks share an SM. It pays if the
// atomics that it saves are many for its elements, each of which every block clears and adds:
//
//   output tiles * atomics of one  >=  kLeastUses * blocks * elements of the table
//
// where as many blocks run as output tiles, but no more than the device holds. A table that lives
// in one output tile has to pay there.
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/PrivateTables.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Machine/Hopper.h"
#include "tessera/Machine/Machines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::tile;

namespace {
/// A table that is worth it, and the most elements that it has, if that is known.
struct Wanted {
  const PrivateTable *table;
  std::optional<int64_t> most;
};

/// Makes the conditions of a grid before it.
class Conditions {
public:
  Conditions(GridOp grid, Facts &facts, std::vector<TableCondition> &made)
      : facts(facts), grid(grid), b(grid), loc(grid.getLoc()), made(made) {}
  void run();

private:
  std::optional<Wanted> choose(const TableChoices &choices);
  void makeFor(const Wanted &wanted, int64_t room, int64_t shared);
  Value sizeOf(const PrivateTable &table, int64_t &known);
  Value pays(const PrivateTable &table, Value size, int64_t shared);
  Value index(int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); }
  Value index(OpFoldResult number) { return getValueOrCreateConstantIndexOp(b, loc, number); }
  template <typename Op>
  Value make(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  void add(arith::CmpIPredicate predicate, Value x, Value y, const Twine &message) {
    Value holds = b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
    made.push_back({holds, message.str()});
  }

  Facts &facts;
  GridOp grid;
  OpBuilder b;
  Location loc;
  std::vector<TableCondition> &made;
};
} // namespace

/// The shared memory that a table of so many elements takes.
static int64_t bytesOf(const PrivateTable &table, int64_t elements) {
  return roomOfTable(elements * elementBytes(table.elementType()));
}

/// The best table whose size is known to fit; or else the smallest one, if the launcher can compute
/// its size.
std::optional<Wanted> Conditions::choose(const TableChoices &choices) {
  for (const PrivateTable &table : choices.tables) {
    std::optional<int64_t> most = mostElements(facts, table);
    if (most && *most <= mostWorthwhile(table) &&
        bytesOf(table, *most) <= mostTableBytes(kDefaultMachine, table))
      return Wanted{&table, most};
  }
  const PrivateTable &smallest = choices.tables.back();
  if (!mostWorthwhile(smallest))
    return std::nullopt;
  return Wanted{&smallest, std::nullopt};
}

/// The product of the sizes that are not static, and in `known` of those that are.
Value Conditions::sizeOf(const PrivateTable &table, int64_t &known) {
  auto type = cast<MemRefType>(table.memref.getType());
  Value product;
  known = 1;
  for (int64_t dim : table.dims) {
    if (!type.isDynamicDim(static_cast<unsigned>(dim))) {
      known = llvm::SaturatingMultiply<uint64_t>(known, type.getDimSize(dim));
      known = std::min<int64_t>(known, INT32_MAX);
      continue;
    }
    Value size = b.createOrFold<memref::DimOp>(loc, table.memref, dim);
    product = product ? make<arith::MulIOp>(product, size) : size;
  }
  return product;
}

Value Conditions::pays(const PrivateTable &table, Value size, int64_t shared) {
  Value tiles = index(1);
  for (auto [lower, upper, step] :
       llvm::zip(grid.getMixedLower(), grid.getMixedUpper(), grid.getMixedStep())) {
    Value count =
        make<arith::CeilDivSIOp>(make<arith::SubIOp>(index(upper), index(lower)), index(step));
    tiles = make<arith::MulIOp>(tiles, count);
  }
  const int64_t blocks =
      blocksWithTables(kDefaultMachine, shared, table.bytes, hopper::kWarpgroupSize);
  Value resident = make<arith::MulIOp>(NumCoresOp::create(b, loc, b.getIndexType()), index(blocks));
  Value running = make<arith::MinSIOp>(tiles, resident);
  Value saved = make<arith::MulIOp>(tiles, index(table.elements));
  Value spent = make<arith::MulIOp>(make<arith::MulIOp>(running, size), index(kLeastUses));
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, saved, spent);
}

/// `room`: the bytes that this table may have. `shared`: those of all tables of the block.
void Conditions::makeFor(const Wanted &wanted, int64_t room, int64_t shared) {
  const PrivateTable &table = *wanted.table;
  int64_t known;
  Value size = sizeOf(table, known);
  if (!known)
    return;
  int64_t most = wanted.most.value_or(
      std::min(room / elementBytes(table.elementType()), mostWorthwhile(table)));
  if (table.block)
    most = std::min(most, table.elements / kLeastUses);
  if (!wanted.most || most < *wanted.most) {
    if (size)
      add(arith::CmpIPredicate::sle, size, index(most / known),
          "a private table of " + nameOfRoot(table.memref) + " fits, and is small");
    else
      made.push_back({arith::ConstantIntOp::create(b, loc, known <= most, 1), ""});
  }
  if (table.block || alwaysPays(table, most))
    return;
  Value all = size ? make<arith::MulIOp>(size, index(known)) : index(known);
  made.push_back({pays(table, all, shared),
                  "there is enough to count for private tables of " + nameOfRoot(table.memref)});
}

void Conditions::run() {
  const PrivateTables found = findPrivateTables(grid, findTileAtomic);
  SmallVector<Wanted> all;
  int64_t room = kDefaultMachine.sharedOfBlock(kGuardedBlocks), open = 0;
  for (const TableChoices &choices : found.choices)
    if (std::optional<Wanted> wanted = choose(choices)) {
      all.push_back(*wanted);
      open += !wanted->most;
      room -= wanted->most ? bytesOf(*wanted->table, *wanted->most) : 0;
    }
  const int64_t each =
      open ? llvm::alignDown(std::max<int64_t>(room, 0) / open, kTableAlignment) : 0;
  int64_t shared = 0;
  for (const Wanted &wanted : all)
    shared += wanted.most ? bytesOf(*wanted.table, *wanted.most) : each;
  for (const Wanted &wanted : all)
    makeFor(wanted, each, shared);
}

std::vector<TableCondition> tessera::tile::makeTableConditions(KernelOp kernel) {
  std::vector<TableCondition> made;
  // Each variant is compiled, and a kernel of products has many.
  if (kernel.walk([](MmaOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return made;
  Facts facts(kernel);
  for (auto grid : kernel.getBody().getOps<GridOp>())
    Conditions(grid, facts, made).run();
  if (llvm::any_of(made, [](const TableCondition &condition) {
        return findLaunchObstacle(condition.holds).has_value();
      }))
    made.clear();
  return made;
}
