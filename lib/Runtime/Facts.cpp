// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Facts.h"

#include <algorithm>
#include <cstdio>

namespace tessera::rt {

namespace {
std::string str(int64_t value) { return std::to_string(value); }

bool isEmpty(const BoundArg &arg, size_t rank) {
  for (size_t d = 0; d < rank; ++d)
    if (arg.sizes[d] == 0)
      return true;
  return false;
}

/// Row-major strides. Each is the product of the inner sizes, so strides outside of a dimension of
/// size 0 are 0.
bool contiguousStrides(const int64_t *sizes, size_t rank, int64_t *strides) {
  int64_t step = 1;
  for (size_t d = rank; d-- > 0;) {
    strides[d] = step;
    if (__builtin_mul_overflow(step, sizes[d], &step))
      return false;
  }
  return true;
}

std::string dimension(const KernelContract &kernel, size_t arg, size_t dim) {
  return describeArg(kernel, arg) + ": dimension " + std::to_string(dim);
}

bool checkShapes(const KernelContract &kernel, const std::vector<BoundArg> &args,
                 std::string &error) {
  struct Binding {
    bool known = false;
    size_t arg = 0, dim = 0;
    int64_t size = 0;
  };
  std::vector<Binding> symbols(kernel.symbols.size());
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const Argument &arg = kernel.args[i];
    for (size_t d = 0; d < arg.rank(); ++d) {
      int64_t size = args[i].sizes[d];
      const Extent &extent = arg.shape[d];
      if (extent.kind == Extent::Kind::Equal && size != extent.value) {
        error = dimension(kernel, i, d) + " must be " + str(extent.value) + ", it is " + str(size);
        return false;
      }
      if (extent.kind == Extent::Kind::Symbol) {
        Binding &symbol = symbols[extent.value];
        if (!symbol.known) {
          symbol = {true, i, d, size};
        } else if (symbol.size != size) {
          error = dimension(kernel, i, d) + " ('" + kernel.symbols[extent.value] + "') must be " +
                  str(symbol.size) + " like dimension " + std::to_string(symbol.dim) + " of " +
                  describeArg(kernel, symbol.arg) + ", it is " + str(size);
          return false;
        }
      }
      if (size % arg.sizeDivisible[d]) {
        error = dimension(kernel, i, d) + " must be a multiple of " + str(arg.sizeDivisible[d]) +
                ", it is " + str(size);
        return false;
      }
    }
  }
  return true;
}

bool checkLayout(const KernelContract &kernel, size_t index, const BoundArg &bound,
                 std::string &error) {
  const Argument &arg = kernel.args[index];
  if (isEmpty(bound, arg.rank()))
    return true; // an empty array is never accessed
  for (size_t d = 0; d < arg.rank(); ++d) {
    int64_t stride = bound.strides[d];
    if (arg.strided && arg.strides[d] && *arg.strides[d] != stride) {
      error = dimension(kernel, index, d) + " must have stride " + str(*arg.strides[d]) +
              ", it has " + str(stride);
      return false;
    }
    if (stride % arg.strideDivisible[d]) {
      error = dimension(kernel, index, d) + " must have a stride that is a multiple of " +
              str(arg.strideDivisible[d]) + ", it has " + str(stride);
      return false;
    }
    if (stride == 0 && bound.sizes[d] > 1 && writes(arg.access)) {
      error = dimension(kernel, index, d) + " has stride 0 and size " + str(bound.sizes[d]) +
              ", but the kernel writes this array";
      return false;
    }
  }
  int64_t low, high;
  if (!byteRange(arg.element, bound.sizes, bound.strides, arg.rank(), low, high)) {
    error = describeArg(kernel, index) + ": its extent overflows 64 bits";
    return false;
  }
  if (arg.access == Access::None)
    return true;
  if (bound.pointer == 0) {
    error = describeArg(kernel, index) + ": null pointer for " + str(high - low) + " bytes";
    return false;
  }
  if (isBeyond(bound.pointer) || low < -(int64_t{1} << 61) || high > (int64_t{1} << 61)) {
    error = describeArg(kernel, index) + ": it does not fit the address space";
    return false;
  }
  const int64_t align = alignmentOf(arg);
  if (bound.pointer % static_cast<uint64_t>(align)) {
    char address[32];
    std::snprintf(address, sizeof(address), "0x%llx",
                  static_cast<unsigned long long>(bound.pointer));
    error = describeArg(kernel, index) + ": must be aligned to " + str(align) +
            " bytes, its address " + address + " is aligned to " +
            str(static_cast<int64_t>(bound.pointer & (~bound.pointer + 1)));
    return false;
  }
  return true;
}

} // namespace

