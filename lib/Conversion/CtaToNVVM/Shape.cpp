// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layout conversions within a warp, and shape ops that only rename registers.
#include "Lowering.h"

#include "tessera/Dialect/Cta/IR/LayoutRules.h"

#include "tessera/Layout/Conversion.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;
using cta::layoutOf;
using cta::tensorOf;
static layout::Coord shapeOf(Value v) { return cta::coordOf(tensorOf(v).getShape()); }

/// Results whose registers are source registers of the same thread.
static LogicalResult rename(Lowering &f, Operation *op, Value source, Value result,
                            llvm::function_ref<layout::Coord(const layout::Coord &)> map) {
  auto match =
      matchRegisters(layoutOf(source), shapeOf(source), layoutOf(result), shapeOf(result), map);
  if (failed(match))
    return f.error(op, "source and result have layouts that do not fit: another thread holds the "
                       "elements; cta-verify says what the layouts must be");
  const Values &from = f.registers(source);
  Values regs;
  for (int64_t r : *match)
    regs.push_back(r < 0 ? f.zero(tensorOf(result).getElementType()) : from[r]);
  f.set(result, std::move(regs));
  return success();
}

static LogicalResult lowerBroadcast(Lowering &f, cta::BroadcastOp op) {
  Value source = op.getSource();
  if (!isa<RankedTensorType>(source.getType())) {
    size_t count = f.registerTypes(op.getResult().getType()).size();
    f.set(op.getResult(), Values(count, f.scalar(source)));
    return success();
  }
  layout::Coord extents = shapeOf(source);
  return rename(f, op, source, op.getResult(), [&](const layout::Coord &c) {
    layout::Coord s;
    for (auto [i, d] : llvm::enumerate(op.getDims()))
      s.push_back(extents[i] == 1 ? 0 : c[d]);
    return s;
  });
}

static LogicalResult lowerTranspose(Lowering &f, cta::TransposeOp op) {
  return rename(f, op, op.getSource(), op.getResult(), [&](const layout::Coord &c) {
    layout::Coord s(c.size());
    for (auto [i, d] : llvm::enumerate(op.getDims()))
      s[d] = c[i];
    return s;
  });
}

static LogicalResult lowerSlice(Lowering &f, cta::SliceOp op) {
  if (!cta::sliceKeepsRegisters(op))
    return f.error(op, "run cta-decompose before this pass");
  return rename(f, op, op.getSource(), op.getResult(), [&](const layout::Coord &c) {
    layout::Coord s;
    for (auto [d, offset] : llvm::enumerate(op.getOffsets()))
      s.push_back(offset + (op.getStrides() ? (*op.getStrides())[d] : 1) * c[d]);
    return s;
  });
}

static LogicalResult lowerReshape(Lowering &f, cta::ReshapeOp op) {
  layout::Coord from = shapeOf(op.getSource()), to = shapeOf(op.getResult());
  return rename(f, op, op.getSource(), op.getResult(), [&](const layout::Coord &c) {
    int64_t linear = 0;
    for (size_t d = 0; d < to.size(); ++d)
      linear = linear * to[d] + c[d];
    layout::Coord s(from.size());
    for (size_t d = from.size(); d-- > 0; linear /= from[d])
      s[d] = linear % from[d];
    return s;
  });
}

