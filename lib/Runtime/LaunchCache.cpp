// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/LaunchCache.h"

#include <algorithm>

namespace tessera::rt {

namespace {
/// The number of prepared launches that are kept for each kernel. When there are more, all of them
/// are dropped: a program whose sizes change so often has no use for a cache.
constexpr size_t cacheLimit = 1024;

/// Tensor maps ask for no more (the promotion of L2), and workspaces have no less.
constexpr uint64_t leastLargestAlignment = 256;

uint64_t hash(const std::vector<uint64_t> &words) {
  uint64_t state = 0x9e3779b97f4a7c15;
  for (uint64_t word : words) {
    state = (state ^ word) * 0xff51afd7ed558ccd;
    state ^= state >> 32;
  }
  return state;
}

/// Calls body(expr) for every expression of the kernel.
template <typename Body>
void forEachExpr(const KernelContract &kernel, Body &&body) {
  auto each = [&](const std::vector<Expr> &list) { std::for_each(list.begin(), list.end(), body); };
  for (const Assume &assume : kernel.assumes)
    body(assume.cond);
  for (const Variant &variant : kernel.variants) {
    if (variant.cost)
      body(*variant.cost);
    for (const Guard &guard : variant.guards)
      body(guard.cond);
    for (const Workspace &workspace : variant.workspaces) {
      each(workspace.sizes);
      each(workspace.strides);
    }
    for (const Launch &launch : variant.launches) {
      each(launch.grid);
      if (launch.places)
        body(*launch.places);
      for (const Param &param : launch.params)
        body(param.value);
      for (const Descriptor &descriptor : launch.descriptors) {
        each(descriptor.sizes);
        each(descriptor.strides);
      }
    }
  }
}
} // namespace

LaunchCache::LaunchCache(const KernelContract &kernel)
    : kernel(kernel), recipes(kernel.args.size()) {
  for (size_t i = 0; i < recipes.size(); ++i) {
    recipes[i].rank = kernel.args[i].rank();
    recipes[i].largestAlignment = leastLargestAlignment;
  }
  add(kernel);
}

bool LaunchCache::add(const KernelContract &other) {
  const std::vector<Recipe> before = recipes;
  auto demand = [&](size_t arg, int64_t alignment) {
    const auto bytes = static_cast<uint64_t>(alignment);
    Recipe &recipe = recipes[arg];
    recipe.usesAddress |= (bytes & (bytes - 1)) != 0;
    recipe.largestAlignment = std::max(recipe.largestAlignment, bytes);
  };
  for (size_t i = 0; i < recipes.size(); ++i)
    if (other.args[i].isMemref)
      demand(i, alignmentOf(other.args[i]));
  for (const Variant &variant : other.variants)
    for (const Guard &guard : variant.guards) {
      if (guard.fact == Guard::Fact::Align)
        demand(guard.arg, guard.value);
      else if (guard.fact == Guard::Fact::ScalarDivisible)
        recipes[guard.arg].isKey = true;
    }
  forEachExpr(other, [&](const Expr &expr) {
    for (const Expr::Node &node : expr.nodes)
      if (node.op == Expr::Op::Scalar)
        recipes[node.arg].isKey = true;
  });
  if (recipes == before)
    return false;
  entries.clear();
  last = nullptr;
  return true;
}

void LaunchCache::setKey(const tessera_rt_arg *args, const void *context, const Forced &forced,
                         int64_t cores) {
  key.clear();
  key.push_back(reinterpret_cast<uint64_t>(context));
  key.push_back(forced.key());
  key.push_back(static_cast<uint64_t>(cores));
  for (size_t i = 0; i < recipes.size(); ++i) {
    const Recipe &recipe = recipes[i];
    const tessera_rt_arg &arg = args[i];
    if (!kernel.args[i].isMemref) {
      if (recipe.isKey)
        key.push_back(scalarBits(kernel.args[i], arg.bits));
      continue;
    }
    const auto address = reinterpret_cast<uint64_t>(arg.pointer);
    // The largest power of two that divides the address; 0 of null, which is an error of its own.
    // Addresses of the upper part are errors, too.
    const uint64_t alignment = std::min(address & (~address + 1), recipe.largestAlignment);
    key.push_back(alignment);
    key.push_back(uint64_t{isBeyond(address)} << 2 | uint64_t{arg.strides != nullptr} << 1 |
                  uint64_t{arg.sizes != nullptr});
    if (recipe.usesAddress)
      key.push_back(address);
    for (const int64_t *list : {arg.sizes, arg.strides})
      if (list)
        key.insert(key.end(), list, list + recipe.rank);
  }
}

PreparedLaunch *LaunchCache::find() {
  if (last && last->key == key)
    return last->launch.get();
  auto found = entries.find(hash(key));
  if (found == entries.end() || found->second.key != key)
    return nullptr;
  last = &found->second;
  return last->launch.get();
}

PreparedLaunch *LaunchCache::insert(std::unique_ptr<PreparedLaunch> launch) {
  if (entries.size() >= cacheLimit) {
    entries.clear();
    last = nullptr;
  }
  last = &entries[hash(key)];
  *last = {key, std::move(launch)};
  return last->launch.get();
}

void LaunchCache::erase() {
  entries.erase(hash(key));
  last = nullptr;
}

} // namespace tessera::rt
