// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Choice.h"

#include <algorithm>

namespace tessera::rt {

namespace {
/// As many members are named in an error.
constexpr size_t namedMembers = 3;
/// Variants stand in the order in which they are better. A later one takes the place of one that
/// fits where it is predicted to take less than this part of its time: whether an operand is copied
/// or loaded as it is depends on sizes. Source: docs/performance/constants.md.
constexpr double clearlyLess = 0.9;

struct Candidate {
  std::optional<size_t> variant;
  std::optional<int64_t> nanoseconds;
  // Without a variant, what the last one lacks: one of the three.
  const Guard *guard = nullptr;
  const Descriptor *map = nullptr;
  // Or why it has no code.
  const std::string *missing = nullptr;
};

/// A prediction that cannot be computed is none.
std::optional<int64_t> predict(const Variant &variant, const std::vector<BoundArg> &args,
                               int64_t cores) {
  int64_t nanoseconds;
  std::string ignored;
  if (!variant.cost || !variant.cost->evaluate(args, cores, nanoseconds, ignored) ||
      nanoseconds < 0)
    return std::nullopt;
  return nanoseconds;
}

Candidate candidateOf(const KernelContract &kernel, const Member &member,
                      const std::vector<BoundArg> &args, int64_t cores,
                      const MissingCode &missingCode) {
  Candidate result;
  const size_t end = member.first + member.count;
  const Guard *guard = nullptr;
  const Descriptor *map = nullptr;
  const std::string *missing = nullptr;
  for (size_t i = member.first; i < end; ++i) {
    const Variant &variant = kernel.variants[i];
    guard = nullptr;
    map = nullptr;
    missing = nullptr;
    if (!guardsHold(variant, args, cores, &guard))
      continue;
    if (!missingCode.empty() && !missingCode[i].empty()) {
      missing = &missingCode[i];
      continue;
    }
    // Nothing comes after the last one, so its tensor maps are made, or are an error. In a family
    // there are other members.
    const bool takesAll = i + 1 == end && !kernel.isFamily();
    if (!takesAll && !mapsExist(variant, args, &map))
      continue;
    const std::optional<int64_t> nanoseconds = predict(variant, args, cores);
    if (result.variant && !(nanoseconds && result.nanoseconds &&
                            static_cast<double>(*nanoseconds) <
                                clearlyLess * static_cast<double>(*result.nanoseconds)))
      continue;
    result.variant = i;
    result.nanoseconds = nanoseconds;
    if (!nanoseconds)
      break;
  }
  // What the last one lacks, if there is none.
  result.guard = guard;
  result.map = map;
  result.missing = missing;
  return result;
}

/// Whether a member without a prediction, or with a longer one, is worse.
bool isBetter(const std::optional<int64_t> &a, const std::optional<int64_t> &b) {
  return a && (!b || *a < *b);
}

/// What a candidate that is none lacks.
std::string needOf(const KernelContract &kernel, const Candidate &candidate) {
  if (candidate.guard)
    return "needs " + printGuard(*candidate.guard, kernel.argNames());
  if (candidate.missing)
    return "has no code: " + *candidate.missing;
  return "needs " + kernel.args[candidate.map->arg].name +
         " with strides that a tensor map can have, not negative and below 2^40 bytes";
}

std::string reasonOf(const KernelContract &kernel, const Member &member,
                     const Candidate &candidate) {
  return "'" + kernel.variants[member.first + member.count - 1].name + "' " +
         needOf(kernel, candidate);
}

std::string describeRefusal(const KernelContract &kernel, const std::vector<BoundArg> &args,
                            int64_t cores, const MissingCode &missing) {
  // Where code is missing, no option of the compiler brings another member.
  const bool isCodeMissing = std::any_of(missing.begin(), missing.end(),
                                         [](const std::string &why) { return !why.empty(); });
  const std::string advice =
      isCodeMissing       ? ""
      : kernel.isFamily() ? "; compile it with more members (tilec --members=N), or bind its "
                            "parameters for these sizes (tilec -D)"
                          : "; compile it with all variants (tilec --variants=auto)";
  const std::vector<Member> &members = kernel.members;
  if (!kernel.isFamily())
    return "no variant of kernel '" + kernel.name + "' takes these arguments: its last, '" +
           kernel.variants.back().name + "', " +
           needOf(kernel, candidateOf(kernel, members.front(), args, cores, missing)) + advice;
  std::string text = "no member of kernel '" + kernel.name + "' takes these arguments: ";
  const size_t count = std::min(members.size(), namedMembers);
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") +
            reasonOf(kernel, members[i], candidateOf(kernel, members[i], args, cores, missing));
  if (count < members.size())
    text += ", and so on for " + std::to_string(members.size() - count) + " more";
  return text + advice;
}
} // namespace

bool chooseVariant(const KernelContract &kernel, const std::vector<BoundArg> &args, int64_t cores,
                   const Forced &forced, const MissingCode &missing, size_t &variant,
                   std::string &error) {
  if (forced.kind == Forced::Kind::Variant) {
    variant = forced.index;
    const Guard *failed = nullptr;
    if (!missing.empty() && !missing[variant].empty()) {
      error = "variant '" + kernel.variants[variant].name + "' has no code: " + missing[variant];
      return false;
    }
    if (guardsHold(kernel.variants[variant], args, cores, &failed))
      return true;
    error = "variant '" + kernel.variants[variant].name +
            "' cannot take these arguments: it needs " + printGuard(*failed, kernel.argNames());
    return false;
  }
  if (forced.kind == Forced::Kind::Member) {
    const Member &member = kernel.members[forced.index];
    const Candidate candidate = candidateOf(kernel, member, args, cores, missing);
    if (!candidate.variant) {
      error = "member '" + member.name +
              "' cannot take these arguments: " + reasonOf(kernel, member, candidate);
      return false;
    }
    variant = *candidate.variant;
    return true;
  }
  Candidate best;
  for (const Member &member : kernel.members) {
    const Candidate candidate = candidateOf(kernel, member, args, cores, missing);
    if (candidate.variant && (!best.variant || isBetter(candidate.nanoseconds, best.nanoseconds)))
      best = candidate;
  }
  if (!best.variant) {
    error = describeRefusal(kernel, args, cores, missing);
    return false;
  }
  variant = *best.variant;
  return true;
}

std::vector<Ranked> rankMembers(const KernelContract &kernel, const std::vector<BoundArg> &args,
                                int64_t cores, const Forced &forced, const MissingCode &missing) {
  std::vector<Ranked> ranking;
  size_t chosen;
  std::string ignored;
  const bool isOneChosen = chooseVariant(kernel, args, cores, forced, missing, chosen, ignored);
  for (size_t i = 0; i < kernel.members.size(); ++i) {
    const Member &member = kernel.members[i];
    const Candidate candidate = candidateOf(kernel, member, args, cores, missing);
    Ranked &ranked = ranking.emplace_back();
    ranked.member = i;
    ranked.isChosen = isOneChosen && kernel.memberOf(chosen) == i;
    if (ranked.isChosen) {
      ranked.variant = chosen;
      ranked.nanoseconds = predict(kernel.variants[chosen], args, cores);
    } else if (candidate.variant) {
      ranked.variant = candidate.variant;
      ranked.nanoseconds = candidate.nanoseconds;
    } else {
      ranked.reason = reasonOf(kernel, member, candidate);
    }
  }
  std::stable_sort(ranking.begin(), ranking.end(), [](const Ranked &a, const Ranked &b) {
    if (a.variant.has_value() != b.variant.has_value())
      return a.variant.has_value();
    return isBetter(a.nanoseconds, b.nanoseconds);
  });
  return ranking;
}

} // namespace tessera::rt
