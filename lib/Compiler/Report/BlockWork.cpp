// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/BlockWork.h"

#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tessera;

int64_t tessera::elementBytes(Type element) {
  return element.isIndex() ? 8 : std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1);
}

int64_t tessera::tileBytes(Type type) {
  if (auto smem = dyn_cast<cta::SmemType>(type))
    type = smem.tensorType();
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * elementBytes(tensor.getElementType());
}

double Work::seconds() const { return std::max({tensorSeconds, fmaSeconds, globalSeconds}); }

template <typename Combine>
static void combine(Work &into, const Work &other, Combine each) {
  for (double Work::*amount : {&Work::tensorFlops, &Work::fmaFlops, &Work::globalBytes,
                               &Work::tensorSeconds, &Work::fmaSeconds, &Work::globalSeconds})
    into.*amount = each(into.*amount, other.*amount);
}

static void add(Work &into, const Work &other, double times = 1) {
  combine(into, other, [&](double a, double b) { return a + times * b; });
}

static void raise(Work &into, const Work &other) {
  combine(into, other, [](double a, double b) { return std::max(a, b); });
}

//===--- the work of ops ---------------------------------------------------------------------===//

static void addOp(Operation *op, Work &work) {
  const Machine &machine = cta::machineOf(op);
  const auto sms = static_cast<double>(machine.sms);
  auto move = [&](double bytes) {
    work.globalBytes += bytes;
    work.globalSeconds += bytes / (machine.globalBytesPerSecond / sms);
  };
  auto product = [&](int64_t m, int64_t n, int64_t k, Type element, bool tensor) {
    double flops = 2.0 * m * n * k;
    if (tensor) {
      work.tensorFlops += flops;
      const unsigned bits = element.getIntOrFloatBitWidth();
      double peak = bits == 8    ? machine.tensorFlops8
                    : bits == 16 ? machine.tensorFlops16
                    : bits == 64 ? 2 * machine.fmaFlops64
                                 : machine.tensorFlops16 / 2;
      work.tensorSeconds += flops / (peak / sms);
    } else {
      work.fmaFlops += flops;
      double peak = element.isF64() ? machine.fmaFlops64 : machine.fmaFlops32;
      work.fmaSeconds += flops / (peak / sms);
    }
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](cta::LoadOp load) { move(tileBytes(load.getTileType())); })
      .Case([&](cta::StoreOp store) { move(tileBytes(store.getTileType())); })
      .Case([&](cta::GatherOp gather) { move(tileBytes(gather.getTileType())); })
      .Case([&](cta::ScatterOp scatter) { move(tileBytes(scatter.getTileType())); })
      .Case([&](cta::CopyOp copy) {
        // Each block of a cluster fetches one part of the tile for all blocks. If the copy has a
        // condition, that is whether the cluster is one of the full ones (cta-lower-grid), which
        // nearly all clusters are.
        auto number = copy.getMulticastIf() ? copy.getMulticastIf().getDefiningOp<arith::CmpIOp>()
                                            : arith::CmpIOp();
        const bool isShared = !copy.getMulticastIf() ||
                              (number && number.getPredicate() == arith::CmpIPredicate::ult);
        const auto blocks = static_cast<double>(copy.getMulticast().value_or(1));
        move(tileBytes(copy.getSmemType()) / (isShared ? blocks : 1));
      })
      .Case([&](cta::CopyOutOp copy) { move(tileBytes(copy.getSmemType())); })
      .Case([&](cta::WgmmaOp mma) {
        product(mma.getM(), mma.getN(), mma.getK(), mma.getBType().getElementType(), true);
      })
      .Case([&](cta::MmaOp mma) {
        // The number of elements of the result contains the batch dimension.
        int64_t k = mma.getAType().getShape().back();
        product(mma.getResultType().getNumElements(), 1, k, mma.getResultType().getElementType(),
                cta::isMmaSync(mma));
      });
}

//===--- the work of loops -------------------------------------------------------------------===//

namespace {
struct LoopWork {
  Work work;
  Location loc;
  unsigned depth = 0; ///< the depth of the deepest nest of loops, this loop included
};

/// The work of each loop of the source IR.
using LoopWorks = llvm::MapVector<const void *, LoopWork>;
} // namespace

