// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- EndOnSignal.h - Removes unfinished files on SIGINT and the like ----===//

#ifndef TESSERA_TOOLS_TILEC_ENDONSIGNAL_H
#define TESSERA_TOOLS_TILEC_ENDONSIGNAL_H

#include "tessera/Leftovers.h"

#include <csignal>
#include <iterator>

class EndOnSignal {
public:
  /// Must be called before InitLLVM, which does not keep which signals are ignored.
  EndOnSignal();

  /// From now on SIGHUP, SIGINT and SIGTERM clear `leftovers` and remove what LLVM would remove.
  /// Then they end the process as they would have without this; a second signal ends it at once.
  /// Signals that were ignored stay ignored (nohup). `leftovers` must live as long as the process.
  /// Must be called after InitLLVM, whose handlers these replace.
  void begin(tessera::Leftovers &leftovers) const;

private:
  static constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};
  bool isIgnored[std::size(kSignals)] = {};
};

#endif
