// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic that folds constants as it is emitted, words of memory, and inline PTX.
#include "Lowering.h"

#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

//===--- constants ---------------------------------------------------------------------------===//

Value Lowering::constant(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value); number && tile::isFloat8(value.getType()))
    value = IntegerAttr::get(b.getI8Type(), number.getValue().bitcastToAPInt());
  Value &cached = constants[{value.getAsOpaquePointer(), value.getType().getAsOpaquePointer()}];
  if (!cached) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&func.getBody().front());
    cached = arith::ConstantOp::create(b, func.getLoc(), value);
  }
  return cached;
}

Value Lowering::i32(int64_t value) {
  return constant(b.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value Lowering::i64(int64_t value) { return constant(b.getI64IntegerAttr(value)); }
Value Lowering::boolean(bool value) { return constant(b.getIntegerAttr(b.getI1Type(), value)); }
Value Lowering::zero(Type type) { return constant(cast<TypedAttr>(b.getZeroAttr(type))); }

//===--- integers ----------------------------------------------------------------------------===//

template <typename Op>
static Value integerOp(Lowering &f, Value x, Value y,
                       llvm::function_ref<int64_t(int64_t, int64_t)> fold) {
  std::optional<int64_t> cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return f.constant(f.b.getIntegerAttr(x.getType(), fold(*cx, *cy)));
  return Op::create(f.b, f.loc, x, y);
}

Value Lowering::add(Value x, Value y) {
  if (isConstantIntValue(y, 0))
    return x;
  if (isConstantIntValue(x, 0))
    return y;
  return integerOp<arith::AddIOp>(*this, x, y, [](int64_t a, int64_t c) { return a + c; });
}
Value Lowering::sub(Value x, Value y) {
  if (isConstantIntValue(y, 0))
    return x;
  return integerOp<arith::SubIOp>(*this, x, y, [](int64_t a, int64_t c) { return a - c; });
}
Value Lowering::mul(Value x, Value y) {
  if (isConstantIntValue(y, 1) || isConstantIntValue(x, 0))
    return x;
  if (isConstantIntValue(x, 1) || isConstantIntValue(y, 0))
    return y;
  return integerOp<arith::MulIOp>(*this, x, y, [](int64_t a, int64_t c) { return a * c; });
}
Value Lowering::bitAnd(Value x, Value y) {
  return integerOp<arith::AndIOp>(*this, x, y, [](int64_t a, int64_t c) { return a & c; });
}
Value Lowering::bitXor(Value x, Value y) {
  if (isConstantIntValue(y, 0))
    return x;
  return integerOp<arith::XOrIOp>(*this, x, y, [](int64_t a, int64_t c) { return a ^ c; });
}
Value Lowering::min(Value x, Value y) {
  return integerOp<arith::MinSIOp>(*this, x, y,
                                   [](int64_t a, int64_t c) { return std::min(a, c); });
}
Value Lowering::max(Value x, Value y) {
  return integerOp<arith::MaxSIOp>(*this, x, y,
                                   [](int64_t a, int64_t c) { return std::max(a, c); });
}

Value Lowering::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  std::optional<int64_t> cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy) {
    unsigned bits = x.getType().isIndex() ? 64 : x.getType().getIntOrFloatBitWidth();
    return boolean(arith::applyCmpPredicate(predicate, APInt(bits, *cx, /*isSigned=*/true),
                                            APInt(bits, *cy, /*isSigned=*/true)));
  }
  return arith::CmpIOp::create(b, loc, predicate, x, y);
}

