// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads PTX and reports what hangs, races or computes wrongly on Hopper although ptxas accepts it.
// It checks, in each function:
//
// 1. wgmma: on every path a `wgmma.fence` before the products, a commit after them, and a wait for
//    every group before the function ends. A register that holds an operand A is not written while
//    a product that reads it may be in flight, also over the back edge of a loop.
// 2. Proxies: shared memory that threads wrote is fenced (`fence.proxy.async`) before a TMA store
//    reads it. In a function whose operands do not come by TMA it is fenced before wgmma reads it.
// 3. mbarriers: arrival counts are in range, and not above the arrivals that a phase can have.
//    mbarriers are initialised, with a fence before TMA uses them. The bytes that are expected are
//    the bytes that the copies of the same block bring. All threads meet between the initialisation
//    and a wait. Every path announces bytes before TMA brings them, and TMA stores are put into a
//    group. A ring of mbarriers (addressed by base + 8 * slot) is awaited, arrived on, and gets the
//    bytes that are announced on it. The result of try_wait is used.
// 4. setmaxnreg: legal numbers, both directions, a known number of threads, and enough registers
//    for all warpgroups.
// 5. Named barriers have numbers below 16.
// 6. Dependent launches (griddepcontrol): every thread passes the wait, and on every path it comes
//    before accesses to global memory. Nothing is read by non-coherent loads. A function is one if,
//    and only if, the launch contract says so.
//
// What cannot be determined from the text is not judged. This file needs no IR.
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

/// What the launch contract says about a function.
struct LaunchPromise {
  /// Bytes that one TMA access moves, by the number of the parameter that is the tensor map.
  std::map<unsigned, int64_t> boxes;
  bool dependent = false;
};
using LaunchPromises = std::map<std::string, LaunchPromise>; // by symbol

/// The reason why a text is not PTX with functions, in which there is nothing to check; nothing if
/// it is.
std::optional<std::string> whyNotPtx(std::string_view text);

/// Checks the text against the contract that it carries, if any. It is a problem if that is not a
/// valid contract.
std::vector<PtxProblem> checkPtx(std::string_view text);

std::vector<PtxProblem> checkPtx(std::string_view text, const LaunchPromises &promises);

/// The promises of a contract; what it does not state is left out. Nothing if it is not JSON.
std::optional<LaunchPromises> launchPromises(std::string_view contractJson);

/// The contract that a PTX text holds in a constant. If both JSON and problem are empty there is
/// none.
struct EmbeddedContract {
  unsigned line = 0;
  std::string json, problem;
};
EmbeddedContract embeddedContract(std::string_view ptx);

} // namespace tessera

#endif
