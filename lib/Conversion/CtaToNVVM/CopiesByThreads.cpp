// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies by threads: every thread of the scope moves pieces of the tile, distributed as in a
// coalesced register tile.
//
// cp.async moves pieces of 4, 8 or 16 bytes that are aligned in both memories. The source size of a
// piece says how much of it is inside the array; the rest is filled with zeros. A variable source
// size costs seven instructions for a piece (the machine instruction has it in the address), so a
// tile that lies completely inside takes a path without it. All or nothing is a predicate of the
// machine instruction: so each index of an index tile costs a comparison.
//
// Shifted copies move pieces of 16 bytes that begin anywhere in global memory, as those of rows of
// an odd length do. A thread loads the two aligned chunks of 16 bytes around a piece, shifts them
// into place, and writes the piece to shared memory.
#include "GlobalAccess.h"
#include "SharedTile.h"

#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Plan/Model.h"

#include <deque>

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

/// Issues one piece. Bounds are compared inside the instruction's asm: LLVM would compute
/// comparisons of its own for all pieces before a loop, and a thread has no registers for that. If
/// `live` is false nothing is written; that is the case of elements that the tile does not have. 16
/// bytes bypass L1; PTX cannot bypass it for fewer.
///
/// The L2 hint of the copy is not passed on: ptxas (12.8, 13.0) makes an instruction of
/// `.L2::cache_hint` that the GPU takes for an illegal one where it finds that the address in
/// shared memory has a uniform part (LDGSTS [R+UR0], desc[UR1]).
static void issue(Lowering &f, std::pair<Value, int64_t> to, std::pair<Value, int64_t> from,
                  int64_t bytes, const Access::Inside &inside, Value live) {
  SmallVector<Lowering::AsmInput> inputs;
  auto input = [&](Value value, StringRef constraint) {
    inputs.push_back({value, constraint.str()});
    return "$" + std::to_string(inputs.size() - 1);
  };
  std::string copy = "cp.async." + std::string(bytes == 16 ? "cg" : "ca") + ".shared.global [" +
                     input(to.first, "r") + "+" + std::to_string(to.second) + "], [" +
                     input(from.first, "l") + "+" + std::to_string(from.second) + "], " +
                     std::to_string(bytes);
  if (!isTrue(live))
    copy = "@" + input(live, "b") + " " + copy;
  std::string test;
  for (const Access::Inside::Bound &bound : inside.bounds)
    test += std::string("setp.") + (bound.below ? "gt" : "le") + (test.empty() ? "" : ".and") +
            ".s32 in, " + input(bound.number, "r") + ", " + std::to_string(bound.constant) +
            (test.empty() ? ";\n\t" : ", in;\n\t");
  for (const Access::Inside::Index &at : inside.indices) {
    const bool wide = at.index.getType().isInteger(64);
    const std::string constraint = wide ? "l" : "r";
    test += std::string("setp.lt") + (test.empty() ? "" : ".and") + (wide ? ".u64" : ".u32") +
            " in, " + input(at.index, constraint) + ", " + input(at.bound, constraint) +
            (test.empty() ? ";\n\t" : ", in;\n\t");
  }
  if (!isTrue(inside.outer)) {
    std::string outer = input(inside.outer, "b");
    test +=
        test.empty() ? "mov.pred in, " + outer + ";\n\t" : "and.pred in, in, " + outer + ";\n\t";
  }
  std::string all = inside.bytes ? input(inside.bytes, "r") : std::to_string(bytes);
  std::string text = copy + ";";
  if (!test.empty())
    text = "{\n\t.reg .pred in;\n\t.reg .b32 size;\n\t" + test + "selp.b32 size, " + all +
           ", 0, in;\n\t" + copy + ", size;\n\t}";
  else if (inside.bytes)
    text = copy + ", " + all + ";";
  f.inlineAsm(text, {}, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

namespace {
/// A copy by threads, and the share of a thread.
struct ThreadCopy {
  static FailureOr<std::unique_ptr<ThreadCopy>> make(Lowering &f, cta::CopyOp op);

  SharedTile makeTile() {
    return SharedTile(f, access.index, shared, place, layout::Coord(shared.shape.size(), 0),
                      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  }
  int64_t pieceBytes() const { return vector * access.bytes; }
  /// True in threads that copy the piece; null: in all.
  Value isMine(int64_t reg) { return f.both(access.index.live(reg), owner); }

  Lowering &f;
  cta::CopyOp op;
  layout::SharedLayout shared;
  SharedPlace place;
  RankedTensorType type; ///< in the layout of the pieces
  int64_t vector;        ///< elements of a piece
  Access access;
  Value owner;
  /// The registers at which pieces begin. All pieces of a row come together, so that its address is
  /// dead afterwards.
  SmallVector<int64_t> pieces;

private:
  ThreadCopy(Lowering &f, cta::CopyOp op, const layout::SharedLayout &shared,
             const SharedPlace &place, RankedTensorType type)
      : f(f), op(op), shared(shared), place(place), type(type),
        vector(static_cast<int64_t>(*op.getVector())), access(f, op, op.getSource(), type),
        owner(f.isOwner(access.index.layout)) {}
};
} // namespace

FailureOr<std::unique_ptr<ThreadCopy>> ThreadCopy::make(Lowering &f, cta::CopyOp op) {
  std::optional<SharedPlace> place = f.placeOf(op.getInto() ? op.getInto() : op.getResult());
  if (!place)
    return f.error(op, "the shared tile has no offset: run cta-allocate-shared");
  if (!op.getVector())
    return f.error(op, "a copy by threads needs 'vector', the elements of one access, which "
                       "cta-select-copies chooses from the facts");
  const Scope &scope = f.currentScope();
  const int64_t groups = scope.warps / 4;
  if (scope.elected || scope.warps % 4 || scope.firstWarp % 4 || (scope.firstWarp && groups > 1))
    return f.error(op,
                   "a copy by threads is divided among the threads of all warpgroups of the block, "
                   "or of one warpgroup that is a role; put the copy into such a role");
  cta::SmemType smem = op.getSmemType();
  layout::SharedLayout shared = cta::sharedLayout(smem);
  if (auto reason = shared.validate())
    return f.error(op, "invalid shared tile: ") << *reason;
  const auto vector = static_cast<int64_t>(*op.getVector());
  if (cta::contiguousTileDim(op.getMemRefType(), op.getDims()) != shared.contiguousDim)
    return f.error(op, "the shared tile is contiguous along dimension ")
           << shared.contiguousDim << ", which has no stride of 1 in memory; threads copy runs of "
           << "bytes";
  if (op.isShifted()) {
    const tile::Facts::Place at(f.facts, op);
    Value coord = op.getCoords()[op.getDims()[shared.contiguousDim]];
    if (f.facts.range(coord).min < 0 && f.facts.divisibility(coord) % vector)
      return f.error(op, "the coordinate along contiguous memory may be negative, and is not known "
                         "to be a multiple of ")
             << vector << ": the begin of the array would cut a shifted piece";
  }
  auto type =
      RankedTensorType::get(smem.getShape(), smem.getElementType(),
                            cta::FragAttr::get(f.context, cta::pieceLayout(smem, vector, groups)));
  std::unique_ptr<ThreadCopy> copy(new ThreadCopy(f, op, shared, *place, type));
  Access &access = copy->access;
  if (access.vectorElements() != vector || copy->makeTile().vectorElements() < vector)
    return f.error(op, "pieces of ")
           << vector << " elements are not contiguous or not aligned in " << smem;
  for (int64_t r = 0; r < access.index.size(); r += vector)
    if (!access.isDead(r))
      copy->pieces.push_back(r);
  auto row = [&](int64_t r) {
    layout::Coord c = access.index.first(r);
    c[shared.contiguousDim] = 0;
    return c;
  };
  llvm::stable_sort(copy->pieces, [&](int64_t x, int64_t y) { return row(x) < row(y); });
  access.hideAddresses();
  return copy;
}

/// Runs `whole` where the condition holds, else `bounded`.
static void branchOn(Lowering &f, Value condition, function_ref<void()> whole,
                     function_ref<void()> bounded) {
  if (isTrue(condition))
    return whole();
  auto branch = scf::IfOp::create(f.b, f.loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  whole();
  f.b.setInsertionPointToStart(branch.elseBlock());
  bounded();
}

static LogicalResult lowerCpAsync(Lowering &f, cta::CopyOp op) {
  FailureOr<std::unique_ptr<ThreadCopy>> made = ThreadCopy::make(f, op);
  if (failed(made))
    return failure();
  ThreadCopy &copy = **made;
  auto path = [&](bool bounded) {
    copy.access.beginPath();
    SharedTile to = copy.makeTile();
    for (int64_t r : copy.pieces)
      issue(f, to.address(r), copy.access.address(r), copy.pieceBytes(),
            bounded ? copy.access.insideOf(r) : copy.access.indicesInsideOf(r), copy.isMine(r));
  };
  branchOn(
      f, copy.access.isInside(), [&] { path(/*bounded=*/false); }, [&] { path(/*bounded=*/true); });
  return success();
}

//===--- shifted pieces ----------------------------------------------------------------------===//

namespace {
/// Copies in pieces of 16 bytes that begin anywhere in global memory.
///
/// A chunk is read only if all of it lies between the first and the last byte of the array, gaps
/// between rows included. The elements of a piece beside other chunks, at both ends of the array,
/// are copied one by one.
///
/// A thread has the chunks of several pieces on their way, also of pieces of different copies.
/// Before it loads those of one more, it shifts and writes the piece that was loaded first.
class ShiftedCopies {
public:
  ShiftedCopies(Lowering &f, ArrayRef<std::unique_ptr<ThreadCopy>> copies);

  void run();

private:
  static constexpr int64_t kChunk = cta::kShiftedChunk, kWords = kChunk / 4;

  /// What bounds may cut: nothing; rows, so that a piece is inside or not; or pieces, too. At the
  /// ends of the array a chunk may have bytes that do not belong to it, besides.
  enum class Cut { Nothing, Rows, Pieces, Chunks };

  struct Item {
    ThreadCopy &copy;
    bool invariant;
    Cut least; ///< what is always taken care of
    Access::Bytes array;
    std::optional<SharedTile> to;
  };
  struct Piece {
    Item *item;
    int64_t reg;
    Value chunk;          ///< the address of the first chunk, a pointer
    Value shift;          ///< the bytes from there to the piece
    Value mine;           ///< the thread has the piece; null: it does
    Value bytes;          ///< how many bytes of it are inside; null: all of them
    Value load, loadNext; ///< whether its chunks are loaded; null: they are
    Value single;         ///< its elements are copied one by one; null: they are not
    Values words;         ///< of its chunks
  };

  size_t countOnTheirWay();
  Value cutsNoMore(Item &item, Cut cut);
  Piece locate(Item &item, int64_t reg, Cut cut);
  void load(Piece &piece);
  Values shift(const Piece &piece);
  Values keepInside(const Piece &piece, ValueRange words);
  void store(const Piece &piece, ValueRange words);
  void beginPath();
  void copyPieces(Cut cut);
  void copyElements();
  Value isAbove(Value number, int64_t constant) {
    return f.compare(arith::CmpIPredicate::sgt, number, f.i32(constant));
  }
  Value isAtMost(Value x, Value y) { return f.compare(arith::CmpIPredicate::sle, x, y); }

  Lowering &f;
  SmallVector<Item, 2> items;
  Value anySingle; ///< whether a piece of this thread is copied element by element
};
} // namespace

/// As many pieces as a producing role has registers for (cta::shiftRegisters); a few where it has
/// those that it began with.
size_t ShiftedCopies::countOnTheirWay() {
  constexpr int64_t kFew = 3;
  auto role = items.front().copy.op->getParentOfType<cta::RoleOp>();
  if (!role || !role.getRegisters())
    return kFew;
  const int64_t left = static_cast<int64_t>(*role.getRegisters()) - plan::kPlanCopyingRegisters;
  return std::clamp<int64_t>(left / cta::kShiftedRegisters, 1, cta::kMostShifted);
}

ShiftedCopies::ShiftedCopies(Lowering &f, ArrayRef<std::unique_ptr<ThreadCopy>> copies) : f(f) {
  size_t most = 0;
  for (const std::unique_ptr<ThreadCopy> &copy : copies)
    most = std::max(most, copy->pieces.size());
  for (const std::unique_ptr<ThreadCopy> &copy : copies) {
    // A row of A comes beside whole tiles of B in each launch of few rows.
    const bool isSmall = cta::kSmallShifted * copy->pieces.size() <= most;
    items.push_back({*copy,
                     f.isInvariant(tile::rootOf(copy->op.getSource())),
                     isSmall ? Cut::Rows : Cut::Nothing,
                     copy->access.arrayBytes(),
                     {}});
  }
}

/// The condition that bounds cut no more of the tile, and that the chunks that are loaded then
/// belong to the array.
Value ShiftedCopies::cutsNoMore(Item &item, Cut cut) {
  Access &access = item.copy.access;
  Value inside = cut == Cut::Nothing ? access.isInside()
                 : cut == Cut::Rows  ? access.isInsideAlongRows()
                                     : Value();
  return f.both(inside, access.hasChunksIn(item.array, kChunk, /*allRows=*/cut == Cut::Nothing,
                                           /*allAlong=*/cut != Cut::Pieces));
}

void ShiftedCopies::run() {
  Value least, pieces;
  for (Item &item : items) {
    least = f.both(least, cutsNoMore(item, item.least));
    pieces = f.both(pieces, cutsNoMore(item, Cut::Pieces));
  }
  auto atEnds = [&] {
    copyPieces(Cut::Chunks);
    copyElements();
  };
  auto cut = [&] { copyPieces(Cut::Pieces); };
  auto bounded = [&] { branchOn(f, pieces, cut, atEnds); };
  auto whole = [&] { copyPieces(Cut::Nothing); };
  branchOn(f, least, whole, bounded);
}

ShiftedCopies::Piece ShiftedCopies::locate(Item &item, int64_t reg, Cut cut) {
  Access &access = item.copy.access;
  Piece piece{&item, reg, {}, {}, item.copy.isMine(reg), {}, {}, {}, {}, {}};
  auto [pointer, constant] = access.address(reg);
  Value at =
      f.add(LLVM::PtrToIntOp::create(f.b, f.loc, f.b.getI64Type(), pointer), f.i64(constant));
  piece.shift = f.bitAnd(f.toI32(at), f.i32(kChunk - 1));
  Value shift = arith::ExtUIOp::create(f.b, f.loc, f.b.getI64Type(), piece.shift);
  piece.chunk = f.gep(pointer, f.sub(f.i64(constant), shift));
  piece.load = piece.loadNext = piece.mine;
  if (cut == Cut::Nothing)
    return piece;
  const Access::Inside inside = access.insideOf(reg);
  Value any = f.both(piece.mine, inside.outer);
  for (const Access::Inside::Bound &bound : inside.bounds)
    any = f.both(any, bound.below ? isAbove(bound.number, bound.constant)
                                  : isAtMost(bound.number, f.i32(bound.constant)));
  piece.load = piece.loadNext = any;
  if (cut == Cut::Rows)
    return piece;
  piece.bytes = inside.bytes;
  if (piece.bytes)
    any = f.both(any, isAbove(piece.bytes, 0));
  piece.load = piece.loadNext = any;
  if (cut == Cut::Pieces)
    return piece;
  Value first = f.sub(at, shift);
  Value whole = f.both(isAtMost(item.array.begin, first),
                       isAtMost(f.add(first, f.i64(2 * kChunk)), item.array.end));
  piece.load = f.both(any, whole);
  Value end = f.add(piece.shift, piece.bytes ? piece.bytes : f.i32(kChunk));
  piece.loadNext = f.both(piece.load, isAbove(end, kChunk));
  piece.single = f.both(any, arith::XOrIOp::create(f.b, f.loc, whole, f.boolean(true)));
  return piece;
}

void ShiftedCopies::load(Piece &piece) {
  const bool invariant = piece.item->invariant;
  const Values zeros(kWords, f.i32(0));
  for (auto [offset, predicate] : {std::pair(int64_t{0}, piece.load), {kChunk, piece.loadNext}})
    piece.words.append(isTrue(predicate) ? f.loadWords(piece.chunk, offset, kChunk, invariant)
                                         : predicatedLoad(f, piece.chunk, offset, kChunk, predicate,
                                                          zeros, invariant));
}

/// The four words of the piece, of the eight words of its chunks.
Values ShiftedCopies::shift(const Piece &piece) {
  Values left = piece.words;
  for (const size_t step : {2, 1}) {
    Value far = f.compare(arith::CmpIPredicate::ne,
                          f.bitAnd(piece.shift, f.i32(4 * static_cast<int64_t>(step))), f.i32(0));
    Values next;
    for (size_t w = 0; w + step < left.size(); ++w)
      next.push_back(f.select(far, left[w + step], left[w]));
    left = std::move(next);
  }
  Value bits = f.mul(f.bitAnd(piece.shift, f.i32(3)), f.i32(8));
  Values result;
  for (size_t w = 0; w < kWords; ++w)
    result.push_back(LLVM::FshrOp::create(f.b, f.loc, left[w + 1], left[w], bits));
  return result;
}

/// Makes zeros of what lies outside.
Values ShiftedCopies::keepInside(const Piece &piece, ValueRange words) {
  if (!piece.bytes)
    return Values(words);
  Values result;
  for (auto [w, word] : llvm::enumerate(words)) {
    Value left = f.sub(piece.bytes, f.i32(4 * static_cast<int64_t>(w)));
    Value bits = f.bitAnd(f.mul(f.max(left, f.i32(0)), f.i32(8)), f.i32(31));
    Value low = f.sub(arith::ShLIOp::create(f.b, f.loc, f.i32(1), bits), f.i32(1));
    result.push_back(f.bitAnd(word, f.select(isAbove(left, 3), f.i32(-1), low)));
  }
  return result;
}

void ShiftedCopies::store(const Piece &piece, ValueRange words) {
  auto [pointer, offset] = piece.item->to->address(piece.reg);
  if (isTrue(piece.mine))
    return f.storeWords(words, pointer, offset, kChunk);
  SmallVector<Lowering::AsmInput> inputs{{pointer, "r"}, {piece.mine, "b"}};
  for (Value word : words)
    inputs.push_back({word, "r"});
  f.inlineAsm("@$1 st.shared.v4.b32 [$0+" + std::to_string(offset) + "], " +
                  wordList("", 2, kWords) + ";",
              {}, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

void ShiftedCopies::beginPath() {
  for (Item &item : items) {
    item.copy.access.beginPath();
    item.to.emplace(item.copy.makeTile());
  }
}

void ShiftedCopies::copyPieces(Cut cut) {
  beginPath();
  anySingle = {};
  const size_t most = countOnTheirWay();
  std::deque<Piece> onTheirWay;
  auto finish = [&] {
    store(onTheirWay.front(), keepInside(onTheirWay.front(), shift(onTheirWay.front())));
    onTheirWay.pop_front();
  };
  for (Item &item : items)
    for (int64_t reg : item.copy.pieces) {
      if (onTheirWay.size() == most)
        finish();
      Piece &piece = onTheirWay.emplace_back(locate(item, reg, std::max(cut, item.least)));
      load(piece);
      if (piece.single)
        anySingle = anySingle ? Value(arith::OrIOp::create(f.b, f.loc, anySingle, piece.single))
                              : piece.single;
    }
  while (!onTheirWay.empty())
    finish();
}

/// Copies the elements of the pieces that have zeros in shared memory because a chunk of them does
/// not belong to the array.
void ShiftedCopies::copyElements() {
  auto any = scf::IfOp::create(f.b, f.loc, anySingle, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(any.thenBlock());
  beginPath();
  for (Item &item : items)
    for (int64_t reg : item.copy.pieces) {
      const Piece piece = locate(item, reg, Cut::Chunks);
      auto [pointer, offset] = item.to->address(reg);
      auto branch = scf::IfOp::create(f.b, f.loc, piece.single, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard inBranch(f.b);
      f.b.setInsertionPointToStart(branch.thenBlock());
      const int64_t bytes = item.copy.access.bytes;
      // Opaque to LLVM, which would unroll all these loops.
      Value end = f.inlineAsm("mov.b32 $0, $1;", {{f.b.getI32Type(), "r"}},
                              {{piece.bytes ? piece.bytes : f.i32(kChunk), "r"}},
                              /*sideEffects=*/true, /*memoryClobber=*/false)
                      .front();
      auto loop = scf::ForOp::create(f.b, f.loc, f.i32(0), end, f.i32(bytes));
      f.b.setInsertionPointToStart(loop.getBody());
      Value at = loop.getInductionVar();
      Value from = f.gep(f.gep(piece.chunk, f.toI64(piece.shift)), f.toI64(at));
      f.storeWords(f.loadWords(from, 0, bytes, item.invariant), f.gep(f.gep(pointer, offset), at),
                   0, bytes);
    }
}

LogicalResult tessera::nvvm::lowerCopyByThreads(Lowering &f, cta::CopyOp op) {
  return op.isShifted() ? lowerShiftedCopies(f, op) : lowerCpAsync(f, op);
}

LogicalResult tessera::nvvm::lowerShiftedCopies(Lowering &f, ArrayRef<cta::CopyOp> ops) {
  std::vector<std::unique_ptr<ThreadCopy>> copies;
  for (cta::CopyOp op : ops) {
    f.loc = op.getLoc();
    FailureOr<std::unique_ptr<ThreadCopy>> copy = ThreadCopy::make(f, op);
    if (failed(copy))
      return failure();
    copies.push_back(std::move(*copy));
  }
  ShiftedCopies(f, copies).run();
  return success();
}

static LogicalResult lowerCommitCopies(Lowering &f, cta::CommitCopiesOp op) {
  NVVM::CpAsyncCommitGroupOp::create(f.b, op.getLoc());
  return success();
}

static LogicalResult lowerAwaitCopies(Lowering &f, cta::AwaitCopiesOp op) {
  // Inline asm for its memory clobber: reads of what is copied must not move before it.
  std::string text = "cp.async.wait_all;";
  if (op.getPending())
    text = "cp.async.wait_group " + std::to_string(*op.getPending()) + ";";
  f.inlineAsm(text, {}, {}, /*sideEffects=*/true, /*memoryClobber=*/true);
  return success();
}

void tessera::nvvm::populateCopyByThreadsLowerings(LoweringSet &set) {
  addLowering(set, lowerCommitCopies);
  addLowering(set, lowerAwaitCopies);
}
