// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides whether two strided arrays share a byte. After negative strides have been reflected, they
// do if
//
//     sum c_k x_k = target,   0 <= x_k <= limit_k,   c_k > 0
//
// has a solution, where the x_k are the indices of both arrays (those of the second reflected) and
// the position within an element. This is a depth-first search that begins with the largest
// coefficients. It is pruned by the largest sum and the greatest common divisor of the remaining
// terms. For arrays that are parts of one row-major buffer, every level has one or two candidates.
// The general problem is NP-hard, so the search has a budget.

#include "tessera/Runtime/Facts.h"

#include <algorithm>

namespace tessera::rt {

namespace {
using Wide = __int128;

struct Term {
  Wide coefficient, limit;
};

struct Search {
  std::vector<Term> terms;
  std::vector<Wide> reach, divisor; ///< of terms[k...]
  int budget = 20000;

  Overlap solve(size_t k, Wide target) {
    if (target == 0)
      return Overlap::Yes;
    if (k == terms.size() || target < 0 || target > reach[k] || target % divisor[k])
      return Overlap::No;
    const Term &term = terms[k];
    Wide high = std::min(term.limit, target / term.coefficient);
    Wide rest = target - reach[k + 1];
    Wide low = rest <= 0 ? 0 : (rest + term.coefficient - 1) / term.coefficient;
    Overlap result = Overlap::No;
    for (Wide x = high; x >= low; --x) {
      if (--budget < 0)
        return Overlap::Unknown;
      Overlap found = solve(k + 1, target - x * term.coefficient);
      if (found == Overlap::Yes)
        return found;
      if (found == Overlap::Unknown)
        result = found;
    }
    return result;
  }
};

Wide gcd(Wide a, Wide b) {
  while (b)
    std::swap(a %= b, b);
  return a;
}
} // namespace

Overlap overlaps(const Argument &a, const BoundArg &boundA, const Argument &b,
                 const BoundArg &boundB) {
  int64_t lowA, highA, lowB, highB;
  byteRange(a.element, boundA.sizes, boundA.strides, a.rank(), lowA, highA);
  byteRange(b.element, boundB.sizes, boundB.strides, b.rank(), lowB, highB);
  if (lowA == highA || lowB == highB)
    return Overlap::No;
  auto startA = static_cast<Wide>(boundA.pointer) + lowA;
  auto startB = static_cast<Wide>(boundB.pointer) + lowB;
  if (startA + (highA - lowA) <= startB || startB + (highB - lowB) <= startA)
    return Overlap::No;
  if (!a.strided && !b.strided)
    return Overlap::Yes;

  // startA + sum |s| x + u  =  startB + sum |t| y + v; with y' = limit - y and v' likewise:
  // sum |s| x + sum |t| y' + u + v'  =  startB - startA + (highB - lowB - 1).
  Search search;
  auto add = [&](Wide coefficient, Wide limit) {
    if (limit == 0 || coefficient == 0)
      return;
    for (Term &term : search.terms)
      if (term.coefficient == coefficient) {
        term.limit += limit;
        return;
      }
    search.terms.push_back({coefficient, limit});
  };
  auto addArray = [&](const Argument &arg, const BoundArg &bound) {
    auto size = static_cast<Wide>(elementSize(arg.element));
    for (size_t d = 0; d < arg.rank(); ++d) {
      Wide stride = bound.strides[d];
      add((stride < 0 ? -stride : stride) * size, bound.sizes[d] - 1);
    }
    add(1, size - 1);
  };
  addArray(a, boundA);
  addArray(b, boundB);
  std::sort(search.terms.begin(), search.terms.end(),
            [](const Term &x, const Term &y) { return x.coefficient > y.coefficient; });
  size_t count = search.terms.size();
  search.reach.assign(count + 1, 0);
  search.divisor.assign(count + 1, 0);
  for (size_t k = count; k-- > 0;) {
    search.reach[k] = search.reach[k + 1] + search.terms[k].coefficient * search.terms[k].limit;
    search.divisor[k] = gcd(search.terms[k].coefficient, search.divisor[k + 1]);
  }
  return search.solve(0, startB - startA + (highB - lowB - 1));
}

ArgPairs exclusivePairs(const KernelContract &kernel) {
  ArgPairs pairs;
  auto isUsed = [](const Argument &arg) { return arg.isMemref && arg.access != Access::None; };
  for (uint32_t i = 0; i < kernel.args.size(); ++i) {
    const Argument &a = kernel.args[i];
    for (uint32_t j = 0; isUsed(a) && j < i; ++j) {
      const Argument &b = kernel.args[j];
      const bool mayAlias = !a.alias.empty() && a.alias == b.alias;
      if (isUsed(b) && (writes(a.access) || writes(b.access)) && !mayAlias)
        pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

bool checkOverlap(const KernelContract &kernel, const ArgPairs &pairs,
                  const std::vector<BoundArg> &args, std::string &error) {
  for (auto [i, j] : pairs) {
    Overlap result = overlaps(kernel.args[i], args[i], kernel.args[j], args[j]);
    if (result == Overlap::No)
      continue;
    error = describeArg(kernel, i) + (result == Overlap::Yes ? " overlaps " : " may overlap ") +
            describeArg(kernel, j) + " in memory, and the kernel writes " +
            describeArg(kernel, writes(kernel.args[i].access) ? i : j) +
            "; only arguments with one alias group may overlap";
    return false;
  }
  return true;
}

std::vector<ByteRange> byteRanges(const KernelContract &kernel, const std::vector<BoundArg> &args) {
  std::vector<ByteRange> ranges(args.size());
  for (size_t i = 0; i < args.size(); ++i)
    if (const Argument &arg = kernel.args[i]; arg.isMemref)
      byteRange(arg.element, args[i].sizes, args[i].strides, arg.rank(), ranges[i].low,
                ranges[i].high);
  return ranges;
}

bool liesApart(const ArgPairs &pairs, const std::vector<ByteRange> &ranges,
               const std::vector<uint64_t> &addresses) {
  return std::none_of(pairs.begin(), pairs.end(), [&](std::pair<uint32_t, uint32_t> pair) {
    const ByteRange a = ranges[pair.first], b = ranges[pair.second];
    const auto startA = static_cast<int64_t>(addresses[pair.first]);
    const auto startB = static_cast<int64_t>(addresses[pair.second]);
    // The address of an empty array may be anything.
    return a.low != a.high && b.low != b.high && startA + a.low < startB + b.high &&
           startB + b.low < startA + a.high;
  });
}

} // namespace tessera::rt
