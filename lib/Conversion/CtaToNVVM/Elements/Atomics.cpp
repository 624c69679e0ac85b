// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.atomic. Where PTX has an instruction and nobody wants the old value, a predicated `red`, for
// sums of floats by vectors. Otherwise a branch with LLVM's atomics, which are one instruction or,
// in a loop, compare and swap.
#include "Atomics.h"

#include "tessera/Dialect/Tile/AtomicStep.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

using tile::AtomicKind;

/// `gpu` or `sys`, as PTX calls a scope.
static StringRef ptxScope(tile::MemoryScope scope) {
  return scope == tile::MemoryScope::Device ? "gpu" : "sys";
}
/// The same as LLVM calls it; system is the default.
static StringRef llvmScope(tile::MemoryScope scope) {
  return scope == tile::MemoryScope::Device ? "device" : "";
}

/// The operation and type of a `red` for elements of a type, or nothing if PTX has none (PTX ISA,
/// red). Elements of 8 bits and 16-bit integers have none, nor have extremes of floats.
static std::optional<std::string> reductionOf(AtomicKind kind, Type element, int64_t count) {
  const bool isFloat = isa<FloatType>(element);
  const unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  const std::string width = std::to_string(bits);
  switch (kind) {
  case AtomicKind::Add: {
    if (isFloat && bits == 16) {
      const std::string type = element.isBF16() ? "bf16" : "f16";
      if (count == 1)
        return ".add.noftz." + type;
      return ".add.noftz" + (count > 2 ? ".v" + std::to_string(count / 2) : std::string()) + "." +
             type + "x2";
    }
    if (isFloat && bits == 32 && count > 1)
      return ".add.v" + std::to_string(count) + ".f32";
    if (isFloat)
      return ".add.f" + width;
    if (bits == 16)
      return std::nullopt;
    return ".add.u" + width;
  }
  case AtomicKind::Min:
  case AtomicKind::Max:
    if (isFloat || bits == 16)
      return std::nullopt;
    return (kind == AtomicKind::Min ? ".min.s" : ".max.s") + width;
  case AtomicKind::UMin:
  case AtomicKind::UMax:
    if (bits == 16)
      return std::nullopt;
    return (kind == AtomicKind::UMin ? ".min.u" : ".max.u") + width;
  case AtomicKind::And:
  case AtomicKind::Or:
  case AtomicKind::Xor:
    if (bits == 16)
      return std::nullopt;
    return (kind == AtomicKind::And  ? ".and.b"
            : kind == AtomicKind::Or ? ".or.b"
                                     : ".xor.b") +
           width;
  case AtomicKind::Exchange:
  case AtomicKind::Cas:
    return std::nullopt;
  }
  return std::nullopt;
}

/// LLVM's operation that NVPTX has an instruction for; nothing for those that take a loop.
static std::optional<LLVM::AtomicBinOp> binaryOf(AtomicKind kind, Type element) {
  const bool isFloat = isa<FloatType>(element);
  const unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (isFloat)
    return kind == AtomicKind::Add && bits >= 32 ? std::optional(LLVM::AtomicBinOp::fadd)
                                                 : std::nullopt;
  if (bits == 16)
    return std::nullopt;
  switch (kind) {
  case AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::Exchange:
    return LLVM::AtomicBinOp::xchg;
  case AtomicKind::Cas:
    return std::nullopt;
  }
  return std::nullopt;
}

namespace {
/// Steps of one kind.
class Steps {
public:
  Steps(Lowering &f, AtomicKind kind, tile::MemoryScope scope, Type element)
      : f(f), kind(kind), scope(scope), element(element),
        bits(f.b.getIntegerType(static_cast<unsigned>(tile::elementBytes(element)) * 8)) {}

