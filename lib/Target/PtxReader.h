// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: reads PTX as functions of basic blocks. It reads the PTX that NVPTX
// writes, inline assembly included. Of an instruction it understands only the name, the operands
// and where it jumps.
#ifndef TESSERA_LIB_TARGET_PTXREADER_H
#define TESSERA_LIB_TARGET_PTXREADER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tessera::ptx {

struct Instruction {
  unsigned line = 0;
  llvm::StringRef guard;  // "%p1", "!%p1", or empty
  llvm::StringRef opcode; // "st.shared.b32"
  llvm::SmallVector<llvm::StringRef, 4> operands;

  bool is(llvm::StringRef prefix) const { return opcode == prefix || startsWithParts(prefix); }
  /// Whether the opcode has the part (`shared` in `st.shared.b32`), which may have a state
  /// (`shared::cta`).
  bool has(llvm::StringRef part) const;
  /// The registers that the instruction writes.
  llvm::SmallVector<llvm::StringRef> defs() const;

private:
  bool startsWithParts(llvm::StringRef prefix) const {
    return opcode.size() > prefix.size() && opcode.starts_with(prefix) &&
           opcode[prefix.size()] == '.';
  }
};

struct Block {
  std::vector<Instruction> instructions;
  llvm::SmallVector<unsigned, 2> successors;
};

struct Function {
  std::string name;
  unsigned line = 0;
  int64_t reqntid = 0, maxntid = 0; // threads of a block; 0: not given
  int64_t cluster = 0;              // blocks of a cluster; 0: not given
  std::vector<Block> blocks;        // the first one is the entry
  /// What is no PTX in the function, with lines. Other findings may be due to it.
  std::vector<std::pair<unsigned, std::string>> malformed;
};

/// Reads the entry functions of a PTX module. The result refers to the text.
std::vector<Function> read(llvm::StringRef text);

/// The elements of "{a, b}"; for another text the text itself.
llvm::SmallVector<llvm::StringRef> elements(llvm::StringRef operand);

} // namespace tessera::ptx

#endif
