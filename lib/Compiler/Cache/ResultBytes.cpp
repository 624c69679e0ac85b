// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One list of the fields of each struct serves for writing and for reading. The lists are
// structured bindings, so that a field that is added to a struct and not to its list does not
// compile.
#include "Cache/ResultBytes.h"

#include <cstring>
#include <type_traits>

using namespace tessera;

namespace {
class Writer {
public:
  explicit Writer(std::string &bytes) : bytes(bytes) {}

  template <typename T>
  void number(T &value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void text(std::string &value) {
    size_t size = value.size();
    number(size);
    bytes += value;
  }
  /// The number of entries of a list.
  template <typename T>
  size_t count(std::vector<T> &list) {
    size_t size = list.size();
    number(size);
    return size;
  }
  template <typename T>
  bool has(std::optional<T> &value) {
    bool isThere = value.has_value();
    number(isThere);
    return isThere;
  }

private:
  std::string &bytes;
};

/// After the first thing that does not fit all reads give zeros, and `isBad` is set.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}

  template <typename T>
  void number(T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    value = T();
    if (std::string_view read = take(sizeof value); !read.empty())
      std::memcpy(&value, read.data(), sizeof value);
  }
  void text(std::string &value) {
    size_t size;
    number(size);
    value = take(size);
  }
  template <typename T>
  size_t count(std::vector<T> &list) {
    size_t size;
    number(size);
    // Each entry takes a byte at least.
    if (size > bytes.size())
      isBad = true;
    list.resize(isBad ? 0 : size);
    return list.size();
  }
  template <typename T>
  bool has(std::optional<T> &value) {
    unsigned char isThere;
    number(isThere);
    isBad |= isThere > 1;
    if (isThere == 1 && !isBad)
      value.emplace();
    return value.has_value();
  }
  bool isDone() const { return !isBad && bytes.empty(); }

private:
  std::string_view take(size_t size) {
    if (isBad || size > bytes.size()) {
      isBad = true;
      return {};
    }
    std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return taken;
  }

  std::string_view bytes;
  bool isBad = false;
};

template <typename Archive>
class Fields {
public:
  explicit Fields(Archive &archive) : archive(archive) {}

  template <typename... Ts>
  void all(Ts &...values) {
    (one(values), ...);
  }

private:
  template <typename T>
  std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>> one(T &value) {
    archive.number(value);
  }
  void one(bool &value) {
    // A byte that is neither 0 nor 1 must not become a bool.
    unsigned char byte = value;
    archive.number(byte);
    value = byte & 1;
  }
  void one(std::string &value) { archive.text(value); }
  template <typename T>
  void one(std::vector<T> &list) {
    archive.count(list);
    for (T &entry : list)
      one(entry);
  }
  template <typename T>
  void one(std::optional<T> &value) {
    if (archive.has(value))
      one(*value);
  }
  template <typename A, typename B>
  void one(std::pair<A, B> &value) {
    all(value.first, value.second);
  }
  void one(SourceLocation &value) {
    auto &[file, line, column, name, calledFrom] = value;
    all(file, line, column, name, calledFrom);
  }
  void one(Verdict &value) {
    auto &[op, location, type, mechanism, why, places, canImprove] = value;
    all(op, location, type, mechanism, why, places, canImprove);
  }
  void one(SharedTile &value) {
    auto &[offset, bytes, type, location] = value;
    all(offset, bytes, type, location);
  }
  void one(RoleReport &value) {
    auto &[name, warps, registers] = value;
    all(name, warps, registers);
  }
  void one(PlanReport &value) {
    auto &[plan, group, leastGroup, order, wavesForNumbering, bound, launch, wave, iteration,
           blocksPerSM, waveBlocks, cycles, waveEfficiency] = value;
    all(plan, group, leastGroup, order, wavesForNumbering, bound, launch, wave, iteration,
        blocksPerSM, waveBlocks, cycles, waveEfficiency);
  }
  void one(LoopReport &value) {
    auto &[location, ii, bound, bounds] = value;
    all(location, ii, bound, bounds);
  }
  void one(LaunchReport &value) {
    auto &[symbol, plan, roles, loops, entryRegisters, threads, sharedBytes, shared, verdicts,
           registers, stackBytes, spillStoreBytes, spillLoadBytes, spillsInMainLoops, rejectedPlan,
           blocksPerSM, limitedBy, tensorFlops, fmaFlops, globalBytes, bound] = value;
    all(symbol, plan, roles, loops, entryRegisters, threads, sharedBytes, shared, verdicts,
        registers, stackBytes, spillStoreBytes, spillLoadBytes, spillsInMainLoops, rejectedPlan,
        blocksPerSM, limitedBy, tensorFlops, fmaFlops, globalBytes, bound);
  }
  void one(VariantReport &value) {
    auto &[name, standsFor, guards, workspaces, launches] = value;
    all(name, standsFor, guards, workspaces, launches);
  }
  void one(ParamReport &value) {
    auto &[name, number, isGiven, choices] = value;
    all(name, number, isGiven, choices);
  }
  void one(BoundReport &value) {
    auto &[params, isDivided, members, hasMore, family, isPredicted, held, compared, leftOut,
           loss] = value;
    all(params, isDivided, members, hasMore, family, isPredicted, held, compared, leftOut, loss);
  }
  void one(KernelReport &value) {
    auto &[name, location, variants, bound] = value;
    all(name, location, variants, bound);
  }
  void one(Report &value) {
    auto &[target, compiler, kernels, ptxasMessages] = value;
    all(target, compiler, kernels, ptxasMessages);
  }
  void one(CompileDiagnostic &value) {
    auto &[severity, file, line, column, message, notes] = value;
    all(severity, file, line, column, message, notes);
  }

  Archive &archive;
};

/// Leaves out what a result has of this run: whether it stopped, its times, a reproducer.
template <typename Archive>
void archiveResult(Archive &archive, CompileResult &result) {
  Fields<Archive>(archive).all(result.kind, result.artifact, result.report, result.diagnostics);
}
} // namespace

std::string tessera::writeResult(const CompileResult &result) {
  std::string bytes;
  Writer writer(bytes);
  // The writer changes nothing.
  archiveResult(writer, const_cast<CompileResult &>(result));
  return bytes;
}

std::optional<CompileResult> tessera::readResult(std::string_view bytes) {
  CompileResult result;
  Reader reader(bytes);
  archiveResult(reader, result);
  if (!reader.isDone())
    return std::nullopt;
  result.ok = true;
  return result;
}
