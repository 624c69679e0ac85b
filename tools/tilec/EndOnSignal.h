// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- EndOnSignal.h - Leave nothing behind on SIGINT and the like --------===//

#ifndef TESSERA_TOOLS_TILEC_ENDONSIGNAL_H
#define TESSERA_TOOLS_TILEC_ENDONSIGNAL_H

#include "tessera/Leftovers.h"

#include <csignal>
#include <iterator>

class EndOnSignal {
public:
  /// In front of InitLLVM, which forgets what is ignored.
  EndOnSignal();

  /// From now on SIGHUP, SIGINT and SIGTERM clear `leftovers`, and remove what LLVM would remove,
  /// before they end the process as they would have; a second one ends it at once. Signals that
  /// were ignored are so again (nohup). `leftovers` must live as long as the process. Behind
  /// InitLLVM, whose handlers these replace.
  void begin(tessera::Leftovers &leftovers) const;

private:
  static constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};
  bool isIgnored[std::size(kSignals)] = {};
};

#endif
