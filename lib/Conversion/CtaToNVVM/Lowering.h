// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch on its way to one GPU function: the state that the files of this folder share.
//
// The lowering walks the regions of a `cta.launch` and rebuilds them per thread. A tensor becomes
// as many scalars as a thread has registers in its layout, in the order of RegisterLayout; loops
// and branches carry those scalars. A shared tile becomes a static byte offset, a memref a pointer
// with sizes and strides. What is the same wherever it is needed (thread ids, coordinates of a
// layout, constants, values of the kernel outside the launch) is emitted once, in the *preamble*:
// the ops before `marker` in the entry block.

#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_LOWERING_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_LOWERING_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tessera/Contract/Contract.h"
#include "tessera/Conversion/CtaToNVVMInterface.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/Facts.h"
#include "tessera/Layout/SharedLayout.h"

#include <deque>
#include <map>

namespace tessera::nvvm {

using mlir::Location;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using Values = llvm::SmallVector<Value>;

/// On a load: its address and its result are the same in all threads, whenever they run it.
inline constexpr llvm::StringLiteral kUniformAttr = "tessera.uniform";

/// A coordinate of one register: what the thread contributes (null: nothing), plus a constant.
struct RegCoord {
  Value thread;
  int64_t constant = 0;
};

/// The address of a shared tile: a pointer, which moves from slot to slot for a tile of a ring,
/// plus a constant number of bytes.
struct SharedPlace {
  Value base;
  int64_t offset = 0;
};

/// The warps that run the code which is being lowered.
struct Scope {
  int64_t firstWarp = 0, warps = 0;
  int64_t barrier = 0;  ///< the named barrier of these warps
  bool elected = false; ///< only one thread of them runs it
  int64_t replicas = 1; ///< groups of `warps` that run it, from `firstWarp` and `barrier` on
  int64_t staged = 0;   ///< bytes of shared memory that each of them has for its own tiles

  std::pair<int64_t, int64_t> key() const { return {firstWarp, replicas}; }
};

class Lowering {
public:
  Lowering(mlir::ModuleOp module, tile::KernelOp kernel, cta::LaunchOp launch,
           const LoweringSet &lowerings);
  /// The state behind what lowerings of other dialects see of it.
  static Lowering &of(LoweringContext &context) { return context.state; }

  /// Emits the function and its attributes. If it fails an error has been reported.
  LogicalResult run();

  mlir::OpBuilder b;
  Location loc;
  mlir::MLIRContext *context;
  mlir::ModuleOp module;
  tile::KernelOp kernel;
  cta::LaunchOp launch;
  mlir::LLVM::LLVMFuncOp func;
  tile::Facts facts;

  // ===--- values of the tile program (Control.cpp) ---===//

  /// The scalar that stands for a scalar, or for the only register of a tile.
  Value scalar(Value old);
  /// All registers of a tile; one value for a scalar. Stable until the lowering ends.
  const Values &registers(Value old);
  void set(Value old, Value value);
  void setAll(Value old, ValueRange values);
  void set(Value old, Values values);
  /// Lowers one op of the tile program at the insertion point.
  LogicalResult lower(Operation *op);
  LogicalResult lowerBlock(mlir::Block &block);
  /// Lowers a range of ops. A chain of tile arithmetic must end at `to`.
  LogicalResult lowerOps(mlir::Block::iterator from, mlir::Block::iterator to);
  /// Lowers an elementwise op together with the ops after it that can be computed with it; `last`
  /// becomes the last of them.
  LogicalResult lowerChain(Operation *first, Operation *&last);
  LogicalResult lowerRoles(cta::RoleOp first);
  LogicalResult lowerElect(cta::ElectOp op);
  /// The types of the registers of a value.
  llvm::SmallVector<Type> registerTypes(Type type);
  /// The type of a register that holds one number: i8 for f8.
  Type registerType(Type element);

