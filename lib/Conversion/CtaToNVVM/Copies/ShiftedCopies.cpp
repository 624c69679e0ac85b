// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shifted copies move pieces of 16 bytes that begin anywhere in global memory, as those of rows of
// an odd length do. A thread loads the two aligned chunks of 16 bytes around a piece, shifts them
// into place, and writes the piece to shared memory.
#include "ThreadCopy.h"

#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Plan/Model.h"

#include <deque>

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

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
  };
  struct Piece {
    Item *item;
    std::pair<Value, int64_t> to; ///< in shared memory
    Value chunk;                  ///< the address of the first chunk, a pointer
    Value shift;                  ///< the bytes from there to the piece
    Value mine;                   ///< the thread has the piece; null: it does
    Value bytes;                  ///< how many bytes of it are inside; null: all of them
    Value load, loadNext;         ///< whether its chunks are loaded; null: they are
    Value single;                 ///< its elements are copied one by one; null: they are not
    Values words;                 ///< of its chunks
  };

  size_t countOnTheirWay();
  Value cutsNoMore(Item &item, Cut cut);
  Piece locate(Item &item, SharedTile &to, int64_t reg, Cut cut);
  void load(Piece &piece);
  Values shift(const Piece &piece);
  Values keepInside(const Piece &piece, ValueRange words);
  void store(const Piece &piece, ValueRange words);
  void copyPieces(Cut cut);
  void copyAtEnds();
  void copyElements(const Piece &piece);
  Value isAbove(Value number, int64_t constant) {
    return f.compare(arith::CmpIPredicate::sgt, number, f.i32(constant));
  }
  Value isAtMost(Value x, Value y) { return f.compare(arith::CmpIPredicate::sle, x, y); }

  Lowering &f;
  SmallVector<Item, 2> items;
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
    items.push_back({*copy, f.isInvariant(tile::rootOf(copy->op.getSource())),
                     isSmall ? Cut::Rows : Cut::Nothing, copy->access.arrayBytes()});
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
  auto atEnds = [&] { copyAtEnds(); };
  auto cut = [&] { copyPieces(Cut::Pieces); };
  auto bounded = [&] { branchOn(f, pieces, cut, atEnds); };
  auto whole = [&] { copyPieces(Cut::Nothing); };
  branchOn(f, least, whole, bounded);
}

ShiftedCopies::Piece ShiftedCopies::locate(Item &item, SharedTile &to, int64_t reg, Cut cut) {
  Access &access = item.copy.access;
  Piece piece{&item, to.address(reg), {}, {}, item.copy.isMine(reg), {}, {}, {}, {}, {}};
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
  auto [pointer, offset] = piece.to;
  if (isTrue(piece.mine))
    return f.storeWords(words, pointer, offset, kChunk);
  SmallVector<Lowering::AsmInput> inputs{{pointer, "r"}, {piece.mine, "b"}};
  for (Value word : words)
    inputs.push_back({word, "r"});
  f.inlineAsm("@$1 st.shared.v4.b32 [$0+" + std::to_string(offset) + "], " +
                  wordList("", 2, kWords) + ";",
              {}, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

void ShiftedCopies::copyPieces(Cut cut) {
  const size_t most = countOnTheirWay();
  std::deque<Piece> onTheirWay;
  auto finish = [&] {
    store(onTheirWay.front(), keepInside(onTheirWay.front(), shift(onTheirWay.front())));
    onTheirWay.pop_front();
  };
  for (Item &item : items) {
    item.copy.access.beginPath();
    SharedTile to = item.copy.makeTile();
    for (int64_t reg : item.copy.pieces) {
      if (onTheirWay.size() == most)
        finish();
      load(onTheirWay.emplace_back(locate(item, to, reg, std::max(cut, item.least))));
    }
  }
  while (!onTheirWay.empty())
    finish();
}

/// Few output tiles lie at an end of the array, and a piece takes most instructions there: so a
/// loop goes over groups of pieces that are on their way together.
void ShiftedCopies::copyAtEnds() {
  const size_t most = countOnTheirWay();
  for (Item &item : items)
    item.copy.inGroups(most, [&](SharedTile &to, ArrayRef<int64_t> pieces) {
      while (!pieces.empty()) {
        SmallVector<Piece> onTheirWay;
        for (int64_t reg : pieces.take_front(most))
          load(onTheirWay.emplace_back(locate(item, to, reg, Cut::Chunks)));
        for (const Piece &piece : onTheirWay) {
          store(piece, keepInside(piece, shift(piece)));
          copyElements(piece);
        }
        pieces = pieces.drop_front(onTheirWay.size());
      }
    });
}

/// Copies the elements of a piece that has zeros in shared memory because a chunk of it does not
/// belong to the array.
void ShiftedCopies::copyElements(const Piece &piece) {
  auto branch = scf::IfOp::create(f.b, f.loc, piece.single, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  const auto [pointer, offset] = piece.to;
  const int64_t bytes = piece.item->copy.access.bytes;
  // Opaque to LLVM, which would unroll the loop.
  Value end = f.opaque(piece.bytes ? piece.bytes : f.i32(kChunk));
  auto loop = scf::ForOp::create(f.b, f.loc, f.i32(0), end, f.i32(bytes));
  f.b.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  Value from = f.gep(f.gep(piece.chunk, f.toI64(piece.shift)), f.toI64(at));
  f.storeWords(f.loadWords(from, 0, bytes, piece.item->invariant),
               f.gep(f.gep(pointer, offset), at), 0, bytes);
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