/// The key by which loops are found that a pass has copied from one loop of the source. A loop
/// without a source is a key of its own.
static const void *keyOf(Operation *loop) {
  return isa<UnknownLoc>(loop->getLoc()) ? loop : loop->getLoc().getAsOpaquePointer();
}

static Work workOf(Region &region, unsigned depth, LoopWorks &loops);

static Work workOf(Operation *op, unsigned depth, LoopWorks &loops) {
  Work work;
  if (op->getNumRegions() == 0) {
    addOp(op, work);
    return work;
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    for (Region &arm : op->getRegions())
      raise(work, workOf(arm, depth, loops));
    return work;
  }
  auto loopLike = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<APInt> trips = loopLike ? loopLike.getStaticTripCount() : std::nullopt;
  const bool unknown = loopLike && !trips;
  for (Region &region : op->getRegions())
    add(work, workOf(region, depth + unknown, loops));
  if (trips) {
    Work once = work;
    work = Work();
    add(work, once, trips->getZExtValue());
  }
  if (!unknown)
    return work;
  LoopWork &loop = loops.insert({keyOf(op), {Work(), op->getLoc()}}).first->second;
  raise(loop.work, work);
  loop.depth = std::max(loop.depth, depth + 1);
  return Work();
}

static Work workOf(Region &region, unsigned depth, LoopWorks &loops) {
  Work work;
  for (Block &block : region)
    for (Operation &op : block)
      add(work, workOf(&op, depth, loops));
  return work;
}

HotWork tessera::hottestWork(cta::LaunchOp launch) {
  HotWork hot;
  LoopWorks all;
  auto take = [&](const LoopWorks &loops) {
    for (const auto &[key, loop] : loops) {
      LoopWork &sum = all.insert({key, {Work(), loop.loc}}).first->second;
      add(sum.work, loop.work);
      sum.depth = std::max(sum.depth, loop.depth);
    }
  };
  LoopWorks common; // of code outside of roles
  for (Operation &op : launch.getBody().front()) {
    LoopWorks own;
    const bool isRole = isa<cta::RoleOp>(op);
    add(hot.work, workOf(&op, /*depth=*/0, isRole ? own : common));
    take(own);
  }
  take(common);
  const LoopWork *hottest = nullptr;
  for (const auto &[key, loop] : all)
    if (loop.work.seconds() > 0 &&
        (!hottest || std::pair(loop.depth, loop.work.seconds()) >
                         std::pair(hottest->depth, hottest->work.seconds())))
      hottest = &loop;
  return hottest ? HotWork{hottest->work, hottest->loc} : hot;
}

//===--- text --------------------------------------------------------------------------------===//

static std::string numberText(double value) {
  const char *prefixes[] = {"", "k", "M", "G", "T"};
  unsigned i = 0;
  for (; value >= 1000 && i < 4; ++i)
    value /= 1000;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(i ? "%.3g " : "%.0f ", value) << prefixes[i];
  return text;
}

std::string tessera::boundText(const Work &work, const std::string &where, bool withBound) {
  std::string text = where + ": ";
  llvm::raw_string_ostream os(text);
  auto nanoseconds = [&](double seconds) {
    os << llvm::format(" (%.0f ns of an SM)", seconds * 1e9);
  };
  bool first = true;
  auto item = [&](double amount, const char *unit, double seconds) {
    if (amount == 0)
      return;
    os << (first ? "" : ", ") << numberText(amount) << unit;
    nanoseconds(seconds);
    first = false;
  };
  item(work.tensorFlops, "flop on tensor cores", work.tensorSeconds);
  item(work.fmaFlops, "flop on FMA units", work.fmaSeconds);
  item(work.globalBytes, "B of global memory", work.globalSeconds);
  if (!withBound)
    return text;
  double most = work.seconds();
  os << "; at best bound by "
     << (most == work.globalSeconds   ? "memory, unless L2 has the data"
         : most == work.tensorSeconds ? "tensor cores"
                                      : "FMA units");
  return text;
}