  //===--- f8: two numbers, or one and null ---===//

  std::pair<Value, Value> extendFloat8(Value low, Value high, Type element, Type to);
  std::pair<Value, Value> truncateToFloat8(Value low, Value high, Type element);
  /// What an arith.extf or arith.truncf of f8 makes of two registers; nothing for other ops.
  std::optional<std::pair<Value, Value>> convertFloat8(Operation *op, Value low, Value high);

  //===--- arithmetic ---===//

  Value i32(int64_t value);
  Value i64(int64_t value);
  Value boolean(bool value);
  /// A constant of any scalar type, in the preamble.
  Value constant(mlir::TypedAttr value);
  Value zero(Type type);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value bitAnd(Value x, Value y);
  Value bitXor(Value x, Value y);
  Value min(Value x, Value y); // signed
  Value max(Value x, Value y);
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y);
  Value select(Value condition, Value x, Value y);
  /// The conjunction of two conditions; null is true.
  Value both(Value x, Value y);
  /// From index, i32 (signed) or i64.
  Value toI64(Value x);
  Value toI32(Value x);
  Value toIndex(Value x);
  Value bitcast(Value x, Type type);

  //===--- threads (Threads.cpp) ---===//

  Value threadId();
  /// The number of the warpgroup; uniform over the warp, also for ptxas.
  Value warpgroup();
  Value warpInBlock();
  /// The number of the replica that runs this code; null if there is only one.
  Value replica();
  /// The rank of the block in its cluster.
  Value clusterRank();
  Value lane();
  /// True in the first thread of the scope.
  Value isFirstThread();
  const Scope &currentScope() const { return scope; }
  /// Runs `body` in the first thread of the scope: in a branch, unless the scope is one thread.
  void inFirstThread(llvm::function_ref<void()> body);
  /// The same in the first thread of each warpgroup of the scope.
  void inFirstThreads(llvm::function_ref<void()> body);
  /// Named barriers from this number to 15 belong to warpgroups; 0 is the block's, and the next
  /// ones belong to roles.
  static constexpr int64_t kFirstWarpgroupBarrier = 8;
  /// Of those, from this number on: a warpgroup waits at its own until it is its turn to issue a
  /// product.
  static constexpr int64_t kFirstTurnBarrier = 12;
  /// Lets the first warpgroup of the role begin, if it has products that warpgroups issue in turn.
  void beginTurns(cta::RoleOp role);
  /// Waits for the turn of this warpgroup, or passes it to the next one of the scope.
  void takeTurn();
  void passTurn();
  /// A barrier of all threads of the scope, or of those of each warpgroup.
  void meet(bool warpgroup = false);
  /// Whether the condition holds in any thread of the scope, or of the warp. The former is a
  /// barrier, too.
  Value vote(Value condition, bool ofWarp);
  int64_t threads() const { return numThreads; }
  /// The XOR of laneVectors[i] over the set bits of the lane and of warpVectors[i] over those of
  /// the warp in its group, plus the warpgroup times `perGroup`. Null if it is always 0.
  Value threadSum(llvm::ArrayRef<int64_t> laneVectors, llvm::ArrayRef<int64_t> warpVectors,
                  int64_t perGroup);
  /// True in the one thread that owns the elements of a layout; null if all threads do.
  Value isOwner(const layout::RegisterLayout &layout);

  //===--- memrefs and parameters (MemRefs.cpp) ---===//