  /// One step; returns the old element in its form in registers.
  Value one(Value pointer, int64_t offset, Value value, Value replacement) {
    Value address = f.gep(pointer, offset);
    if (kind == AtomicKind::Cas)
      return fromBits(LLVM::ExtractValueOp::create(
          f.b, f.loc, exchange(address, toBits(value), toBits(replacement)), 0));
    // NVPTX loses the scope of an atomicrmw, but not that of a cmpxchg (LLVM 22).
    std::optional<LLVM::AtomicBinOp> binary = binaryOf(kind, element);
    if (binary && scope == tile::MemoryScope::Device) {
      const bool isFloat = *binary == LLVM::AtomicBinOp::fadd;
      Value old =
          LLVM::AtomicRMWOp::create(f.b, f.loc, *binary, address, isFloat ? value : toBits(value),
                                    LLVM::AtomicOrdering::monotonic, llvmScope(scope));
      return isFloat ? old : fromBits(old);
    }
    return loop(address, value);
  }

private:
  Value toBits(Value x) { return f.bitcast(f.toMemory(x), bits); }
  Value fromBits(Value x) { return f.fromMemory(f.bitcast(x, f.memoryType(element)), element); }
  Value exchange(Value address, Value expected, Value wanted) {
    return LLVM::AtomicCmpXchgOp::create(f.b, f.loc, address, expected, wanted,
                                         LLVM::AtomicOrdering::monotonic,
                                         LLVM::AtomicOrdering::monotonic, llvmScope(scope));
  }
  /// Compares and swaps until no other thread came in between.
  Value loop(Value address, Value value) {
    Value first = LLVM::LoadOp::create(
        f.b, f.loc, bits, address, /*alignment=*/bits.getWidth() / 8, /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
        LLVM::AtomicOrdering::monotonic, llvmScope(scope));
    auto loop = scf::WhileOp::create(f.b, f.loc, TypeRange{bits}, ValueRange{first});
    OpBuilder::InsertionGuard guard(f.b);
    Block *before = f.b.createBlock(&loop.getBefore(), {}, bits, f.loc);
    Value old = before->getArgument(0);
    Value wanted = toBits(tile::combineAtomic(f.b, f.loc, kind, fromBits(old), value));
    Value tried = exchange(address, old, wanted);
    Value seen = LLVM::ExtractValueOp::create(f.b, f.loc, tried, 0),
          done = LLVM::ExtractValueOp::create(f.b, f.loc, tried, 1);
    scf::ConditionOp::create(f.b, f.loc, f.bitXor(done, f.boolean(true)), seen);
    Block *after = f.b.createBlock(&loop.getAfter(), {}, bits, f.loc);
    scf::YieldOp::create(f.b, f.loc, after->getArgument(0));
    f.b.setInsertionPointAfter(loop);
    return fromBits(loop.getResult(0));
  }

  Lowering &f;
  AtomicKind kind;
  tile::MemoryScope scope;
  Type element;
  IntegerType bits;
};
} // namespace

