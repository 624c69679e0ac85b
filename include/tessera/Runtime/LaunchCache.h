// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- LaunchCache.h - Prepared launches, by the facts they depend on -----===//
//
// The key of a prepared launch has of each array the sizes, the strides and how its address is
// aligned, but not the address; of the scalars those that a guard, an assumption or an expression
// uses, that of a cost as well; the context, the number of cores and what is forced. So a launch
// with other arrays of the same shape, or with another value of a factor, finds what was prepared.

#ifndef TESSERA_RUNTIME_LAUNCHCACHE_H
#define TESSERA_RUNTIME_LAUNCHCACHE_H

#include "tessera/Runtime/Choice.h"
#include "tessera/Runtime/PreparedLaunch.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace tessera::rt {

class LaunchCache {
public:
  explicit LaunchCache(const KernelContract &kernel);

  /// Lets keys have what another contract for the same arguments depends on, too. Returns whether
  /// they had less; then what was kept is gone, and the key must be set again.
  bool add(const KernelContract &other);
  /// What the other functions are about: a launch of these arguments, of which there are as many as
  /// the kernel has.
  void setKey(const tessera_rt_arg *args, const void *context, const Forced &forced, int64_t cores);
  /// Null if there is none.
  PreparedLaunch *find();
  PreparedLaunch *insert(std::unique_ptr<PreparedLaunch> launch);
  void erase();
  size_t size() const { return entries.size(); }

private:
  /// How the words of an argument are made.
  struct Recipe {
    size_t rank = 0;
    uint64_t largestAlignment = 0; ///< alignments beyond it make no difference
    bool usesAddress = false;      ///< some demand is no power of two
    bool isKey = false;            ///< of a scalar: something depends on it

    bool operator==(const Recipe &other) const {
      return rank == other.rank && largestAlignment == other.largestAlignment &&
             usesAddress == other.usesAddress && isKey == other.isKey;
    }
  };
  struct Entry {
    std::vector<uint64_t> key;
    std::unique_ptr<PreparedLaunch> launch;
  };

  const KernelContract &kernel;
  std::vector<Recipe> recipes;
  std::vector<uint64_t> key;
  std::unordered_map<uint64_t, Entry> entries;
  Entry *last = nullptr; ///< the one that was found or inserted last
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_LAUNCHCACHE_H