  Value pointerOf(Value memref);
  Value sizeOf(Value memref, unsigned dim);   // i64
  Value strideOf(Value memref, unsigned dim); // i64, elements
  /// True if no thread writes the memory of this root during the launch.
  bool isReadOnly(Value root);
  /// True if the launch reaches the memory of this argument by no other argument, nor by an address
  /// that it reads from memory.
  bool isAlone(Value root);
  /// True if nobody else writes it either, so that it may be read early and through caches that are
  /// not coherent. A dependent launch runs concurrently with the one before it, which may still
  /// write.
  bool isInvariant(Value root) { return isReadOnly(root) && !launch.getDependent(); }
  LogicalResult lowerMemRefOp(Operation *op);
  void lowerArray(tile::ArrayFromOp op);
  /// The parameter `{kind, arg|index, dim}` of the function, made on first use.
  Value parameter(llvm::StringRef kind, int64_t index, int64_t dim, Type type);
  int64_t workspaceIndex(Value root);
  /// The parameter that holds a TMA descriptor.
  Value descriptor(mlir::DictionaryAttr recipe);

  //===--- memory words ---===//

  /// The type that an element has in memory: i1 becomes i8, index becomes i64.
  Type memoryType(Type element);
  Value toMemory(Value element);
  Value fromMemory(Value stored, Type element);
  /// Packs elements in memory form into 32-bit words (or one narrower integer), and back.
  Values pack(ValueRange elements);
  Values unpack(ValueRange words, Type element, int64_t count);
  llvm::SmallVector<Type> wordTypes(int64_t bytes);
  /// Reads or writes words in memory by one access.
  Values loadWords(Value pointer, int64_t byteOffset, int64_t bytes, bool invariant);
  void storeWords(ValueRange words, Value pointer, int64_t byteOffset, int64_t bytes);
  Value gep(Value pointer, Value byteOffset);
  Value gep(Value pointer, int64_t byteOffset);

  //===--- shared memory ---===//

  /// The block's dynamic shared memory.
  Value sharedBase();
  /// The address from which offsets of shared tiles outside of rings count; each replica of a role
  /// has its own.
  Value stagedBase();
  Value sharedAddress(int64_t offset);
  Value mbarrier(int64_t number, Value slot = {});
  LogicalResult lowerSlot(cta::SlotOp op);
  /// The address of a shared tile; nothing if it has no offset.
  std::optional<SharedPlace> placeOf(Value tile);

  /// Inline PTX. `outputs` and `inputs` carry their constraints ("r", "f", "l", "h", "b", or the
  /// number of an output to which an input is tied).
  struct AsmInput {
    Value value;
    std::string constraint;
  };
  Values inlineAsm(llvm::StringRef text, llvm::ArrayRef<std::pair<Type, llvm::StringRef>> outputs,
                   llvm::ArrayRef<AsmInput> inputs, bool sideEffects, bool memoryClobber);
  /// The same value (an i32, an i64 or a pointer to global memory), but opaque to LLVM, so that it
  /// is computed here, and LLVM can derive nothing from it.
  Value opaque(Value x);

  Value shuffleXor(Value x, int64_t laneMask);
  Value shuffleIndex(Value x, Value sourceLane);
  /// The value of the lane that is `distance` lanes below (or above), within an aligned group of
  /// 2^groupBits lanes; `inside` becomes true in lanes for which there is one. The others get their
  /// own value.
  Value shuffleFrom(Value x, int64_t distance, bool above, int groupBits, Value &inside);

  /// Reports an error at the op that is being lowered.
  mlir::InFlightDiagnostic error(Operation *op, const llvm::Twine &message);

  /// Emits in the preamble during its lifetime.
  class Preamble {
  public:
    explicit Preamble(Lowering &f) : guard(f.b) { f.b.setInsertionPoint(f.marker); }

  private:
    mlir::OpBuilder::InsertionGuard guard;
  };

  /// For products that start accumulators in the first iteration of a loop: true in later
  /// iterations.
  llvm::DenseMap<Operation *, Value> accumulates;

  Operation *marker = nullptr;
  /// The parity for which a thread waits at an mbarrier; flips it for the next wait.
  Value nextParity(int64_t number);

private:
  bool isChained(Operation *op) const;
  Value fromLauncher(Value old);
  void initMbarriers();
  void meetCluster(bool atEnd);
  Operation *awaitPredecessor();
  void hoistAboveLoads(Operation *wait);
  void prefetchDescriptors();
  void finishAttributes();
  Value shuffle(Value x, Value by, mlir::NVVM::ShflKind kind, int64_t clamp = 31,
                Value *inside = nullptr);
  void collectWrites();

