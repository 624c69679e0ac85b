// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.wgmma as inline PTX. Every accumulator is a scalar operand of the asm, tied to its result. So
// neither LLVM nor ptxas sees a copy, and nothing can move between the fence and the wait.
//
// Every op is one wgmma group. The registers of a product in flight are those of its asm, so f16
// stays packed.
#include "Lowering.h"

#include "tessera/Layout/WgmmaOperand.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

namespace {
struct Product {
  int64_t blocksM; ///< of 64 rows, for one warpgroup
  int64_t n;       ///< columns of one instruction
  int64_t piecesN, stepsK;
  int64_t k;        ///< of one instruction
  std::string type; ///< `f32.bf16.bf16`
  bool ofIntegers;  ///< which have no signs for the operands
  bool hasMajors;   ///< 16-bit operands may have either major
};

/// The descriptor of a shared operand at the warpgroup's first instruction, and its offsets, in
/// units of 16 bytes.
struct Operand {
  layout::WgmmaOperand how;
  Value descriptor;
  int64_t at(int64_t block, int64_t k) const { return how.baseOffset(block, k) >> 4; }
};

/// `groups`: how many warpgroups share the operand's rows (A) or columns (B).
FailureOr<Operand> operandOf(Lowering &f, cta::WgmmaOp op, Value tile, layout::WgmmaRole role,
                             int64_t blockExtent, int64_t groups) {
  const bool isA = role == layout::WgmmaRole::A;
  auto type = cast<cta::SmemType>(tile.getType());
  layout::SharedLayout shared = cta::sharedLayout(type);
  const int kDim = static_cast<int>(isA ? op.getKDimOfA() : op.getKDimOfB());
  if (auto reason = layout::validateWgmmaOperand(shared, role, kDim, blockExtent))
    return f.error(op, *reason), failure();
  std::optional<SharedPlace> place = f.placeOf(tile);
  if (!place)
    return f.error(op, "a shared operand has no offset: run cta-allocate-shared"), failure();
  if (place->offset % shared.alignment())
    return f.error(op, "a shared operand lies at byte ")
               << place->offset << "; its swizzle needs a multiple of " << shared.alignment(),
           failure();
  Operand operand{layout::wgmmaOperand(shared, role, kDim, blockExtent), {}};
  OpBuilder &b = f.b;
  cta::SlotOp slot = cta::slotOf(tile);
  Value moved;
  if (slot) {
    int64_t stride = cta::ringSlotBytes(slot.getRing().getType().getTile()) >> 4;
    Value units = f.mul(f.scalar(slot.getIndex()), f.i32(stride));
    moved = arith::ExtUIOp::create(b, f.loc, b.getI64Type(), units);
  }
  {
    // Hoisted, because it is the same in every iteration.
    Lowering::Preamble preamble(f);
    Value address =
        LLVM::PtrToIntOp::create(b, f.loc, b.getI32Type(), f.sharedAddress(place->offset));
    if (groups > 1) {
      int64_t stride = operand.how.baseOffset(operand.how.numBlocks / groups, 0);
      address = f.add(address, f.mul(f.warpgroup(), f.i32(stride)));
    }
    Value field = arith::ShRUIOp::create(b, f.loc, f.bitAnd(address, f.i32(0x3ffff)), f.i32(4));
    Value wide = arith::ExtUIOp::create(b, f.loc, b.getI64Type(), field);
    operand.descriptor = arith::OrIOp::create(
        b, f.loc, wide, f.i64(static_cast<int64_t>(operand.how.encodeStatic())));
  }
  // The address field cannot overflow: shared memory is much smaller.
  if (slot)
    operand.descriptor = f.add(operand.descriptor, moved);
  return operand;
}

std::string operandList(size_t first, size_t count) {
  std::string list = "{";
  for (size_t i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return list + "}";
}

/// Issues one asm: the fence, and the chain over k for one block of accumulators. `fragments` are
/// the registers of A, four for each step, if A is in registers.
///
/// `accumulate` says whether the first step adds to the accumulators; a value decides at run time.
/// The last asm of an op commits the group. After `half` steps the asm commits what is issued so
/// far as a group of its own, unless that is 0.
Values issue(Lowering &f, const Product &p, const Values &acc, bool accumulate, Value accumulateIf,
             const Operand *a, int64_t blockM, ValueRange fragments, const Operand &bOperand,
             int64_t pieceN, bool commit, int64_t half) {
  size_t n = acc.size();
  SmallVector<std::pair<Type, StringRef>> outputs;
  std::vector<Lowering::AsmInput> inputs;
  for (auto [i, value] : llvm::enumerate(acc)) {
    outputs.push_back({value.getType(), value.getType().isF32() ? "f" : "r"});
    inputs.push_back({value, std::to_string(i)});
  }
  size_t next = 2 * n, aAt = next;
  auto place = [&](Value base, int64_t offset) { return f.add(base, f.i64(offset)); };
  if (a) {
    inputs.push_back({place(a->descriptor, a->at(blockM, 0)), "l"});
    ++next;
  } else {
    for (Value fragment : fragments)
      inputs.push_back({fragment, "r"});
    next += fragments.size();
  }
  size_t bAt = next;
  inputs.push_back({place(bOperand.descriptor, bOperand.at(pieceN, 0)), "l"});

  size_t flagAt = bAt + 1;
  std::string text = "{\n\t.reg .b64 ta, tb;\n";
  if (accumulateIf) {
    inputs.push_back({accumulateIf, "r"});
    text += "\t.reg .pred add;\n\tsetp.ne.b32 add, $" + std::to_string(flagAt) + ", 0;\n";
  }
  text += "\twgmma.fence.sync.aligned;\n";
  for (int64_t k = 0; k < p.stepsK; ++k) {
    std::string aText = a ? "$" + std::to_string(aAt) : operandList(aAt + 4 * k, 4);
    std::string bText = "$" + std::to_string(bAt);
    auto advance = [&](const Operand &operand, int64_t block, const char *reg, std::string &from) {
      int64_t delta = operand.at(block, k) - operand.at(block, 0);
      if (!delta)
        return;
      text += std::string("\tadd.s64 ") + reg + ", " + from + ", " + std::to_string(delta) + ";\n";
      from = reg;
    };
    if (a)
      advance(*a, blockM, "ta", aText);
    advance(bOperand, pieceN, "tb", bText);
    text += "\twgmma.mma_async.sync.aligned.m64n" + std::to_string(p.n) + "k" +
            std::to_string(p.k) + "." + p.type + " " + operandList(0, n) + ", " + aText + ", " +
            bText + ", " + (k || accumulate ? (k || !accumulateIf ? "1" : "add") : "0");
    if (!p.ofIntegers)
      text += ", 1, 1";
    if (a && p.hasMajors)
      text += a->how.transpose ? ", 1" : ", 0";
    if (p.hasMajors)
      text += bOperand.how.transpose ? ", 1" : ", 0";
    text += k + 1 == half ? ";\n\twgmma.commit_group.sync.aligned;\n" : ";\n";
  }
  text += commit ? "\twgmma.commit_group.sync.aligned;\n\t}" : "\t}";
  return f.inlineAsm(text, outputs, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

/// Waits until at most `pending` groups are in flight; the accumulators pass through the wait.
Values wait(Lowering &f, const Values &acc, int64_t pending) {
  SmallVector<std::pair<Type, StringRef>> outputs;
  std::vector<Lowering::AsmInput> inputs;
  for (auto [i, value] : llvm::enumerate(acc)) {
    outputs.push_back({value.getType(), value.getType().isF32() ? "f" : "r"});
    inputs.push_back({value, std::to_string(i)});
  }
  return f.inlineAsm("wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";", outputs,
                     inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

/// Copies to another register. Neither LLVM, its coalescer nor ptxas can undo the copy.
///
/// Products write 32-bit registers; other values that a loop carries need no copy.
Value copied(Lowering &f, Value reg) {
  bool wide = reg.getType().isF32();
  if (!wide && !reg.getType().isInteger(32))
    return reg;
  return f
      .inlineAsm("mov.b32 $0, $1;", {{reg.getType(), wide ? "&f" : "&r"}},
                 {{reg, wide ? "f" : "r"}}, /*sideEffects=*/true, /*memoryClobber=*/false)
      .front();
}

/// Whether several registers are the same value, as those of a splat are. As accumulators, each
/// needs a register of its own before all products. Otherwise LLVM would keep the value in one
/// register and copy it to the others where their product is issued, while an earlier one is in
/// flight; and ptxas would wait for that product (C7517).
bool repeats(const Values &regs) {
  llvm::SmallDenseSet<Value> seen;
  return !llvm::all_of(regs, [&](Value reg) { return seen.insert(reg).second; });
}

} // namespace

bool tessera::nvvm::isZeroTile(Value tile) {
  if (auto ready = tile.getDefiningOp<cta::ReadyOp>())
    tile = ready.getSource();
  DenseElementsAttr elements;
  if (!matchPattern(tile, m_Constant(&elements)) || !elements.isSplat())
    return false;
  auto splat = elements.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(splat))
    return integer.getValue().isZero();
  auto value = dyn_cast<FloatAttr>(splat);
  return value && value.getValue().isPosZero();
}

/// The type of an operand in the instruction's name.
static StringRef nameOfOperand(Type element, bool isUnsigned) {
  if (element.isInteger(8))
    return isUnsigned ? "u8" : "s8";
  return llvm::TypeSwitch<Type, StringRef>(element)
      .Case([](Float16Type) { return "f16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float8E4M3FNType) { return "e4m3"; })
      .Case([](Float8E5M2Type) { return "e5m2"; })
      .Case([](Float32Type) { return "tf32"; });
}

static LogicalResult lowerWgmma(Lowering &f, cta::WgmmaOp op) {
  cta::FragAttr frag = cta::FragAttr::of(op.getResultType());
  int64_t groups = frag.getWgCount();
  Product p;
  const bool packed = op.getResultType().getElementType().isF16();
  p.ofIntegers = isa<IntegerType>(op.getBElement());
  p.hasMajors = !op.needsKMajor();
  p.type = (Twine(p.ofIntegers ? "s32"
                  : packed     ? "f16"
                               : "f32") +
            "." + nameOfOperand(op.getAElement(), op.getLhsUnsigned()) + "." +
            nameOfOperand(op.getBElement(), op.getRhsUnsigned()))
               .str();
  const int64_t groupsN = op.sharesColumns(groups) ? groups : 1, groupsM = groups / groupsN;
  p.blocksM = op.getM() / (64 * groupsM);
  p.n = op.getStepN(groups);
  p.piecesN = op.getN() / groupsN / p.n;
  p.k = op.getStepK();
  p.stepsK = op.getK() / p.k;

  FailureOr<Operand> b = operandOf(f, op, op.getB(), layout::WgmmaRole::B, p.n, groupsN);
  if (failed(b))
    return failure();
  std::optional<Operand> a;
  Values fragments;
  if (op.aInRegisters()) {
    fragments = f.pack(f.registers(op.getA()));
  } else {
    FailureOr<Operand> shared = operandOf(f, op, op.getA(), layout::WgmmaRole::A, 64, groupsM);
    if (failed(shared))
      return failure();
    a = *shared;
  }

  // Registers count the 8-column blocks fastest, then the 64-row blocks; each has four.
  bool accumulate = op.getC() && !isZeroTile(op.getC());
  Values acc;
  if (accumulate)
    acc = f.registers(op.getC());
  const bool isShared = accumulate && repeats(acc);
  size_t count = f.registerTypes(op.getResultType()).size();
  Type element = op.getResultType().getElementType();
  if (!accumulate)
    acc.assign(count, LLVM::PoisonOp::create(f.b, f.loc, element));
  if (packed && !(accumulate && op.isAsync()))
    acc = f.pack(acc);
  if (isShared)
    for (Value &reg : acc)
      reg = copied(f, reg);
  size_t perPiece = acc.size() / (p.blocksM * p.piecesN);
  size_t fragmentsPerBlock = fragments.size() / p.blocksM;
  Values flying;
  // A product that is waited for passes its turn on when its first half has retired.
  const bool half = op.getInTurn() && !op.isAsync();
  const int64_t firstHalf = half ? p.blocksM * p.piecesN * p.stepsK / 2 : 0;
  // The step of that piece after which the first half ends, or 0.
  auto halfAt = [&](int64_t piece) {
    const int64_t step = firstHalf - piece * p.stepsK;
    return step > 0 && step <= p.stepsK ? step : 0;
  };
  if (op.takesTurn())
    f.takeTurn();
  for (int64_t m = 0; m < p.blocksM; ++m)
    for (int64_t n = 0; n < p.piecesN; ++n) {
      size_t first = (m * p.piecesN + n) * perPiece;
      Values piece(acc.begin() + first, acc.begin() + first + perPiece);
      flying.append(issue(
          f, p, piece, accumulate, f.accumulates.lookup(op), a ? &*a : nullptr, m,
          ValueRange(fragments).slice(a ? 0 : m * fragmentsPerBlock, a ? 0 : fragmentsPerBlock), *b,
          n, m + 1 == p.blocksM && n + 1 == p.piecesN, halfAt(m * p.piecesN + n)));
    }
  if (op.isAsync()) {
    if (op.passesTurn())
      f.passTurn();
    f.set(op.getResult(), std::move(flying));
    return success();
  }
  if (half) {
    if (firstHalf)
      flying = wait(f, flying, /*pending=*/1);
    f.passTurn();
  }
  Values done = wait(f, flying, /*pending=*/0);
  f.set(op.getResult(),
        packed ? f.unpack(done, element, static_cast<int64_t>(count)) : std::move(done));
  return success();
}

static LogicalResult lowerWgmmaWait(Lowering &f, cta::WgmmaWaitOp op) {
  Values all;
  for (Value source : op.getSources())
    llvm::append_range(all, f.registers(source));
  Values done = wait(f, all, static_cast<int64_t>(op.getPending()));
  ValueRange rest(done);
  for (Value result : op.getResults()) {
    size_t count = f.registerTypes(result.getType()).size();
    f.setAll(result, rest.take_front(count));
    rest = rest.drop_front(count);
  }
  return success();
}

static LogicalResult lowerReady(Lowering &f, cta::ReadyOp op) {
  Values regs = f.registers(op.getSource());
  if (cast<RankedTensorType>(op.getSource().getType()).getElementType().isF16())
    regs = f.pack(regs);
  f.set(op.getResult(), std::move(regs));
  return success();
}

/// The wait before it does all the work; here a tile only gets its name back.
static LogicalResult lowerComplete(Lowering &f, cta::CompleteOp op) {
  if (!isa_and_nonnull<cta::WgmmaWaitOp, cta::ReadyOp>(op.getSource().getDefiningOp()))
    return f.error(op, "nothing has waited for the product: run cta-insert-waits");
  Values regs = f.registers(op.getSource());
  // It is ready and was not in flight since: a copy in registers that no product has written.
  if (op.getSource().getDefiningOp<cta::ReadyOp>())
    for (Value &reg : regs)
      reg = copied(f, reg);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (type.getElementType().isF16())
    regs =
        f.unpack(regs, type.getElementType(), static_cast<int64_t>(f.registerTypes(type).size()));
  f.set(op.getResult(), std::move(regs));
  return success();
}

void tessera::nvvm::populateWgmmaLowerings(LoweringSet &set) {
  addLowering(set, lowerWgmma);
  addLowering(set, lowerWgmmaWait);
  addLowering(set, lowerReady);
  addLowering(set, lowerComplete);
}