static LogicalResult lowerIota(Lowering &f, cta::IotaOp op) {
  TileIndex index(f, cast<RankedTensorType>(op.getResult().getType()));
  Type element = tensorOf(op.getResult()).getElementType();
  int dim = static_cast<int>(op.getDim());
  Value from = op.getFrom() ? f.scalar(op.getFrom()) : Value();
  auto convert = [&](Value x) -> Value {
    if (element.isIndex())
      return f.toIndex(x);
    unsigned bits = element.getIntOrFloatBitWidth();
    if (bits < 32)
      return arith::TruncIOp::create(f.b, f.loc, element, x);
    return bits > 32 ? f.toI64(x) : x;
  };
  std::map<int64_t, Value> seen; // columns repeat from row to row
  Values regs;
  for (int64_t r = 0; r < index.size(); ++r) {
    Value &value = seen[index.first(r)[dim]];
    if (!value) {
      value = convert(index.value(index.at(r, dim)));
      if (from)
        value = f.add(from, value);
    }
    regs.push_back(value);
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

//===--- convert_layout ----------------------------------------------------------------------===//

/// The lane from which a move reads, for shfl.idx.
static Value sourceLane(Lowering &f, const layout::ConversionMove &move) {
  std::vector<int64_t> columns(move.laneColumns, move.laneColumns + layout::kLaneBits);
  Value lane = f.threadSum(columns, {}, 0);
  return lane ? f.bitXor(lane, f.i32(move.laneBase)) : f.i32(move.laneBase);
}

/// True in the lanes that take part in this move.
static Value wants(Lowering &f, const layout::ConversionMove &move) {
  Lowering::Preamble preamble(f);
  Value mask = f.i32(static_cast<int32_t>(move.laneMasks[0]));
  if (!move.isWarpUniform()) {
    Value warp = f.warpInBlock();
    for (size_t w = 1; w < move.laneMasks.size(); ++w)
      mask = f.select(f.compare(arith::CmpIPredicate::eq, warp, f.i32(static_cast<int64_t>(w))),
                      f.i32(static_cast<int32_t>(move.laneMasks[w])), mask);
  }
  Value shifted = arith::ShRUIOp::create(f.b, f.loc, mask, f.lane());
  return arith::TruncIOp::create(f.b, f.loc, f.b.getI1Type(), shifted);
}

static LogicalResult lowerConvertLayout(Lowering &f, cta::ConvertLayoutOp op) {
  const Values &from = f.registers(op.getSource());
  layout::Conversion conversion =
      layout::classify(layoutOf(op.getSource()), layoutOf(op.getResult()), shapeOf(op.getResult()));
  Type element = tensorOf(op.getResult()).getElementType();
  Values regs;
  switch (conversion.kind) {
  case layout::ConversionKind::Shared:
    return f.error(op, "this conversion crosses warps: run cta-decompose before this pass");
  case layout::ConversionKind::NoOp:
  case layout::ConversionKind::RegisterPermute:
    for (int64_t r : conversion.srcReg)
      regs.push_back(r < 0 ? f.zero(element) : from[r]);
    break;
  case layout::ConversionKind::RegisterSelect:
  case layout::ConversionKind::WarpShuffle: {
    // Equal moves of several registers share one shuffle; equal masks share one test.
    std::map<std::pair<int64_t, std::vector<uint32_t>>, Value> shuffles;
    std::map<std::vector<uint32_t>, Value> tests;
    for (const auto &moves : conversion.moves) {
      Value value;
      for (const layout::ConversionMove &move : moves) {
        Value moved = from[move.srcReg];
        if (!move.isLaneIdentity()) {
          std::vector<uint32_t> key(move.laneColumns, move.laneColumns + layout::kLaneBits);
          key.push_back(move.laneBase);
          Value &shuffled = shuffles[{move.srcReg, key}];
          if (!shuffled)
            shuffled = move.isButterfly() ? f.shuffleXor(moved, move.laneBase)
                                          : f.shuffleIndex(moved, sourceLane(f, move));
          moved = shuffled;
        }
        if (!value) {
          value = moved;
          continue;
        }
        Value &test = tests[move.laneMasks];
        if (!test)
          test = wants(f, move);
        value = f.select(test, moved, value);
      }
      regs.push_back(value ? value : f.zero(element));
    }
    break;
  }
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

//===--- one element, and what an earlier pass replaces ---------------------------------------===//

static LogicalResult lowerExtract(Lowering &f, cta::ExtractOp op) {
  f.set(op.getResult(), {f.scalar(op.getSource())});
  return success();
}

static LogicalResult refuseConcat(Lowering &f, cta::ConcatOp op) {
  return f.error(op, "run cta-decompose before this pass");
}

void tessera::nvvm::populateShapeLowerings(LoweringSet &set) {
  addLowering(set, lowerBroadcast);
  addLowering(set, lowerTranspose);
  addLowering(set, lowerSlice);
  addLowering(set, lowerReshape);
  addLowering(set, lowerIota);
  addLowering(set, lowerConvertLayout);
  addLowering(set, lowerExtract);
  addLowering(set, refuseConcat);
}