  const LoweringSet &lowerings;
  std::deque<Values> store;
  llvm::DenseMap<Value, Values *> values;
  std::map<std::pair<const void *, const void *>, Value> constants;
  std::map<std::vector<int64_t>, Value> threadSums;
  Value tid, laneId, warpId, rankInCluster, groupId, groupFirst, smem;
  /// By first warp and number of replicas. The first warp alone is not enough: the whole block
  /// begins with warp 0, too.
  std::map<std::pair<int64_t, int64_t>, Value> firstThreads, replicaNumbers, stagedBases;
  int64_t numThreads = 128;
  Scope scope;
  llvm::DenseMap<Operation *, Value> slotBases;

  struct View {
    Value pointer;
    Values sizes, strides;
  };
  llvm::DenseMap<Value, View> views;
  struct Parameter {
    std::string kind;
    int64_t index, dim;
    Value value;
    bool operator==(const Parameter &o) const {
      return kind == o.kind && index == o.index && dim == o.dim;
    }
  };
  std::vector<Parameter> parameters;
  std::vector<mlir::DictionaryAttr> descriptors;
  std::vector<contract::Expr> expressions; ///< of the parameters that the launcher computes
  llvm::DenseSet<Value> written, readBack, copied;
  std::vector<Value> parities; ///< registers with one bit for each mbarrier
  bool broken = false;
};

/// The coordinates of the registers of a tile.
class TileIndex {
public:
  TileIndex(Lowering &f, mlir::RankedTensorType type);
  TileIndex(Lowering &f, const layout::RegisterLayout &layout, layout::Coord shape);

  int64_t size() const { return count; }
  int rank() const { return static_cast<int>(shape.size()); }
  RegCoord at(int64_t reg, int dim);
  /// The coordinate of a register in thread 0.
  layout::Coord first(int64_t reg) const { return layout.coord(shape, reg, 0, 0, 0); }
  /// True if no thread has an element in this register.
  bool deadEverywhere(int64_t reg);
  /// True in threads whose register holds an element; null if it always does.
  Value live(int64_t reg);
  /// The same for the coordinate along one dimension.
  Value liveAlong(int64_t reg, int dim);
  /// `thread + constant` of a coordinate, as an i32.
  Value value(RegCoord c);

  Lowering &f;
  layout::RegisterLayout layout;
  layout::Coord shape;
  layout::Coord base;
  std::vector<bool> separable; // per dimension
  layout::Coord maxThread;     // an upper bound of what the thread contributes

private:
  int64_t count;
  std::vector<layout::Coord> coords; // registerCoord of each register
  std::vector<int64_t> perGroup;     // per dimension
  Values threadParts;
  std::map<std::pair<int64_t, int64_t>, Value> liveness, mixed;
};

/// For each register of the tile `to`, the register of `from` in the same thread that holds the
/// element at `map(coordinate)`; -1 if no thread needs the register. Fails if another thread holds
/// the element.
mlir::FailureOr<std::vector<int64_t>>
matchRegisters(const layout::RegisterLayout &from, const layout::Coord &fromShape,
               const layout::RegisterLayout &to, const layout::Coord &toShape,
               llvm::function_ref<layout::Coord(const layout::Coord &)> map);

//===--- lowerings ---===//

