// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/SpillPlaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace {
constexpr size_t kInstructionBytes = 16;
constexpr uint64_t kOpcodeBits = 0xfff; // the four bits above are the predicate

enum Opcode : uint64_t {
  LoadLocal = 0x983,
  StoreLocal = 0x387,
  Branch = 0x947,
  ProductShared = 0x9f0,    // HGMMA, operand A in shared memory
  ProductRegisters = 0xdf0, // operand A in registers
};

/// Instructions from the target of a branch that goes back to that branch.
struct Loop {
  size_t begin, end;
  bool contains(size_t at) const { return begin <= at && at <= end; }
  bool contains(const Loop &other) const {
    return begin <= other.begin && other.end <= end && (begin != other.begin || end != other.end);
  }
};
} // namespace

/// The distance of a branch's target from the next instruction, in instructions. It is given in
/// words of 4 bytes, whose lowest 8 bits stand apart.
static int64_t distanceOf(uint64_t instruction) {
  const int64_t high = SignExtend64<30>(instruction >> 34),
                low = static_cast<int64_t>((instruction >> 16) & 0xff);
  return (high * 256 + low) * 4 / static_cast<int64_t>(kInstructionBytes);
}

bool tessera::maySpillInProductLoops(StringRef code) {
  SmallVector<size_t> locals, products;
  SmallVector<Loop> loops;
  for (size_t at = 0, count = code.size() / kInstructionBytes; at < count; ++at) {
    const uint64_t instruction = support::endian::read64le(code.data() + at * kInstructionBytes);
    switch (instruction & kOpcodeBits) {
    case LoadLocal:
    case StoreLocal:
      locals.push_back(at);
      break;
    case ProductShared:
    case ProductRegisters:
      products.push_back(at);
      break;
    case Branch: {
      const int64_t target = static_cast<int64_t>(at) + 1 + distanceOf(instruction);
      if (target < 0)
        return true;
      if (target <= static_cast<int64_t>(at))
        loops.push_back({static_cast<size_t>(target), at});
      break;
    }
    default:
      break;
    }
  }
  // Loops that wait for a barrier have no products.
  erase_if(loops, [&](const Loop &loop) {
    return none_of(products, [&](size_t product) { return loop.contains(product); });
  });
  // Nor do the blocks in which a loop waits for a barrier, which may stand far behind it: a branch
  // from there goes back into the loop, and not to its begin.
  const SmallVector<Loop> all(loops);
  erase_if(loops, [&](const Loop &back) {
    return any_of(all, [&](const Loop &loop) {
      const auto isBehind = [&](size_t at) { return loop.end < at && at <= back.end; };
      return loop.begin < back.begin && back.begin <= loop.end && loop.end < back.end &&
             none_of(products, isBehind);
    });
  });
  if (loops.empty())
    return true;
  return any_of(loops, [&](const Loop &loop) {
    const bool innermost = none_of(loops, [&](const Loop &inner) { return loop.contains(inner); });
    return innermost && any_of(locals, [&](size_t local) { return loop.contains(local); });
  });
}

bool tessera::maySpillInProductLoops(StringRef cubin, StringRef function) {
  Expected<object::ELF64LEObjectFile> file =
      object::ELF64LEObjectFile::create(MemoryBufferRef(cubin, "cubin"));
  if (!file) {
    consumeError(file.takeError());
    return true;
  }
  const std::string wanted = (".text." + function).str();
  for (const object::SectionRef &section : file->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name) {
      consumeError(name.takeError());
      return true;
    }
    if (*name != wanted)
      continue;
    Expected<StringRef> code = section.getContents();
    if (!code) {
      consumeError(code.takeError());
      return true;
    }
    return maySpillInProductLoops(*code);
  }
  return true;
}
