// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the scalars and the control flow of a kernel and writes down what it meets: control flow is
// in Unroll.cpp, ops of the protocol are in Protocol.cpp.
#ifndef TESSERA_LIB_SIMULATE_INTERPRETER_H
#define TESSERA_LIB_SIMULATE_INTERPRETER_H

#include "tessera/Dialect/Cta/IR/ScalarFolder.h"
#include "tessera/Simulate/Program.h"

namespace tessera::simulate {

using Environment = llvm::DenseMap<mlir::Value, Binding>;

/// True for an op that all threads run, and whose accesses to shared tiles are over when it is.
bool accessesTiles(mlir::Operation *op);

struct Unroller::Impl {
  tile::KernelOp kernel;
  Inputs inputs;
  mlir::Builder builder;
  cta::ScalarFolder folder;
  Environment environment;
  int64_t fuel;
  /// Of the launch at work; null outside.
  Program *program = nullptr;
  std::vector<int> *list = nullptr; ///< where events go
  int group = 0;
  /// Who runs: which block of the cluster, and which replica of its role.
  int block = 0, replica = 0;
  bool elected = false;
  int64_t point = -1;                                    ///< the iteration of the loop over points
  int64_t staged = 0;                                    ///< bytes between what its replicas stage
  llvm::DenseMap<mlir::Operation *, int64_t> executions; ///< of ops that draw
  /// Numbers in the first block; those of the others follow.
  std::map<std::tuple<int64_t, int64_t, mlir::Operation *>, int> rangeNumbers;
  /// Of rings that blocks fill together: in how many parts.
  llvm::DenseMap<mlir::Operation *, int> ringParts;
  std::map<int, std::pair<int, mlir::Operation *>> baseOf; ///< of each mbarrier

  Impl(tile::KernelOp kernel, const Inputs &inputs)
      : kernel(kernel), inputs(inputs), builder(kernel.getContext()), fuel(inputs.fuel) {}

  mlir::LogicalResult bindArguments();
  mlir::FailureOr<int64_t> sizeOf(mlir::Operation *user, mlir::Value memref, unsigned dim);
  mlir::Attribute draw(mlir::Type type, uint64_t key);

  mlir::LogicalResult runBlock(mlir::Block &block);
  mlir::LogicalResult run(mlir::Operation *op);
  mlir::LogicalResult runFor(mlir::scf::ForOp op);
  mlir::LogicalResult runIf(mlir::scf::IfOp op);
  mlir::LogicalResult runWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult runSwitch(mlir::scf::IndexSwitchOp op);
  mlir::LogicalResult runDim(mlir::Operation *op, mlir::Value memref, mlir::Value index);
  mlir::LogicalResult runProtocol(mlir::Operation *op);
  mlir::LogicalResult runCopy(cta::CopyOp op, Event &event);
  mlir::LogicalResult runCopyByThreads(cta::CopyOp op, Event &event);
  mlir::LogicalResult runArrive(cta::ArriveOp op, Event &event);
  mlir::LogicalResult runPartial(Event &event, mlir::Value sums, mlir::Value slot,
                                 mlir::Value flags);
  mlir::LogicalResult runSlot(cta::SlotOp op);
  mlir::LogicalResult runScalar(mlir::Operation *op);
  mlir::LogicalResult runOther(mlir::Operation *op);

  Binding lookup(mlir::Value value) const { return environment.lookup(value); }
  mlir::FailureOr<llvm::APInt> integer(mlir::Operation *user, mlir::Value value,
                                       bool controls = false);
  void orderReplicas();
  void bind(mlir::ValueRange values, mlir::ValueRange from);
  void bindInteger(mlir::Value value, int64_t x) {
    Binding binding;
    binding.scalar = builder.getIntegerAttr(value.getType(), x);
    environment[value] = binding;
  }

  Event &addEvent(mlir::Operation *op, Kind kind);
  mlir::LogicalResult setMBarrier(Event &event, int64_t base, mlir::Value slot);
  /// `whole` has the parts, if there are several.
  mlir::FailureOr<int> rangeOf(mlir::Operation *op, cta::SmemType type, int64_t offset,
                               int64_t bytes, int parts = 1, mlir::Operation *whole = nullptr);
  mlir::LogicalResult oneThread(mlir::Operation *op);
  void addMeet();
  mlir::LogicalResult placeTile(mlir::Operation *op, Event &event);
  mlir::LogicalResult unrollBlock();
  mlir::LogicalResult finish();
  mlir::InFlightDiagnostic error(mlir::Operation *op) {
    return op->emitOpError("cannot be simulated: ");
  }
};

} // namespace tessera::simulate

#endif