/// Adds the lowering of an op: a function on the state, or a member of it.
template <typename OpT>
void addLowering(LoweringSet &set, LogicalResult (*lower)(Lowering &, OpT)) {
  set.add<OpT>(
      [lower](OpT op, LoweringContext &context) { return lower(Lowering::of(context), op); });
}
template <typename OpT>
void addLowering(LoweringSet &set, LogicalResult (Lowering::*lower)(OpT)) {
  set.add<OpT>(
      [lower](OpT op, LoweringContext &context) { return (Lowering::of(context).*lower)(op); });
}
inline void addFallback(LoweringSet &set, bool (*accepts)(Operation *),
                        LogicalResult (*lower)(Lowering &, Operation *)) {
  set.addFallback(accepts, [lower](Operation *op, LoweringContext &context) {
    return lower(Lowering::of(context), op);
  });
}

/// All of the following.
void populateCtaToNVVMLowerings(LoweringSet &set);

// Each in the file of its subject.
void populateAssertLowerings(LoweringSet &set);
void populateAtomicLowerings(LoweringSet &set);
void populateControlLowerings(LoweringSet &set);
void populateCopyByThreadsLowerings(LoweringSet &set);
void populateElementwiseLowerings(LoweringSet &set);
void populateGlobalAccessLowerings(LoweringSet &set);
void populateLaunchLowerings(LoweringSet &set);
void populateMemRefLowerings(LoweringSet &set);
void populateMmaLowerings(LoweringSet &set);
void populatePackLowerings(LoweringSet &set);
void populatePartialLowerings(LoweringSet &set);
void populatePrintLowerings(LoweringSet &set);
void populateReadAtLowerings(LoweringSet &set);
void populateReduceLowerings(LoweringSet &set);
void populateRoleLowerings(LoweringSet &set);
void populateShapeLowerings(LoweringSet &set);
void populateSharedAccessLowerings(LoweringSet &set);
void populateTableLowerings(LoweringSet &set);
void populateTmaLowerings(LoweringSet &set);
void populateWgmmaLowerings(LoweringSet &set);

//===--- what one file of this folder asks of another ---===//

/// The outermost loop around the insertion point that does not compute the value, or null.
Operation *outermostLoopWithout(Lowering &f, Value value);

/// True for arith and math on tiles.
bool isTileArithmetic(Operation *op);
/// Lowers consecutive ops on tiles of one layout.
LogicalResult lowerElementwise(Lowering &f, llvm::ArrayRef<Operation *> chain);
/// The cases of cta.stage and cta.read that stmatrix and ldmatrix can do; false for others.
bool storeMatrices(Lowering &f, const Values &regs, mlir::RankedTensorType type,
                   const layout::SharedLayout &shared, const SharedPlace &place,
                   const layout::Coord &at);
bool loadMatrices(Lowering &f, Values &regs, mlir::RankedTensorType type,
                  const layout::SharedLayout &shared, const SharedPlace &place,
                  const layout::Coord &at);
/// True for a constant tile of positive zeros, also if it has passed through the completion of a
/// product.
bool isZeroTile(Value tile);
/// What a tile.rounded makes of scalars, and a truncation with a mode other than to nearest even.
Value lowerRounded(Lowering &f, tile::RoundedOp op, ValueRange operands);
Value lowerTruncation(Lowering &f, mlir::arith::TruncFOp op, Value x);
LogicalResult lowerCopyByThreads(Lowering &f, cta::CopyOp op);
/// Lowers shifted copies together: a thread has pieces of several on their way.
LogicalResult lowerShiftedCopies(Lowering &f, llvm::ArrayRef<cta::CopyOp> ops);
/// The L2 cache policy of a copy from or to `memref`; null for the default. It is created where it
/// is used, because keeping a register for it in the loops around would be more expensive. But a
/// thread that only copies has registers to spare, and selects the policy by `condition` once.
Value cachePolicy(Lowering &f, std::optional<tile::Cache> hint, Value memref, Value condition = {});
/// A generic pointer to a zero-terminated string.
Value textPointer(Lowering &f, llvm::StringRef text);

} // namespace tessera::nvvm

#endif // TESSERA_LIB_CONVERSION_CTATONVVM_LOWERING_H
