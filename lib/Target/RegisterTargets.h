// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: LLVM's targets.
#ifndef TESSERA_LIB_TARGET_REGISTERTARGETS_H
#define TESSERA_LIB_TARGET_REGISTERTARGETS_H

namespace tessera {

/// Registers NVPTX and the host's target, once in a process. LLVM's list of targets is not locked,
/// so nobody else of this library may write to it, and all who read it call this before. Returns
/// whether there is a target for the host.
bool registerTargets();

} // namespace tessera

#endif
