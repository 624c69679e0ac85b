// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads PTX and reports what hangs, races or computes wrongly on Hopper although ptxas accepts it.
// Per function:
//
// 1. wgmma: a `wgmma.fence` before the products on every path, a commit after them, a wait for
// every group before the
//    function ends; a register that holds an operand A is not written while a product that reads it
//    may be in flight (also over the back-edge of a loop).
// 2. Proxies: shared memory that threads wrote is fenced (`fence.proxy.async`) before a TMA store
// reads it, and before
//    wgmma does in a function whose operands do not come by TMA.
// 3. mbarriers: counts in range and not above the arrivals that a phase can have; initialised, with
// a fence before TMA
//    uses them; bytes expected are the bytes that the copies of the same block bring.
//    All threads meet between the initialisation and a wait, every path announces bytes before TMA
//    brings them, TMA stores are put into a group.
//    Rings of them (addressed by base + 8 * slot) are awaited, arrived on, and get the bytes that
//    are announced on them; somebody looks at what try_wait says.
// 4. setmaxnreg: legal numbers, both directions, a known number of threads, registers enough for
// all warpgroups.
// 5. Named barriers have numbers below 16.
// 6. Dependent launches (griddepcontrol): every thread passes the wait, and on every path before it
// accesses global memory; nothing is read by non-coherent loads. A function is one if, and only if,
// the launch contract says so.
//
// What is not static in the text is not judged. No IR in it.
#ifndef TESSERA_TARGET_PTXCHECK_H
#define TESSERA_TARGET_PTXCHECK_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct PtxProblem {
  unsigned line = 0; // of the text
  std::string function, message;
};

/// What the launch contract says of a function.
struct LaunchPromise {
  /// Bytes that one TMA access moves, by the number of the parameter that is the tensor map.
  std::map<unsigned, int64_t> boxes;
  bool dependent = false;
};
using LaunchPromises = std::map<std::string, LaunchPromise>; // by symbol

/// Why a text is none with functions, in which there is nothing to find.
std::optional<std::string> whyNotPtx(std::string_view text);

/// With the contract that the text carries, if it does: then it must be one.
std::vector<PtxProblem> checkPtx(std::string_view text);

std::vector<PtxProblem> checkPtx(std::string_view text, const LaunchPromises &promises);

/// The promises of a contract; what it does not say is left out. None if it is not JSON.
std::optional<LaunchPromises> launchPromises(std::string_view contractJson);

/// The contract in the constant of a PTX text. No JSON and no problem: there is none.
struct EmbeddedContract {
  unsigned line = 0;
  std::string json, problem;
};
EmbeddedContract embeddedContract(std::string_view ptx);

} // namespace tessera

#endif
