// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which matrix products tensor cores can do, and how many warpgroups a kernel gets for them.
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Layout/MmaSync.h"
#include "tessera/Layout/WgmmaOperand.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

bool tessera::cta::hasProducts(Operation *op) {
  return op->walk([](WgmmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool tessera::cta::multipliesMatrices(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<WgmmaOp, MmaOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

template <typename Op>
static Product productOf(Op op) {
  Product p;
  p.a = op.getAType().getShape();
  p.b = op.getBType().getShape();
  p.element = op.getAType().getElementType();
  p.elementB = op.getBType().getElementType();
  p.result = op.getResultType().getElementType();
  p.allowsTf32 = op.getPrecision() == tile::Precision::Tf32;
  return p;
}

Product::Product(tile::MmaOp op) : Product(productOf(op)) {}
Product::Product(MmaOp op) : Product(productOf(op)) {}

int64_t Product::stepK() const {
  return tile::tensorCoreStep(element, elementB, result, allowsTf32);
}
int64_t Product::stepN() const { return layout::wgmmaBlockN(n(), isa<IntegerType>(element)); }

/// Why wgmma does not take the types, and what the user can do about it.
static std::string whyNotTypes(const Product &p) {
  std::string text;
  llvm::raw_string_ostream why(text);
  // The types of accumulators that the operands have.
  MLIRContext *context = p.element.getContext();
  SmallVector<Type, 2> sums;
  for (Type sum : {Type(Float32Type::get(context)), Type(Float16Type::get(context)),
                   Type(IntegerType::get(context, 32))})
    if (tile::tensorCoreStep(p.element, p.elementB, sum, p.allowsTf32))
      sums.push_back(sum);
  if (!sums.empty()) {
    why << "the result is " << p.result << "; the tensor cores accumulate products of " << p.element
        << " in ";
    llvm::interleave(sums, why, " or ");
    why << ": convert the result of such a product";
    return text;
  }
  if (p.element.isF64()) {
    why << "it does not take f64";
    return text;
  }
  why << "the operands are " << p.element
      << "; the tensor cores take f16, bf16, tf32, f8, i8 and f64 here: ";
  if (p.element.isF32())
    why << "'precision = tf32' lets them drop bits of f32, or convert the operands with "
           "arith.truncf";
  else if (isa<FloatType>(p.element))
    why << "convert the operands with arith.truncf";
  else
    why << "they do not hold every integer of that type, so there is nothing to convert to";
  return text;
}

/// Why a product of rank 3 has not become products of rank 2.
static std::string whyNotSplit(const Product &p) {
  std::string text;
  llvm::raw_string_ostream why(text);
  why << "the product is batched (rank " << p.a.size() << ")";
  const int64_t batches = p.a.front();
  if (p.m() % 64 == 0 && !tile::splitsBatches(batches, p.m(), p.n())) {
    why << ", and its " << batches << " batches ";
    if (batches > tile::kMaxSplitBatches)
      why << "are more than the " << tile::kMaxSplitBatches << " that are unrolled";
    else
      why << "would have " << tile::splitAccumulators(batches, p.m(), p.n())
          << " accumulators a thread, more than " << tile::kMaxSplitAccumulators;
  }
  why << "; load tiles of rank 2 and name their memref dimensions with 'dims', or loop over the "
         "batch";
  return text;
}

std::optional<std::string> tessera::cta::whyNotWgmma(const Product &p, int64_t warpgroups) {
  std::string text;
  llvm::raw_string_ostream why(text);
  const int64_t stepK = p.stepK();
  if (!stepK)
    why << whyNotTypes(p);
  else if (p.a.size() != 2)
    why << whyNotSplit(p);
  else if (p.m() % 64)
    why << "M = " << p.m()
        << " is not a multiple of 64, the rows of a warpgroup; a larger tile is padded with zeros "
           "by the load";
  else if (p.k() % stepK)
    why << "K = " << p.k() << " is not a multiple of " << stepK
        << "; a larger tile is padded with zeros by the load";
  else if (p.n() % 8)
    why << "N = " << p.n()
        << " is not a multiple of 8; a larger tile is padded with zeros by "
           "the load";
  else if (p.split(warpgroups) < 0)
    why << "M = " << p.m() << " is not a multiple of " << 64 * warpgroups
        << " (64 rows for each of " << warpgroups << " warpgroups), and N = " << p.n()
        << " is none of " << 8 * warpgroups << ", so that they could share columns";
  if (text.empty())
    return std::nullopt;
  return text;
}

std::optional<std::string> tessera::cta::whyNotMmaSync(const Product &p, int64_t warpgroups) {
  std::string text;
  llvm::raw_string_ostream why(text);
  layout::Coord shape;
  if (p.a.size() == 3)
    shape.push_back(p.a.front());
  shape.insert(shape.end(), {p.m(), p.n()});
  if (!p.element.isF64() || !p.result.isF64())
    why << "it takes f64 here, and the operands are " << p.element;
  else if (!layout::mmaSyncPays(shape, kWarpBits, warpgroups))
    why << "blocks of 16x8 of the " << p.m() << "x" << p.n() << " result for each of "
        << (warpgroups << kWarpBits)
        << " warps are mostly padding, so that the FMA units are faster; larger tiles in M and N "
           "are not";
  if (text.empty())
    return std::nullopt;
  return text;
}

/// True if tiles of this many elements are loaded, with at most two bytes an element.
static bool loadsNarrow(tile::KernelOp kernel, int64_t elements) {
  bool narrow = false;
  kernel.walk([&](tile::LoadOp load) {
    auto tile = cast<RankedTensorType>(load.getResult().getType());
    narrow |= tile.getNumElements() == elements && tile::elementBytes(tile.getElementType()) <= 2;
  });
  return narrow;
}

/// The largest tile that is reduced to so few elements that all warps of a warpgroup must exchange
/// results.
static int64_t largestReduced(tile::KernelOp kernel) {
  int64_t largest = 0;
  kernel.walk([&](Operation *op) {
    if (!isa<tile::ReduceOp, tile::ArgReduceOp>(op))
      return;
    auto from = cast<RankedTensorType>(op->getOperand(0).getType());
    auto to = cast<RankedTensorType>(op->getResult(0).getType());
    if (to.getNumElements() < 4)
      largest = std::max(largest, from.getNumElements());
  });
  return largest;
}

/// Registers of a thread for the result of a product, and for those of all products of a kernel,
/// with which its warpgroups may be fewer so that none shares columns. Source:
/// docs/performance/constants.md.
static constexpr int64_t kMostOfResult = 64, kMostResults = 160;

int64_t tessera::cta::chooseWarpgroups(tile::KernelOp kernel) {
  SmallVector<Product> products;
  int64_t largest = 1, results = 0; // elements; those of all products
  kernel.walk([&](Operation *op) {
    if (auto mma = dyn_cast<tile::MmaOp>(op))
      if (Product product(mma); !whyNotWgmma(product, 1)) {
        products.push_back(product);
        // A product that accumulates into another's result has the same registers.
        if (!mma.getC() || !mma.getC().getDefiningOp<tile::MmaOp>())
          results += product.m() * product.n();
      }
    for (Value result : op->getResults())
      if (auto tensor = dyn_cast<RankedTensorType>(result.getType()); tensor)
        largest = std::max(largest, tensor.getNumElements());
  });
  if (products.empty()) {
    // Narrow rows that are reduced are computed by one warpgroup up to twice the size. As many
    // blocks share an SM, because each has the same registers, and fewer warps meet at each
    // barrier. Not rows of f32, for which a thread loads twice as many bytes. Source:
    // docs/performance/constants.md.
    int64_t elements = largestReduced(kernel) == largest && loadsNarrow(kernel, largest) ? 64 : 32;
    return largest <= 128 * elements ? 1 : largest <= 256 * elements ? 2 : 4;
  }
  // Warpgroups share rows. A product with too few rows for several warpgroups does not ask for
  // them, but it may share its columns if another product does.
  auto fits = [&](int64_t w) {
    return llvm::all_of(products, [&](const Product &p) { return p.split(w) >= 0; }) &&
           llvm::any_of(products, [&](const Product &p) { return p.split(w) == 0; });
  };
  auto fewRegisters = [&](int64_t w) {
    return llvm::all_of(products, [&](const Product &p) {
      int64_t perRegister = p.result.isF16() ? 2 : 1;
      return p.m() * p.n() <= 128 * w * 128 * perRegister;
    });
  };
  // Warpgroups that share columns wait for each other between products. Fewer, of which each has
  // rows of its own in all products, do not, if the results fit their registers.
  auto haveOwnRows = [&](int64_t w) {
    return results <= 128 * w * kMostResults && llvm::all_of(products, [&](const Product &p) {
             return p.split(w) == 0 && p.m() * p.n() <= 128 * w * kMostOfResult;
           });
  };
  for (int64_t w : {3, 2, 1})
    if (fits(w) && fewRegisters(w)) {
      for (int64_t fewer = w; fewer > 0; --fewer)
        if (fits(fewer) && fewRegisters(fewer) && haveOwnRows(fewer))
          return fewer;
      return w;
    }
  for (int64_t w : {3, 2, 1})
    if (fits(w))
      return w;
  return 1;
}