Value Lowering::select(Value condition, Value x, Value y) {
  if (x == y)
    return x;
  if (std::optional<int64_t> c = getConstantIntValue(condition))
    return *c ? x : y;
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value Lowering::both(Value x, Value y) {
  if (!x || (y && isConstantIntValue(y, 0)))
    return y;
  if (!y || isConstantIntValue(x, 0))
    return x;
  if (getConstantIntValue(x))
    return y;
  if (getConstantIntValue(y))
    return x;
  return arith::AndIOp::create(b, loc, x, y);
}

static Value castInteger(Lowering &f, Value x, Type to) {
  if (x.getType() == to)
    return x;
  if (std::optional<int64_t> c = getConstantIntValue(x))
    return f.constant(f.b.getIntegerAttr(to, *c));
  if (x.getType().isIndex() || to.isIndex())
    return arith::IndexCastOp::create(f.b, f.loc, to, x);
  if (x.getType().getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(f.b, f.loc, to, x);
  return arith::ExtSIOp::create(f.b, f.loc, to, x);
}
Value Lowering::toI64(Value x) { return castInteger(*this, x, b.getI64Type()); }
Value Lowering::toI32(Value x) { return castInteger(*this, x, b.getI32Type()); }
Value Lowering::toIndex(Value x) { return castInteger(*this, x, b.getIndexType()); }

Value Lowering::bitcast(Value x, Type type) {
  type = registerType(type);
  if (x.getType() == type)
    return x;
  if (auto cast = x.getDefiningOp<LLVM::BitcastOp>(); cast && cast.getArg().getType() == type)
    return cast.getArg();
  return LLVM::BitcastOp::create(b, loc, type, x);
}

//===--- words of memory ---------------------------------------------------------------------===//

Type Lowering::registerType(Type element) {
  return tile::isFloat8(element) ? Type(b.getI8Type()) : element;
}

Type Lowering::memoryType(Type element) {
  if (element.isIndex())
    return b.getI64Type();
  return element.isInteger(1) ? b.getI8Type() : registerType(element);
}

Value Lowering::toMemory(Value element) {
  if (element.getType().isIndex())
    return toI64(element);
  if (element.getType().isInteger(1))
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), element);
  return element;
}

Value Lowering::fromMemory(Value stored, Type element) {
  if (element.isIndex())
    return toIndex(stored);
  if (element.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored, zero(b.getI8Type()));
  return stored;
}

SmallVector<Type> Lowering::wordTypes(int64_t bytes) {
  if (bytes >= 4)
    return SmallVector<Type>(bytes / 4, b.getI32Type());
  return {b.getIntegerType(static_cast<unsigned>(bytes * 8))};
}

Values Lowering::pack(ValueRange elements) {
  Type type = elements.front().getType();
  int64_t bits = type.getIntOrFloatBitWidth();
  Values words;
  if (bits == 64) {
    auto pair = VectorType::get({2}, b.getI32Type());
    for (Value element : elements) {
      Value both = bitcast(element, pair);
      for (int i : {0, 1})
        words.push_back(LLVM::ExtractElementOp::create(b, loc, both, i32(i)));
    }
    return words;
  }
  int64_t perWord = std::min<int64_t>(32 / bits, elements.size());
  Type word = b.getIntegerType(static_cast<unsigned>(perWord * bits));
  for (size_t i = 0; i < elements.size(); i += perWord) {
    if (perWord == 1) {
      words.push_back(bitcast(elements[i], word));
      continue;
    }
    Value vector = LLVM::PoisonOp::create(b, loc, VectorType::get({perWord}, type));
    for (int64_t k = 0; k < perWord; ++k)
      vector = LLVM::InsertElementOp::create(b, loc, vector, elements[i + k], i32(k));
    words.push_back(bitcast(vector, word));
  }
  return words;
}

Values Lowering::unpack(ValueRange words, Type element, int64_t count) {
  element = registerType(element);
  int64_t bits = element.getIntOrFloatBitWidth();
  Values elements;
  if (bits == 64) {
    auto pair = VectorType::get({2}, b.getI32Type());
    for (int64_t i = 0; i < count; ++i) {
      Value vector = LLVM::PoisonOp::create(b, loc, pair);
      for (int k : {0, 1})
        vector = LLVM::InsertElementOp::create(b, loc, vector, words[2 * i + k], i32(k));
      elements.push_back(bitcast(vector, element));
    }
    return elements;
  }
  int64_t perWord = std::min<int64_t>(32 / bits, count);
  for (int64_t i = 0; i < count; i += perWord) {
    Value word = words[i / perWord];
    if (perWord == 1) {
      elements.push_back(bitcast(word, element));
      continue;
    }
    Value vector = bitcast(word, VectorType::get({perWord}, element));
    for (int64_t k = 0; k < perWord; ++k)
      elements.push_back(LLVM::ExtractElementOp::create(b, loc, vector, i32(k)));
  }
  return elements;
}

Value Lowering::gep(Value pointer, Value byteOffset) {
  if (std::optional<int64_t> c = getConstantIntValue(byteOffset))
    return gep(pointer, *c);
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ValueRange{byteOffset});
}

