// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the operands of PTX mean: numbers, addresses, and the kinds of instructions that several
// checks need.
#ifndef TESSERA_LIB_TARGET_PTXVALUES_H
#define TESSERA_LIB_TARGET_PTXVALUES_H

#include "PtxReader.h"
#include "tessera/Target/PtxCheck.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::ptx {

inline bool isTmaLoad(const Instruction &inst) {
  return inst.is("cp.async.bulk") && inst.has("mbarrier") && inst.opcode.contains(".global");
}

/// True for a TMA load into several blocks of the cluster.
inline bool isMulticast(const Instruction &inst) {
  return isTmaLoad(inst) && inst.opcode.contains("multicast::cluster");
}

/// True for an arrival on an mbarrier in another block of the cluster.
inline bool isRemoteArrival(const Instruction &inst) {
  return inst.is("mbarrier.arrive") && inst.opcode.contains("shared::cluster");
}

/// How the address and the guard of a remote arrival are computed: by mapa.… there, barrier, rank
/// and setp.lt some, thread, blocks.
struct RemoteArrival {
  llvm::StringRef barrier;       ///< the address in the block itself; empty if no mapa made it
  std::optional<int64_t> blocks; ///< how many blocks are signalled, by one thread each
};

/// The last address among the operands of a TMA load.
inline std::optional<llvm::StringRef> mbarrierOf(const Instruction &inst) {
  std::optional<llvm::StringRef> result;
  for (llvm::StringRef operand : inst.operands)
    if (operand.starts_with("[") && !operand.contains(','))
      result = operand;
  return result;
}

/// The number that an operand is, or nothing.
inline std::optional<int64_t> literal(llvm::StringRef operand) {
  int64_t value;
  if (operand.trim().getAsInteger(0, value))
    return std::nullopt;
  return value;
}

/// An address: a symbol and a constant, and possibly something that varies.
struct Place {
  std::string symbol;
  int64_t offset = 0;
  bool dynamic = false; ///< whether something unknown is added
};

/// What a register holds, as far as its only definition says: a symbol or another register, plus a
/// constant.
struct Value {
  std::string base;
  int64_t offset = 0;
  bool isSymbol = false;
  std::string text() const { return base + (offset ? "+" + std::to_string(offset) : ""); }
};

class Values {
public:
  explicit Values(const Function &function) {
    for (const Block &block : function.blocks)
      for (const Instruction &inst : block.instructions)
        for (llvm::StringRef reg : inst.defs()) {
          auto [it, inserted] = definitions.try_emplace(reg, &inst);
          if (!inserted)
            it->second = nullptr; // it has several definitions
        }
    for (const Block &block : function.blocks)
      for (size_t at = 0; at < block.instructions.size(); ++at)
        if (isRemoteArrival(block.instructions[at]))
          remote[&block.instructions[at]] = originOf(block, at);
  }

  const RemoteArrival &remoteArrival(const Instruction &inst) const {
    return remote.find(&inst)->second;
  }

  /// The value of an address "[%r1+8]", or of an operand "%r1", "symbol", "16".
  Value of(llvm::StringRef operand) const {
    operand.consume_front("[");
    operand.consume_back("]");
    auto [base, offset] = operand.split('+');
    Value value = resolve(base.trim(), 0);
    value.offset += literal(offset).value_or(0);
    return value;
  }

  /// The same as an address, if a symbol is in it; otherwise nothing.
  std::optional<Place> placeOf(llvm::StringRef operand) const {
    operand.consume_front("[");
    operand.consume_back("]");
    auto [base, offset] = operand.split('+');
    std::optional<Place> place = locate(base.trim(), 0);
    if (place)
      place->offset += literal(offset).value_or(0);
    return place;
  }

  /// Whether it is an address on the thread's stack. Code without optimisation passes such
  /// addresses on as generic ones.
  bool isOnStack(llvm::StringRef operand) const {
    operand.consume_front("[");
    operand.consume_back("]");
    return isOfStack(operand.split('+').first.trim(), 0);
  }

  std::optional<int64_t> constant(llvm::StringRef operand) const {
    if (std::optional<int64_t> number = literal(operand))
      return number;
    auto it = definitions.find(operand);
    if (it == definitions.end() || !it->second || !it->second->is("mov") ||
        it->second->operands.size() != 2)
      return std::nullopt;
    return literal(it->second->operands[1]);
  }