int64_t alignmentOf(const Argument &arg) {
  return std::max(arg.align, static_cast<int64_t>(elementSize(arg.element)));
}

std::optional<int64_t> fixedStride(const Argument &arg, size_t dim) {
  if (arg.strided)
    return arg.strides[dim];
  int64_t stride = 1;
  for (size_t d = dim + 1; d < arg.rank(); ++d)
    if (arg.shape[d].kind != Extent::Kind::Equal ||
        __builtin_mul_overflow(stride, arg.shape[d].value, &stride))
      return std::nullopt;
  return stride;
}

std::string describeArg(const KernelContract &kernel, size_t index) {
  return "argument " + std::to_string(index) + " '" + kernel.args[index].name + "'";
}

bool byteRange(Element element, const int64_t *sizes, const int64_t *strides, size_t rank,
               int64_t &low, int64_t &high) {
  low = high = 0;
  for (size_t d = 0; d < rank; ++d)
    if (sizes[d] == 0)
      return true;
  int64_t last = 1;
  for (size_t d = 0; d < rank; ++d) {
    int64_t reach;
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) ||
        __builtin_add_overflow(reach < 0 ? low : last, reach, reach < 0 ? &low : &last))
      return false;
  }
  auto size = static_cast<int64_t>(elementSize(element));
  return !__builtin_mul_overflow(low, size, &low) && !__builtin_mul_overflow(last, size, &high);
}

uint64_t scalarBits(const Argument &arg, uint64_t bits) {
  const size_t size = elementSize(arg.element);
  if (size < 8)
    bits &= (uint64_t{1} << (8 * size)) - 1;
  return arg.element == Element::I1 ? bits != 0 : bits;
}

uint64_t valueOf(const Argument &arg, const tessera_rt_arg &given) {
  return arg.isMemref ? reinterpret_cast<uint64_t>(given.pointer) : scalarBits(arg, given.bits);
}

bool checkCount(const KernelContract &kernel, size_t count, std::string &error) {
  if (count == kernel.args.size())
    return true;
  error = "kernel '" + kernel.name + "' takes " + std::to_string(kernel.args.size()) +
          " arguments, " + std::to_string(count) + " were given";
  return false;
}

bool bindArguments(const KernelContract &kernel, const tessera_rt_arg *given, size_t count,
                   BoundArgs &bound, std::string &error) {
  if (!checkCount(kernel, count, error))
    return false;
  size_t total = 0;
  for (const Argument &arg : kernel.args)
    total += 2 * arg.rank();
  bound.numbers.assign(total, 0);
  bound.args.assign(count, BoundArg());
  int64_t *next = bound.numbers.data();
  for (size_t i = 0; i < count; ++i) {
    const Argument &arg = kernel.args[i];
    BoundArg &out = bound.args[i];
    if (!arg.isMemref) {
      out.bits = scalarBits(arg, given[i].bits);
      out.integer = isFloat(arg.element) ? 0 : loadInteger(arg.element, &out.bits);
      continue;
    }
    size_t rank = arg.rank();
    int64_t *sizes = next, *strides = next + rank;
    next += 2 * rank;
    out.pointer = reinterpret_cast<uint64_t>(given[i].pointer);
    out.sizes = sizes;
    out.strides = strides;
    if (rank && !given[i].sizes) {
      error = describeArg(kernel, i) + ": no sizes were given";
      return false;
    }
    for (size_t d = 0; d < rank; ++d) {
      sizes[d] = given[i].sizes[d];
      if (sizes[d] < 0) {
        error = dimension(kernel, i, d) + " has the negative size " + str(sizes[d]);
        return false;
      }
    }
    if (!contiguousStrides(sizes, rank, strides)) {
      error = describeArg(kernel, i) + ": its number of elements overflows 64 bits";
      return false;
    }
    if (!given[i].strides)
      continue;
    for (size_t d = 0; d < rank; ++d) {
      int64_t stride = given[i].strides[d];
      if (arg.strided) {
        strides[d] = stride;
      } else if (stride != strides[d] && sizes[d] > 1 && !isEmpty(out, rank)) {
        error = dimension(kernel, i, d) + " must have stride " + str(strides[d]) +
                " (the argument is row-major and contiguous), it has " + str(stride);
        return false;
      }
    }
  }
  return true;
}

