// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Artifact.h - What kind of file, and the contract in it -------------===//

#ifndef TESSERA_RUNTIME_ARTIFACT_H
#define TESSERA_RUNTIME_ARTIFACT_H

#include "tessera/Runtime/Contract.h"

#include <string>
#include <string_view>

namespace tessera::rt {

/// The name of the global that holds the contract.
inline constexpr const char *contractSymbol = "__tessera_contract";

enum class ArtifactKind { Cubin, SharedObject };

/// Recognises an artifact by its content, checks that it is complete, and reads its contract
/// without loading it. Complete means that nothing to which it refers lies beyond its end, so that
/// neither loader nor driver reads there. Returns false with one line in `error`.
bool readArtifact(std::string_view bytes, ArtifactKind &kind, Contract &contract,
                  std::string &error);

bool readFile(const std::string &path, std::string &bytes, std::string &error);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_ARTIFACT_H
