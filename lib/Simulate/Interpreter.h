// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the scalar code and the control flow of a kernel and writes down the events that it meets.
// Control flow is in Unroll.cpp, ops of the protocol are in Protocol.cpp.
#ifndef TESSERA_LIB_SIMULATE_INTERPRETER_H
#define TESSERA_LIB_SIMULATE_INTERPRETER_H

#include "tessera/Dialect/Cta/IR/CountedLoop.h"
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
  /// The program of the launch that is being unrolled; null outside a launch.
  Program *program = nullptr;
  std::vector<int> *list = nullptr; ///< the list to which events are added
  int group = 0;
  /// The block of the cluster that runs, and the replica of its role.
  int block = 0, replica = 0;
  bool elected = false;
  int64_t outputTile = -1; ///< the iteration of the loop over output tiles
  int64_t staged = 0;      ///< the bytes between the staged tiles of two replicas
  /// How often each op that draws a value has run.
  llvm::DenseMap<mlir::Operation *, int64_t> executions;
  int64_t numbersTaken = 0; ///< from the queue of output tiles, by this role
  mlir::Operation *openQueue =
      nullptr; ///< the op that took the last one, before the queue is closed
  /// The numbers of ranges in the first block. The numbers of the other blocks follow from them.
  std::map<std::tuple<int64_t, int64_t, mlir::Operation *>, int> rangeNumbers;
  /// For each ring that several blocks fill together, the number of parts that they fill.
  llvm::DenseMap<mlir::Operation *, int> ringParts;
  /// Of each mbarrier: the base that uses it, and the op that has said so first.
  std::map<int, std::pair<int, mlir::Operation *>> baseOf;

  Impl(tile::KernelOp kernel, const Inputs &inputs)
      : kernel(kernel), inputs(inputs), builder(kernel.getContext()), fuel(inputs.fuel) {}

  mlir::LogicalResult bindArguments();
  mlir::FailureOr<int64_t> sizeOf(mlir::Operation *user, mlir::Value memref, unsigned dim);
  mlir::Attribute draw(mlir::Type type, uint64_t key);

  mlir::LogicalResult runBlock(mlir::Block &block);
  mlir::LogicalResult run(mlir::Operation *op);
  mlir::LogicalResult runFor(cta::CountedLoop op);
  mlir::LogicalResult takeNumber(cta::TakeNumberOp op);
  mlir::LogicalResult closeQueue(cta::CloseQueueOp op);
  /// What an iteration yields as the number of the next output tile must be the one that it has.
  mlir::LogicalResult checkDrawn(cta::CountedLoop loop, const Binding &yielded, int64_t next);
  mlir::LogicalResult runIf(mlir::scf::IfOp op);
  mlir::LogicalResult runWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult runSwitch(mlir::scf::IndexSwitchOp op);
  mlir::LogicalResult runDim(mlir::Operation *op, mlir::Value memref, mlir::Value index);
  mlir::LogicalResult runProtocol(mlir::Operation *op);
  mlir::LogicalResult runCopy(cta::CopyOp op, Event &event);
  mlir::LogicalResult runCpAsync(cta::CopyOp op, Event &event);
  mlir::LogicalResult runCopyOut(cta::CopyOutOp op);
  mlir::LogicalResult runAwait(cta::AwaitOp op, Event &event);
  mlir::LogicalResult runArrive(cta::ArriveOp op, Event &event);
  mlir::LogicalResult runPartial(Event &event, mlir::Value partials, mlir::Value slot,
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
  mlir::LogicalResult setParity(Event &event, mlir::Value parity);
  /// Numbers the range of a tile. If the tile has several parts, `whole` is the op that has them.
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
