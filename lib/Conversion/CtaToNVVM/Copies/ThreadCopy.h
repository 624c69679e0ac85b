// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies by threads: every thread of the scope moves pieces of the tile, distributed as in a
// coalesced register tile.
#ifndef TESSERA_LIB_CONVERSION_CTATONVVM_COPIES_THREADCOPY_H
#define TESSERA_LIB_CONVERSION_CTATONVVM_COPIES_THREADCOPY_H

#include "../GlobalAccess.h"
#include "../SharedTile.h"

namespace tessera::nvvm {

/// A copy by threads, and the share of a thread.
struct ThreadCopy {
  static mlir::FailureOr<std::unique_ptr<ThreadCopy>> make(Lowering &f, cta::CopyOp op);

  /// The shared tile, or what is so many bytes behind its beginning.
  SharedTile makeTile(Value behind = {}) {
    SharedPlace from = place;
    if (behind)
      from.base = f.gep(place.base, behind);
    return SharedTile(f, access.index, shared, from, layout::Coord(shared.shape.size(), 0),
                      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  }
  /// Calls `body` with pieces and the tile that they go to: in a loop over groups of `least` pieces
  /// or more if these repeat, then with those that are left. The code is shorter than that of all
  /// pieces, but the loads of one group do not overlap those of another.
  void inGroups(size_t least, llvm::function_ref<void(SharedTile &, llvm::ArrayRef<int64_t>)> body);
  int64_t pieceBytes() const { return vector * access.bytes; }
  /// True in threads that copy the piece; null: in all.
  Value isMine(int64_t reg) { return f.both(access.index.live(reg), owner); }

  Lowering &f;
  cta::CopyOp op;
  layout::SharedLayout shared;
  SharedPlace place;
  mlir::RankedTensorType type; ///< in the layout of the pieces
  int64_t vector;              ///< elements of a piece
  Access access;
  Value owner;
  /// The registers at which pieces begin. All pieces of a row come together, so that its address is
  /// dead afterwards.
  llvm::SmallVector<int64_t> pieces;

private:
  /// Groups of pieces: each is `step` coordinates along `dim` further than the one before, and
  /// `bytes` in shared memory.
  struct Groups {
    size_t count = 0, pieces = 0;
    int dim = -1;
    int64_t step = 0, bytes = 0;
  };
  Groups findGroups(size_t least);
  bool repeats(Groups &groups, const SharedTile &to);

  ThreadCopy(Lowering &f, cta::CopyOp op, const layout::SharedLayout &shared,
             const SharedPlace &place, mlir::RankedTensorType type)
      : f(f), op(op), shared(shared), place(place), type(type),
        vector(static_cast<int64_t>(*op.getVector())), access(f, op, op.getSource(), type),
        owner(f.isOwner(access.index.layout)) {}
};

/// Runs `whole` where the condition holds, else `bounded`.
void branchOn(Lowering &f, Value condition, llvm::function_ref<void()> whole,
              llvm::function_ref<void()> bounded);

} // namespace tessera::nvvm

#endif // TESSERA_LIB_CONVERSION_CTATONVVM_COPIES_THREADCOPY_H