  /// The instruction sub x, NUMBER, y that makes an operand out of a literal number, or null.
  const Instruction *subtraction(llvm::StringRef operand) const {
    const Instruction *def = definitions.lookup(operand);
    return def && def->guard.empty() && def->is("sub") && def->operands.size() == 3 &&
                   literal(def->operands[1])
               ? def
               : nullptr;
  }

  /// The values that an operand may be: both sides of a selp, or the one.
  llvm::SmallVector<Value> choices(llvm::StringRef operand, unsigned depth = 0) const {
    Value value = of(operand);
    const Instruction *def = definitions.lookup(value.base);
    if (!def || value.offset || depth > 8 || !def->guard.empty() || !def->is("selp") ||
        def->operands.size() != 4)
      return {value};
    llvm::SmallVector<Value> result = choices(def->operands[1], depth + 1);
    llvm::append_range(result, choices(def->operands[2], depth + 1));
    return result;
  }

private:
  /// Looks in the block only, because registers of inline assembly have no other definition there.
  static RemoteArrival originOf(const Block &block, size_t at) {
    RemoteArrival origin;
    llvm::StringRef address = block.instructions[at].operands.back(),
                    guard = block.instructions[at].guard;
    address.consume_front("[");
    address.consume_back("]");
    while (at-- && (origin.barrier.empty() || !origin.blocks)) {
      const Instruction &inst = block.instructions[at];
      if (inst.operands.size() < 3)
        continue;
      if (origin.barrier.empty() && inst.is("mapa") && inst.operands[0] == address)
        origin.barrier = inst.operands[1];
      if (!origin.blocks && inst.is("setp.lt") && inst.operands[0] == guard)
        origin.blocks = literal(inst.operands[2]);
    }
    return origin;
  }

  bool isOfStack(llvm::StringRef name, unsigned depth) const {
    auto it = definitions.find(name);
    const Instruction *def = it == definitions.end() ? nullptr : it->second;
    if (!def || depth > 16)
      return false;
    if (def->is("cvta.local"))
      return true;
    return (def->is("mov") || def->is("add")) &&
           llvm::any_of(llvm::drop_begin(def->operands),
                        [&](llvm::StringRef operand) { return isOfStack(operand, depth + 1); });
  }

  std::optional<Place> locate(llvm::StringRef name, unsigned depth) const {
    Value value = resolve(name, depth);
    if (value.isSymbol)
      return Place{value.base, value.offset, false};
    auto it = definitions.find(value.base);
    const Instruction *def = it == definitions.end() ? nullptr : it->second;
    if (!def || depth > 16 || !def->guard.empty() || !def->is("add") || def->operands.size() != 3)
      return std::nullopt;
    std::optional<Place> first = locate(def->operands[1], depth + 1),
                         second = locate(def->operands[2], depth + 1);
    if (first.has_value() == second.has_value())
      return std::nullopt;
    Place place = first ? *first : *second;
    place.offset += value.offset;
    place.dynamic = true;
    return place;
  }

  Value resolve(llvm::StringRef name, unsigned depth) const {
    Value value;
    value.base = name.str();
    if (!name.starts_with("%")) {
      value.isSymbol = !name.empty() && !llvm::isDigit(name[0]) && name[0] != '-';
      return value;
    }
    auto it = definitions.find(name);
    const Instruction *def = it == definitions.end() ? nullptr : it->second;
    if (!def || depth > 16 || !def->guard.empty())
      return value;
    if ((def->is("mov") || def->is("cvta") || def->is("cvt")) && def->operands.size() == 2 &&
        !def->operands[1].starts_with("{"))
      return resolve(def->operands[1], depth + 1);
    if (def->is("add") && def->operands.size() == 3)
      if (std::optional<int64_t> number = constant(def->operands[2])) {
        Value sum = resolve(def->operands[1], depth + 1);
        sum.offset += *number;
        return sum;
      }
    return value;
  }

  llvm::StringMap<const Instruction *> definitions;
  llvm::DenseMap<const Instruction *, RemoteArrival> remote;
};

/// Reports what is wrong with mbarriers that are addressed by slot.
void checkRings(const Function &function, const Values &values, std::vector<PtxProblem> &problems);

/// Reports what is wrong with the bytes that mbarriers expect; `promise` may be null.
void checkBytes(const Function &function, const Values &values, const LaunchPromise *promise,
                std::vector<PtxProblem> &problems);

/// Reports what is wrong with what blocks of a cluster do to each other.
void checkClusters(const Function &function, const Values &values,
                   std::vector<PtxProblem> &problems);

} // namespace tessera::ptx

#endif
