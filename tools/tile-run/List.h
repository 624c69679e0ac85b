// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- List.h - What an artifact contains --------------------------------===//

#ifndef TESSERA_TOOLS_TILE_RUN_LIST_H
#define TESSERA_TOOLS_TILE_RUN_LIST_H

#include "tessera/Runtime/Launcher.h"

namespace tile_run {

/// Prints the type of an argument: "memref<?x128xbf16>".
std::string printType(const tessera::rt::Argument &arg);

void printList(tessera::rt::Module &module, bool json);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_LIST_H