static void predicatedReduction(Lowering &f, const std::string &what, tile::MemoryScope scope,
                                Value pointer, int64_t offset, Value predicate, ValueRange words) {
  SmallVector<Lowering::AsmInput> inputs{{pointer, "l"}};
  for (Value word : words) {
    const bool isWide = word.getType().isInteger(64) || word.getType().isF64();
    inputs.push_back({word, isWide ? "l" : wordConstraint(word.getType()).str()});
  }
  std::string text;
  if (!isTrue(predicate)) {
    inputs.push_back({predicate, "b"});
    text = "@$" + std::to_string(words.size() + 1) + " ";
  }
  text += ("red.relaxed." + ptxScope(scope) + ".global" + what + " [$0+" + Twine(offset) + "], " +
           wordList("", 1, words.size()) + ";")
              .str();
  f.inlineAsm(text, {}, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

/// Orders what this thread, and through the barriers those of the block, did before with what comes
/// after, for both proxies.
static void fence(Lowering &f, tile::MemoryScope scope) {
  f.inlineAsm(("fence.acq_rel." + ptxScope(scope) + ";\n\tfence.proxy.async;").str(), {}, {},
              /*sideEffects=*/true, /*memoryClobber=*/true);
}

/// The words of `count` elements for a `red`: elements of 64 bits stay whole.
static Values wordsOf(Lowering &f, ValueRange elements, unsigned bits) {
  if (bits != 64)
    return f.pack(elements);
  Values words;
  for (Value element : elements)
    words.push_back(f.bitcast(element, f.b.getI64Type()));
  return words;
}

void tessera::nvvm::makeStep(Lowering &f, AtomicKind kind, Type element, Value pointer,
                             Value predicate, Value value) {
  constexpr auto kDevice = tile::MemoryScope::Device;
  const unsigned bits = static_cast<unsigned>(tile::elementBytes(element)) * 8;
  if (std::optional<std::string> reduction = reductionOf(kind, element, 1))
    return predicatedReduction(f, *reduction, kDevice, pointer, 0, predicate,
                               wordsOf(f, f.toMemory(value), bits));
  auto branch = scf::IfOp::create(f.b, f.loc, predicate ? predicate : f.boolean(true),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  Steps(f, kind, kDevice, element).one(pointer, 0, value, Value());
}

static LogicalResult lowerAtomic(Lowering &f, cta::AtomicOp op) {
  if (op.getInto())
    return lowerStepsInTable(f, op);
  Access access(f, op, op.getDest(), op.getTileType());
  if (access.failed)
    return failure();
  const Type element = op.getTileType().getElementType();
  const unsigned bits = static_cast<unsigned>(access.bytes) * 8;
  const Values values = f.registers(op.getValue());
  const Values replacements = op.getReplacement() ? f.registers(op.getReplacement()) : Values();
  Value owner = f.isOwner(access.index.layout);
  const bool isOrdered = op.isOrdered();
  if (isOrdered)
    f.meet();

  Values old(values.size(), op.getOld() ? f.zero(element) : Value());
  Steps steps(f, op.getKind(), op.getScope(), element);
  auto one = [&](int64_t reg, int64_t count, Value predicate, Value pointer, int64_t offset) {
    predicate = f.both(predicate, owner);
    std::optional<std::string> reduction =
        op.getOld() || isOrdered ? std::nullopt : reductionOf(op.getKind(), element, count);
    if (reduction) {
      Values elements;
      for (int64_t i = 0; i < count; ++i)
        elements.push_back(f.toMemory(values[reg + i]));
      return predicatedReduction(f, *reduction, op.getScope(), pointer, offset, predicate,
                                 wordsOf(f, elements, bits));
    }
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<Type> types(op.getOld() ? 1 : 0, f.zero(element).getType());
      auto branch = scf::IfOp::create(f.b, f.loc, types, predicate ? predicate : f.boolean(true),
                                      /*addThenBlock=*/true, /*addElseBlock=*/!types.empty());
      OpBuilder::InsertionGuard guard(f.b);
      f.b.setInsertionPointToStart(branch.thenBlock());
      if (isOrdered)
        fence(f, op.getScope());
      Value was = steps.one(pointer, offset + i * access.bytes, values[reg + i],
                            replacements.empty() ? Value() : replacements[reg + i]);
      if (isOrdered)
        fence(f, op.getScope());
      if (types.empty()) {
        if (!branch.thenBlock()->mightHaveTerminator())
          scf::YieldOp::create(f.b, f.loc);
        continue;
      }
      scf::YieldOp::create(f.b, f.loc, was);
      f.b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(f.b, f.loc, f.zero(element));
      old[reg + i] = branch.getResult(0);
    }
  };
  // The results of several paths would have to be merged; with one path they are visible after it.
  access.emitBounded(one);
  if (isOrdered)
    f.meet();
  if (op.getOld())
    f.set(op.getOld(), std::move(old));
  return success();
}

void tessera::nvvm::populateAtomicLowerings(LoweringSet &set) { addLowering(set, lowerAtomic); }
