// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out what holds on every path through a PTX function.
#ifndef TESSERA_LIB_TARGET_PTXFLOW_H
#define TESSERA_LIB_TARGET_PTXFLOW_H

#include "PtxReader.h"

#include <deque>

namespace tessera::ptx {

/// Calls `step(state, instruction, complain)` along all paths: first without complaints, until no
/// block is entered in a new state, then once for each block that can be reached. A `State` has
/// `reached` and `join(other)`; `join` returns true if it has changed the state.
template <typename State, typename Step>
void followPaths(const Function &function, Step step) {
  std::vector<State> entry(function.blocks.size());
  std::deque<unsigned> worklist{0};
  entry[0].reached = true;
  while (!worklist.empty()) {
    unsigned index = worklist.front();
    worklist.pop_front();
    State state = entry[index];
    for (const Instruction &inst : function.blocks[index].instructions)
      step(state, inst, false);
    for (unsigned successor : function.blocks[index].successors)
      if (entry[successor].join(state))
        worklist.push_back(successor);
  }
  for (unsigned index = 0; index < entry.size(); ++index) {
    if (!entry[index].reached)
      continue;
    State state = entry[index];
    for (const Instruction &inst : function.blocks[index].instructions)
      step(state, inst, true);
  }
}

} // namespace tessera::ptx

#endif
