// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The report in short: for each kernel, what the first variant does, what bounds it, and what a
// user can change. Report.cpp prints the whole report.
#include "Report/BoundText.h"
#include "Report/SourceNames.h"
#include "tessera/Report.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using llvm::StringRef;

/// The most items of advice for one launch. The rest would not fit on a screen.
static constexpr size_t kMostAdvice = 6;

/// Returns "tma" for "tma, cache = stream".
static StringRef shortMechanism(const Verdict &verdict) {
  return StringRef(verdict.mechanism).split(',').first;
}

/// Prints "2 loads by tma, 1 mma by wgmma, 1 atomic counted in shared memory".
static void printMechanisms(llvm::raw_ostream &os, const LaunchReport &launch) {
  llvm::MapVector<std::pair<StringRef, StringRef>, unsigned> counts;
  for (const Verdict &verdict : launch.verdicts)
    ++counts[{verdict.op, shortMechanism(verdict)}];
  llvm::interleaveComma(counts, os, [&](const auto &entry) {
    const auto &[op, mechanism] = entry.first;
    os << entry.second << " " << op << (entry.second > 1 && op != "mma" ? "s" : "")
       << (mechanism.starts_with("counted ") ? " " : " by ") << mechanism;
  });
}

static void printResources(llvm::raw_ostream &os, const LaunchReport &launch) {
  os << "      " << launch.threads << " threads";
  if (launch.registers) {
    os << ", " << *launch.registers << " registers";
    if (int64_t bytes = launch.spillStoreBytes + launch.spillLoadBytes)
      os << (launch.spillsInMainLoops ? ", SPILLS (" : ", spills outside of its main loops (")
         << bytes << " bytes)";
  }
  if (launch.blocksPerSM)
    os << ", " << launch.blocksPerSM << (launch.blocksPerSM == 1 ? " block" : " blocks")
       << " per SM (limited by " << launch.limitedBy << ")";
  os << "\n";
}

static void printBound(llvm::raw_ostream &os, const LaunchReport &launch) {
  if (launch.plan && !launch.plan->bound.empty()) {
    os << "      bound by " << launch.plan->bound << ": " << launch.plan->iteration
       << " cycles an iteration";
    if (launch.plan->cycles)
      os << ", " << *launch.plan->cycles << " cycles in all";
    os << " (predicted)\n";
  } else if (!launch.bound.empty()) {
    os << "      predicted: " << launch.bound << "\n";
  }
  if (!launch.rejectedPlan.empty())
    os << "      another plan was rejected: " << launch.rejectedPlan << "\n";
}

static void printAdvice(llvm::raw_ostream &os, const LaunchReport &launch) {
  size_t count = 0;
  for (const Verdict &verdict : launch.verdicts) {
    if (!verdict.canImprove || ++count > kMostAdvice)
      continue;
    os << "      to change: " << lineText(verdict.location) << ", " << verdict.op << " "
       << verdict.location.name << ", " << verdict.mechanism << "; " << verdict.why << "\n";
  }
  if (count > kMostAdvice)
    os << "      and " << count - kMostAdvice << " more (--report=full)\n";
  if (!count)
    os << "      to change: nothing that the compiler knows of\n";
}

static void printVariant(llvm::raw_ostream &os, const VariantReport &variant) {
  os << "  variant " << variant.name;
  if (variant.guards.empty())
    os << ": always\n";
  else
    os << ": if " << variant.guards.size() << (variant.guards.size() == 1 ? " fact" : " facts")
       << " about the arguments hold" << (variant.guards.size() == 1 ? "s" : "") << "\n";
  for (const LaunchReport &launch : variant.launches) {
    os << "    launch " << launch.symbol << ": ";
    printMechanisms(os, launch);
    os << "\n";
    printResources(os, launch);
    printBound(os, launch);
    printAdvice(os, launch);
  }
}

/// "20", or "more than 4096" where counting ended.
static std::string countText(const BoundReport &bound) {
  return (bound.hasMore ? "more than " : "") + std::to_string(bound.members);
}

/// What is added to the number of members if only some were compared.
static std::string sampleText(const BoundReport &bound) {
  return bound.compared ? ", " + std::to_string(bound.compared) + " of which were compared" : "";
}

static void printLeftOut(llvm::raw_ostream &os, const BoundReport &bound) {
  for (const auto &[member, why] : bound.leftOut)
    os << "  without " << member << ": " << why << "\n";
}

/// "BM = 128, BN = 256 (given), as it stands". Of a kernel that is no member it need not be said
/// that it is not divided, unless there is nothing else to say.
static void printMember(llvm::raw_ostream &os, const BoundReport &bound) {
  if (!bound.params.empty())
    os << "bound: ";
  llvm::interleaveComma(bound.params, os, [&](const ParamReport &param) {
    os << param.name << " = " << param.value;
    if (param.isGiven)
      os << " (given)";
  });
  if (!bound.isDivided && bound.family.empty() && !bound.params.empty())
    return;
  os << (bound.params.empty() ? "" : ", ")
     << (bound.isDivided ? "its last wave divided among blocks" : "as it stands");
}

std::string tessera::boundText(const KernelReport &kernel) {
  if (!kernel.bound)
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "  ";
  printMember(os, *kernel.bound);
  if (!kernel.bound->family.empty()) {
    os << "; one of " << kernel.bound->held << " members of @" << kernel.bound->family;
    if (!kernel.bound->params.empty())
      os << " (of " << countText(*kernel.bound) << " bindings" << sampleText(*kernel.bound) << ")";
    os << ", of which the launcher takes the one that is predicted to be the fastest\n";
    printLeftOut(os, *kernel.bound);
    return text;
  }
  const bool isChosen =
      !llvm::all_of(kernel.bound->params, [](const ParamReport &param) { return param.isGiven; });
  if (isChosen && kernel.bound->isPredicted)
    os << "; of " << countText(*kernel.bound) << " members" << sampleText(*kernel.bound)
       << (kernel.bound->compared ? ", " : " ") << "the one that is predicted to be the fastest";
  else if (isChosen)
    os << "; of " << countText(*kernel.bound)
       << " members the first one that is possible: tilec --list-members prints all, -D "
       << kernel.bound->params.front().name << "=<number> takes another one";
  os << "\n";
  printLeftOut(os, *kernel.bound);
  return text;
}

std::string Report::toSummary() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "target " << target << ", " << compiler << "\n";
  for (const KernelReport &kernel : kernels) {
    os << "kernel @" << kernel.name << " (" << lineText(kernel.location) << ")\n"
       << boundText(kernel);
    if (kernel.variants.empty())
      continue;
    printVariant(os, kernel.variants.front());
    if (kernel.variants.size() == 1)
      continue;
    os << "  where they do not hold, the first of these that may: ";
    llvm::interleaveComma(llvm::drop_begin(kernel.variants), os,
                          [&](const VariantReport &variant) { os << variant.name; });
    os << " (--report=full)\n";
  }
  for (const std::string &message : ptxasMessages)
    os << "ptxas: " << message << "\n";
  return text;
}