bool checkFacts(const KernelContract &kernel, const std::vector<BoundArg> &args, int64_t cores,
                std::string &error) {
  if (!checkShapes(kernel, args, error))
    return false;
  for (size_t i = 0; i < kernel.args.size(); ++i)
    if (kernel.args[i].isMemref && !checkLayout(kernel, i, args[i], error))
      return false;
  if (!checkOverlap(kernel, exclusivePairs(kernel), args, error))
    return false;
  for (const Assume &assume : kernel.assumes) {
    int64_t holds;
    std::string reason;
    std::string text =
        assume.message.empty() ? assume.cond.print(kernel.argNames()) : assume.message;
    if (!assume.cond.evaluate(args, cores, holds, reason)) {
      error = "kernel '" + kernel.name + "': assumption \"" + text + "\": " + reason;
      return false;
    }
    if (!holds) {
      error = "kernel '" + kernel.name + "': assumption violated: " + text;
      return false;
    }
  }
  return true;
}

static bool holds(const Guard &guard, const std::vector<BoundArg> &args, int64_t cores) {
  if (guard.fact == Guard::Fact::Cond) {
    int64_t value;
    std::string reason;
    return guard.cond.evaluate(args, cores, value, reason) && value != 0;
  }
  const BoundArg &arg = args[guard.arg];
  switch (guard.fact) {
  case Guard::Fact::Align:
    return arg.pointer % static_cast<uint64_t>(guard.value) == 0;
  case Guard::Fact::StrideDivisible:
    return arg.strides[guard.dim] % guard.value == 0;
  case Guard::Fact::SizeDivisible:
    return arg.sizes[guard.dim] % guard.value == 0;
  case Guard::Fact::SizeMax:
    return arg.sizes[guard.dim] <= guard.value;
  case Guard::Fact::SizeMin:
    return arg.sizes[guard.dim] >= guard.value;
  case Guard::Fact::ScalarDivisible:
    return arg.integer % guard.value == 0;
  case Guard::Fact::Cond:
    break;
  }
  return false;
}

bool guardsHold(const Variant &variant, const std::vector<BoundArg> &args, int64_t cores,
                const Guard **failed) {
  for (const Guard &guard : variant.guards) {
    if (holds(guard, args, cores))
      continue;
    if (failed)
      *failed = &guard;
    return false;
  }
  return true;
}

bool mapsExist(const Variant &variant, const std::vector<BoundArg> &args,
               const Descriptor **failed) {
  for (const Launch &launch : variant.launches)
    for (const Descriptor &map : launch.descriptors) {
      if (map.ofWorkspace || !map.strides.empty())
        continue;
      const BoundArg &arg = args[map.arg];
      // There is no tensor map for an empty array, and no kernel uses it.
      if (std::any_of(map.dims.begin(), map.dims.end(),
                      [&](uint32_t d) { return arg.sizes[d] == 0; }))
        continue;
      for (size_t i = 0; i + 1 < map.dims.size(); ++i) {
        const uint32_t d = map.dims[i];
        int64_t bytes;
        if (arg.sizes[d] > 1 &&
            (__builtin_mul_overflow(arg.strides[d], static_cast<int64_t>(elementSize(map.element)),
                                    &bytes) ||
             bytes < 0 || bytes >= int64_t{1} << 40)) {
          if (failed)
            *failed = &map;
          return false;
        }
      }
    }
  return true;
}

std::string printGuard(const Guard &guard, const std::vector<std::string> &names) {
  if (guard.fact == Guard::Fact::Cond)
    return (guard.message.empty() ? "" : guard.message + ": ") + guard.cond.print(names);
  const std::string &name = names[guard.arg];
  std::string dim = "[" + std::to_string(guard.dim) + "]", value = str(guard.value);
  switch (guard.fact) {
  case Guard::Fact::Align:
    return name + " aligned to " + value;
  case Guard::Fact::StrideDivisible:
    return name + ".stride" + dim + " divisible by " + value;
  case Guard::Fact::SizeDivisible:
    return name + ".size" + dim + " divisible by " + value;
  case Guard::Fact::SizeMax:
    return name + ".size" + dim + " <= " + value;
  case Guard::Fact::SizeMin:
    return name + ".size" + dim + " >= " + value;
  case Guard::Fact::ScalarDivisible:
    return name + " divisible by " + value;
  case Guard::Fact::Cond:
    break;
  }
  return {};
}

} // namespace tessera::rt
