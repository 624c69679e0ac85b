// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a dialect tells `convert-cta-to-nvvm` what its ops are in the code of one thread.
//
// The conversion walks a launch in order and emits the code of one thread. It does not rewrite in
// place: a register tile becomes as many scalars as a thread holds of it, so no op stands for it
// any more. Instead of patterns a dialect therefore gives functions, one for each of its ops. They
// are found as upstream's `convert-to-llvm` finds patterns: through an interface of the dialect,
// which no pass or pipeline needs to be told about. docs/Embedding.md has an example.
#ifndef TESSERA_CONVERSION_CTATONVVMINTERFACE_H
#define TESSERA_CONVERSION_CTATONVVMINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <utility>
#include <vector>

namespace tessera::nvvm {

class Lowering;

/// What the lowering of one op sees of the launch around it. Code is emitted with `builder`, where
/// the op stood. Its ops must be those that the passes after this conversion know: arith, math and
/// scf on scalars, LLVM and NVVM.
class LoweringContext {
public:
  mlir::OpBuilder &builder();

  /// What the thread holds of an operand: the registers of a tile, in the order of its layout
  /// (`layout::RegisterLayout`), or the one scalar. Stable until the launch is lowered.
  mlir::ValueRange registers(mlir::Value operand);
  /// The same, for an operand with one.
  mlir::Value scalar(mlir::Value operand);
  /// The types of the registers of a tile, or of the one scalar.
  llvm::SmallVector<mlir::Type> registerTypes(mlir::Type type);
  /// Says what the thread holds of a result, which every result needs. Emits an error if the values
  /// do not have the types that `registerTypes` lists.
  mlir::LogicalResult setRegisters(mlir::Value result, mlir::ValueRange values);

  /// For each register of a tile: the coordinate along a dimension of the element in it (i32). It
  /// depends on the thread. If several threads hold an element, each of them finds it there.
  llvm::SmallVector<mlir::Value> coordinates(mlir::Value tile, unsigned dim);
  /// For each register of a tile: true (i1) in the threads where it holds an element, null if it
  /// does in all. The others exist because layouts have extents of powers of two. What they hold
  /// does not matter.
  llvm::SmallVector<mlir::Value> holdsElement(mlir::Value tile);

  /// The number of the thread in its block, and in its warp (i32).
  mlir::Value threadId();
  mlir::Value lane();
  /// The value of another thread of the warp: of the one whose lane differs by these bits, or of
  /// the one with this number. All threads of the warp must come here.
  mlir::Value shuffleXor(mlir::Value value, int64_t laneMask);
  mlir::Value shuffle(mlir::Value value, mlir::Value lane);
  /// The result of one PTX instruction, which has no effects: `$0` in its text is the result, `$1`,
  /// `$2`, … are the operands.
  mlir::Value inlinePtx(mlir::Location loc, mlir::Type result, llvm::StringRef text,
                        mlir::ValueRange operands);

private:
  friend class Lowering;
  explicit LoweringContext(Lowering &state) : state(state) {}
  Lowering &state;
};

/// Lowerings by the name of their op.
class LoweringSet {
public:
  /// Lowers one op. Where it fails it has emitted an error.
  using Function = std::function<mlir::LogicalResult(mlir::Operation *, LoweringContext &)>;
  using Predicate = std::function<bool(mlir::Operation *)>;

  /// Adds the lowering of the ops of a name. It replaces one that was added before, so a dialect
  /// may lower an op of another one in its own way.
  void add(llvm::StringRef name, Function lower) { byName[name] = std::move(lower); }
  /// The same with the class of the op: `lower` takes it and a LoweringContext &.
  template <typename OpT, typename CallableT>
  void add(CallableT lower) {
    add(OpT::getOperationName(), [lower](mlir::Operation *op, LoweringContext &context) {
      return lower(mlir::cast<OpT>(op), context);
    });
  }
  /// Adds a lowering for all ops without one of their own that the predicate accepts. The first
  /// that accepts is taken.
  void addFallback(Predicate accepts, Function lower) {
    fallbacks.emplace_back(std::move(accepts), std::move(lower));
  }

  /// Whether the op has a lowering of its own.
  bool hasOwn(mlir::Operation *op) const { return byName.contains(op->getName().getStringRef()); }
  /// The lowering of the op; null if it has none.
  const Function *find(mlir::Operation *op) const;

private:
  llvm::StringMap<Function> byName;
  std::vector<std::pair<Predicate, Function>> fallbacks;
};

/// The interface of a dialect whose ops `convert-cta-to-nvvm` lowers. It may be attached to the
/// dialect in another library than the dialect's own (`mlir::DialectRegistry::addExtension`).
class ConvertCtaToNVVMInterface : public mlir::DialectInterface::Base<ConvertCtaToNVVMInterface> {
public:
  explicit ConvertCtaToNVVMInterface(mlir::Dialect *dialect) : Base(dialect) {}
  virtual void populateLowerings(LoweringSet &lowerings) const = 0;
};

} // namespace tessera::nvvm

#endif
