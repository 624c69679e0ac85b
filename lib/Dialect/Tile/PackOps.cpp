// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The same bits as elements of another width: pack and unpack. And tile.print.
#include "tessera/Dialect/Tile/TakeRules.h"
#include "tessera/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tessera::tile;

//===--- pack and unpack ---------------------------------------------------------------------===//

/// The width of an element that can be packed; 0 for others.
static int64_t packableBits(Type type) {
  if (!type.isSignlessInteger() && !isa<FloatType>(type))
    return 0;
  const int64_t bits = type.getIntOrFloatBitWidth();
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

int64_t tessera::tile::packFactor(Type wide, Type narrow, std::optional<int64_t> bits) {
  const int64_t of = packableBits(wide), by = packableBits(narrow);
  if (bits) {
    const bool ofBytes = wide.isSignlessInteger(8) && narrow.isSignlessInteger(8);
    return ofBytes && (*bits == 1 || *bits == 2 || *bits == 4) ? 8 / *bits : 0;
  }
  return of && by && of > by ? of / by : 0;
}

LogicalResult tessera::tile::verifyPack(Operation *op, StringRef name, RankedTensorType wide,
                                        RankedTensorType narrow, std::optional<int64_t> bits) {
  for (RankedTensorType type : {wide, narrow})
    if (type.getRank() == 0 || !packableBits(type.getElementType()))
      return op->emitOpError(name)
             << "_c1: needs tiles of rank 1 or more with elements of 8, 16, 32 or 64 bits, got "
             << type;
  const int64_t factor = packFactor(wide.getElementType(), narrow.getElementType(), bits);
  if (!factor && bits)
    return op->emitOpError(name)
           << "_c2: 'bits' is 1, 2 or 4, with elements of i8 on both sides; got bits = " << *bits
           << ", " << wide.getElementType() << " and " << narrow.getElementType();
  if (!factor)
    return op->emitOpError(name) << "_c2: " << narrow.getElementType() << " must be narrower than "
                                 << wide.getElementType()
                                 << "; for elements of less than 8 bits in bytes say 'bits'";
  SmallVector<int64_t> shape(wide.getShape());
  if (!ShapedType::isDynamic(shape.back()))
    shape.back() *= factor;
  if (narrow.getShape() != ArrayRef<int64_t>(shape))
    return op->emitOpError(name) << "_c3: " << wide << " has the bits of "
                                 << RankedTensorType::get(shape, narrow.getElementType())
                                 << ", got " << narrow;
  return success();
}

template <typename Op>
static std::optional<int64_t> bitsOf(Op op) {
  return op.getBits() ? std::optional<int64_t>(static_cast<int64_t>(*op.getBits())) : std::nullopt;
}
static RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

int64_t UnpackOp::getFactor() {
  return packFactor(typeOf(getSource()).getElementType(), typeOf(getResult()).getElementType(),
                    bitsOf(*this));
}
int64_t PackOp::getFactor() {
  return packFactor(typeOf(getResult()).getElementType(), typeOf(getSource()).getElementType(),
                    bitsOf(*this));
}

LogicalResult UnpackOp::verify() {
  if (failed(verifyPack(*this, "unpack", typeOf(getSource()), typeOf(getResult()), bitsOf(*this))))
    return failure();
  if (getIsSigned() && !getBits())
    return emitOpError("unpack_c4: 'signed' needs 'bits': without it no bit is added");
  return success();
}
LogicalResult PackOp::verify() {
  return verifyPack(*this, "pack", typeOf(getResult()), typeOf(getSource()), bitsOf(*this));
}

/// What was unpacked and is packed again, and the other way round. Unpacking what `bits` packed
/// gives the elements without their high bits, so that stays.
OpFoldResult PackOp::fold(FoldAdaptor) {
  auto unpack = getSource().getDefiningOp<UnpackOp>();
  return unpack && unpack.getBits() == getBits() &&
                 unpack.getSource().getType() == getResult().getType()
             ? unpack.getSource()
             : OpFoldResult();
}
OpFoldResult UnpackOp::fold(FoldAdaptor) {
  auto pack = getSource().getDefiningOp<PackOp>();
  return pack && !pack.getBits() && !getBits() &&
                 pack.getSource().getType() == getResult().getType()
             ? pack.getSource()
             : OpFoldResult();
}

//===--- print -------------------------------------------------------------------------------===//

LogicalResult tessera::tile::verifyPrint(Operation *op, StringRef message, Type element,
                                         ArrayRef<int64_t> shape) {
  constexpr uint64_t kMostElements = 4096;
  if (!element.isIntOrIndexOrFloat())
    return op->emitOpError("print_c1: prints scalars and tiles of numbers, got ") << element;
  uint64_t count = 1;
  for (int64_t extent : shape)
    if (!ShapedType::isDynamic(extent)) // counted when parameters are bound
      count = llvm::SaturatingMultiply<uint64_t>(count, extent);
  if (count > kMostElements)
    return op->emitOpError("print_c1: a tile that is printed has at most ")
           << kMostElements << " elements, got " << count << "; print a slice of it";
  for (char c : message)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return op->emitOpError("print_c2: the message is one line of printable text");
  return success();
}

LogicalResult PrintOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getValue().getType());
  return verifyPrint(*this, getMessage(), type ? type.getElementType() : getValue().getType(),
                     type ? type.getShape() : ArrayRef<int64_t>{});
}

std::string tessera::tile::printFormat(StringRef message, unsigned coords, unsigned rank,
                                       Type element) {
  std::string text;
  for (char c : message)
    text += c == '%' ? std::string("%%") : std::string(1, c);
  auto list = [&](unsigned count, char open, char close) {
    if (!count)
      return;
    text += open;
    for (unsigned i = 0; i < count; ++i)
      text += i ? ", %lld" : "%lld";
    text += close;
  };
  list(coords, '[', ']');
  list(rank, '(', ')');
  text += isa<FloatType>(element) ? element.isF64() ? " = %.17g\n" : " = %.9g\n" : " = %lld\n";
  return text;
}