Value Lowering::gep(Value pointer, int64_t byteOffset) {
  if (!byteOffset)
    return pointer;
  // MLIR's GEP holds fewer bits of a static index than LLVM's does.
  if (!llvm::isInt<LLVM::kGEPConstantBitWidth>(byteOffset))
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                               ValueRange{i64(byteOffset)});
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byteOffset)});
}

Values Lowering::loadWords(Value pointer, int64_t byteOffset, int64_t bytes, bool invariant) {
  SmallVector<Type> types = wordTypes(bytes);
  Type type = types.size() == 1
                  ? types[0]
                  : Type(VectorType::get({static_cast<int64_t>(types.size())}, types[0]));
  Value loaded = LLVM::LoadOp::create(b, loc, type, gep(pointer, byteOffset),
                                      static_cast<unsigned>(bytes), /*isVolatile=*/false,
                                      /*isNonTemporal=*/false, invariant);
  if (types.size() == 1)
    return {loaded};
  Values words;
  for (size_t i = 0; i < types.size(); ++i)
    words.push_back(LLVM::ExtractElementOp::create(b, loc, loaded, i32(i)));
  return words;
}

void Lowering::storeWords(ValueRange words, Value pointer, int64_t byteOffset, int64_t bytes) {
  Value stored = words.front();
  if (words.size() > 1) {
    stored = LLVM::PoisonOp::create(
        b, loc, VectorType::get({static_cast<int64_t>(words.size())}, b.getI32Type()));
    for (auto [i, word] : llvm::enumerate(words))
      stored = LLVM::InsertElementOp::create(b, loc, stored, word, i32(i));
  }
  LLVM::StoreOp::create(b, loc, stored, gep(pointer, byteOffset), static_cast<unsigned>(bytes));
}

//===--- shared memory and inline PTX --------------------------------------------------------===//

Value Lowering::sharedBase() {
  if (smem)
    return smem;
  constexpr StringLiteral name = "__tessera_shared";
  if (!module.lookupSymbol(name)) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(top, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, name, Attribute(),
                           /*alignment=*/1024, /*addrSpace=*/3);
  }
  Preamble preamble(*this);
  smem = LLVM::AddressOfOp::create(b, func.getLoc(), LLVM::LLVMPointerType::get(context, 3), name);
  return smem;
}

Value Lowering::sharedAddress(int64_t offset) { return gep(sharedBase(), offset); }

Values Lowering::inlineAsm(StringRef text, ArrayRef<std::pair<Type, StringRef>> outputs,
                           ArrayRef<AsmInput> inputs, bool sideEffects, bool memoryClobber) {
  std::string constraints;
  auto append = [&](const Twine &c) {
    if (!constraints.empty())
      constraints += ',';
    constraints += c.str();
  };
  SmallVector<Type> types;
  for (auto [type, constraint] : outputs) {
    types.push_back(type);
    append("=" + constraint);
  }
  Values operands;
  for (const AsmInput &input : inputs) {
    operands.push_back(input.value);
    append(input.constraint);
  }
  if (memoryClobber)
    append("~{memory}");
  SmallVector<Type, 1> result;
  if (types.size() == 1)
    result.push_back(types[0]);
  else if (!types.empty())
    result.push_back(LLVM::LLVMStructType::getLiteral(context, types));
  auto op = LLVM::InlineAsmOp::create(
      b, loc, TypeRange(result), operands, text, constraints, sideEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT), ArrayAttr());
  if (types.empty())
    return {};
  if (types.size() == 1)
    return {op->getResult(0)};
  Values values;
  for (size_t i = 0; i < types.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, op->getResult(0), ArrayRef<int64_t>(i)));
  return values;
}

InFlightDiagnostic Lowering::error(Operation *op, const Twine &message) {
  return op->emitError(message);
}

Value Lowering::opaque(Value x) {
  const bool narrow = x.getType().isInteger(32);
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(x.getType());
  assert((narrow || x.getType().isInteger(64) || (pointer && pointer.getAddressSpace() == 1)) &&
         "no register of this type is known here");
  return inlineAsm(narrow ? "mov.b32 $0, $1;" : "mov.b64 $0, $1;",
                   {{x.getType(), narrow ? "r" : "l"}}, {{x, narrow ? "r" : "l"}},
                   /*sideEffects=*/true, /*memoryClobber=*/false)
      .front();
}
