// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The queue of a launch from which blocks take the numbers of their output tiles. A queue may give
// the numbers to the blocks in any way; here each of n blocks gets every n-th.
#include "Interpreter.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

LogicalResult Unroller::Impl::takeNumber(cta::TakeNumberOp op) {
  FailureOr<APInt> first = integer(op, op.getFirst(), true);
  if (failed(first))
    return failure();
  openQueue = op;
  bindInteger(op.getResult(), program->block + block + ++numbersTaken * first->getSExtValue());
  return success();
}

LogicalResult Unroller::Impl::closeQueue(cta::CloseQueueOp op) {
  FailureOr<APInt> last = integer(op, op.getLast(), true), count = integer(op, op.getCount(), true);
  if (failed(last) || failed(count))
    return failure();
  if (last->slt(*count))
    return error(op) << "its last number, " << last->getSExtValue()
                     << ", is that of an output tile: there are " << count->getSExtValue();
  openQueue = nullptr;
  return success();
}

LogicalResult Unroller::Impl::checkDrawn(cta::CountedLoop loop, const Binding &yielded,
                                         int64_t next) {
  if (yielded.event >= 0 && isa<cta::GetScalarOp>(program->events[yielded.event].op)) {
    // Only the run knows what it reads: see Run::receivesNumber.
    program->events[yielded.event].scalar = next;
    return success();
  }
  auto number = dyn_cast_or_null<IntegerAttr>(yielded.scalar);
  if (yielded.drawn || !number)
    return error(loop) << "the number of the next output tile that it yields comes neither from "
                          "the queue nor from a channel";
  if (number.getInt() == next)
    return success();
  return error(loop) << "the number of the next output tile that it yields is " << number.getInt()
                     << ", where the queue has given " << next;
}
