// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-layout: draws layouts of registers and of shared memory, as text or as SVG.

#include "IrText.h"
#include "tessera/Layout/Conversion.h"
#include "tessera/Layout/Draw.h"
#include "tessera/Layout/RegisterForms.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

using namespace tessera;
using namespace tessera::layout;

static const char *const kHelp = R"(tile-layout: who holds which element of a tile, and where

usage: tile-layout FORM --shape EXTENTS [options]
       tile-layout 'LAYOUT AS IN IR' [--shape EXTENTS] [options]

register forms: print the owner of each element, as warp, lane, register (g: warpgroup)
  wgmma_acc, wgmma_a, wgmma_a8   the fragments of wgmma
  mma_acc                        the fragment of mma.sync m16n8
  blocked                        coalesced 16-byte accesses
  fma                            an accumulator for ordinary FMAs
  splat                          everything everywhere
shared-memory forms: print the byte of each element
  shared                         panels with a swizzle
  linear                         row-major, perhaps padded
layouts as in IR: an attribute of registers (with --shape), a tensor that has one, a shared tile
  #cta.frag<...>                 tensor<64x16xf32, #cta.frag<...>>
  !cta.smem<128x64xbf16, #cta.swizzle<128, dim = 1>>

options
  --shape 64x16        extents of the tile, rank 1 to 4
  --wg N               warpgroups (default 1)
  --warps N            warps in a warpgroup, a power of two (default 4): blocked, fma, splat, mma_acc
  --element-bits N     8, 16, 32, 64 (default 16): blocked, shared, linear
  --contiguous D       the contiguous dimension (default: the last): blocked, shared, linear
  --swizzle N          128, 64, 32 or 0 (default: the widest that fits): shared
  --padding BYTES      after each row: linear
  --slice D            drop dimension D of the register layout first; --shape is the shape after it
  --to FORM            also say what converting to another register form costs
  --svg                print an SVG picture instead: colours by lane and warp, or by bank
  --summary            no drawing
  --version            the version
  --help               this text

examples
  tile-layout wgmma_acc --shape 64x16
  tile-layout blocked --shape 128x64 --element-bits 16
  tile-layout shared --shape 128x64 --element-bits 16 --swizzle 128 --contiguous 1
  tile-layout wgmma_acc --shape 64x32 --to wgmma_a --summary
  tile-layout --shape=64x16 --svg '#cta.frag<wgmma_acc, wg = 1>' > acc.svg
  tile-layout '!cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>'
)";

static int fail(const std::string &message) {
  std::fprintf(stderr, "tile-layout: error: %s\n", message.c_str());
  return 1;
}

namespace {
struct Arguments {
  std::string form, to;
  Coord shape;
  std::map<std::string, int64_t> number = {
      {"--wg", 1},       {"--warps", 4},   {"--element-bits", 16}, {"--contiguous", -1},
      {"--swizzle", -1}, {"--padding", 0}, {"--slice", -1}};
  bool summary = false, svg = false;
  std::set<std::string> given; ///< the options that were given
};
} // namespace

static Error parse(int argc, char **argv, Arguments &a) {
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--summary" || arg == "--svg") {
      (arg == "--svg" ? a.svg : a.summary) = true;
      continue;
    }
    if (arg.compare(0, 2, "--") != 0) {
      if (!a.form.empty())
        return "unexpected argument '" + arg + "'";
      a.form = arg;
      continue;
    }
    // --shape 64x16 and --shape=64x16
    const size_t equals = arg.find('=');
    std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
    arg.resize(std::min(arg.size(), equals));
    const bool known = arg == "--shape" || arg == "--to" || a.number.count(arg);
    if (!known)
      return "unknown option '" + arg + "'; see --help";
    if (equals == std::string::npos) {
      if (++i == argc)
        return "option '" + arg + "' needs a value";
      value = argv[i];
    }
    a.given.insert(arg);
    if (arg == "--to") {
      a.to = value;
    } else if (arg == "--shape") {
      auto shape = parseShape(value);
      if (!shape)
        return "cannot read shape '" + value + "': write extents like 64x16";
      a.shape = *shape;
    } else {
      auto number = parseShape(value);
      if (!number || number->size() != 1)
        return "option '" + arg + "' needs a number, got '" + value + "'";
      a.number[arg] = (*number)[0];
    }
  }
  if (a.form.empty())
    return std::string("no form given; see --help");
  if (a.svg && (a.summary || !a.to.empty()))
    return std::string("--svg draws one layout: it goes with neither --summary nor --to");
  return std::nullopt;
}

static Error checkShape(const Arguments &a) {
  if (a.shape.empty())
    return std::string("--shape is required, like --shape 64x16");
  double elements = 1;
  for (int64_t extent : a.shape)
    elements *= static_cast<double>(extent);
  if (elements > 1 << 18)
    return "a tile of " + shapeString(a.shape) + " is too large";
  if (a.shape.size() > kMaxRank)
    return std::string("tiles have rank 1 to 4");
  for (int64_t extent : a.shape)
    if (extent < 1)
      return std::string("extents must be positive");
  return std::nullopt;
}

static Error makeRegisters(const Arguments &a, const std::string &form, RegisterLayout &l) {
  const int64_t wg = a.number.at("--wg"), warps = a.number.at("--warps"),
                bits = a.number.at("--element-bits");
  int64_t contiguous = a.number.at("--contiguous"), slice = a.number.at("--slice");
  if (wg < 1 || wg > 8)
    return std::string("--wg must be 1 to 8");
  if (!isPowerOf2(warps) || warps > 32)
    return std::string("--warps must be a power of two, at most 32");
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return std::string("--element-bits must be 8, 16, 32 or 64");
  Coord shape = a.shape;
  if (slice >= 0) {
    if (slice > static_cast<int64_t>(shape.size()))
      return std::string("--slice is not a dimension");
    shape.insert(shape.begin() + slice, 1);
  }
  const int rank = static_cast<int>(shape.size()), warpBits = log2Floor(warps);
  if (contiguous < 0)
    contiguous = rank - 1;
  if (contiguous >= rank)
    return std::string("--contiguous is not a dimension");
  if (form == "wgmma_acc")
    l = wgmmaAcc(wg);
  else if (form == "wgmma_a")
    l = wgmmaA(16, wg);
  else if (form == "wgmma_a8")
    l = wgmmaA(8, wg);
  else if (form == "mma_acc")
    l = mmaAcc(warpBits, 0, wg);
  else if (form == "splat")
    l = splat(rank, warpBits, wg);
  else if (form == "blocked" && rank <= kMaxRank)
    l = blockedFor(shape, static_cast<int>(bits / 8), static_cast<int>(contiguous), warpBits, wg);
  else if (form == "fma" && rank == 2)
    l = fmaAcc(shape, warpBits, wg);
  else if (form == "fma" || form == "blocked")
    return "'" + form + "' does not have rank " + std::to_string(rank);
  else
    return "unknown form '" + form + "'; see --help";
  if (l.rank() != rank)
    return "'" + form + "' has rank " + std::to_string(l.rank()) + ", the shape " +
           std::to_string(rank);
  if (slice >= 0)
    l = l.sliceDim(static_cast<int>(slice));
  return l.validateFor(a.shape);
}

static int print(const std::string &text) {
  std::fputs(text.c_str(), stdout);
  return 0;
}

static int drawShared(const Arguments &a, const SharedLayout &l) {
  if (Error e = l.validate())
    return fail(*e);
  if (!a.to.empty())
    return fail("--to converts register layouts, and this is a layout of shared memory");
  if (a.svg)
    return print(drawSvg(l, a.form));
  return print(describe(l) + (a.summary ? "" : draw(l)));
}

static SharedLayout makeShared(const Arguments &a) {
  const int64_t contiguous = a.number.at("--contiguous"), swizzle = a.number.at("--swizzle");
  const int dim =
      static_cast<int>(contiguous < 0 ? static_cast<int64_t>(a.shape.size()) - 1 : contiguous);
  const int bits = static_cast<int>(a.number.at("--element-bits"));
  if (a.form == "linear")
    return SharedLayout::makeLinear(a.shape, bits, dim, a.number.at("--padding"));
  return swizzle >= 0 ? SharedLayout::swizzled(a.shape, bits, dim, static_cast<int>(swizzle))
                      : SharedLayout::widest(a.shape, bits, dim);
}

static int drawRegisters(const Arguments &a, const RegisterLayout &l) {
  if (a.svg)
    return print(drawSvg(l, a.shape, shapeString(a.shape) + ": " + a.form));
  std::string text = describe(l, a.shape);
  if (!a.to.empty()) {
    RegisterLayout to;
    if (isIrText(a.to)) {
      std::optional<LayoutText> read = parseIrText(a.to);
      if (!read)
        return 1;
      if (!read->registers)
        return fail("--to needs a register layout, got '" + a.to + "'");
      to = *read->registers;
      if (to.rank() != static_cast<int>(a.shape.size()))
        return fail("the layout of --to has rank " + std::to_string(to.rank()) + ", the shape " +
                    std::to_string(a.shape.size()));
      if (Error e = to.validateFor(a.shape))
        return fail(*e);
    } else if (Error e = makeRegisters(a, a.to, to)) {
      return fail(*e);
    }
    if (Error e = validateConversion(l, to, a.shape))
      return fail(*e);
    Conversion c = classify(l, to, a.shape);
    text += "to " + a.to + ": " + toString(c.kind) + ", " + std::to_string(c.numShuffles()) +
            " shuffles, " + std::to_string(c.numSelects()) + " selects\n";
  }
  return print(text + (a.summary ? "" : draw(l, a.shape)));
}

/// Draws a layout that is written as in IR: it says everything but, perhaps, the shape.
static int drawIrText(Arguments &a) {
  for (const std::string &option : a.given)
    if (option != "--shape" && option != "--to")
      return fail("option '" + option + "' goes with named forms; '" + a.form +
                  "' says everything itself");
  std::optional<LayoutText> read = parseIrText(a.form);
  if (!read)
    return 1;
  if (!read->shape.empty()) {
    if (!a.shape.empty() && a.shape != read->shape)
      return fail("--shape " + shapeString(a.shape) + " is not the shape of '" + a.form + "'");
    a.shape = read->shape;
  }
  if (Error e = checkShape(a))
    return fail(*e);
  if (!read->registers)
    return drawShared(a, read->shared);
  const RegisterLayout &l = *read->registers;
  if (l.rank() != static_cast<int>(a.shape.size()))
    return fail("the layout has rank " + std::to_string(l.rank()) + ", the shape " +
                shapeString(a.shape) + " has rank " + std::to_string(a.shape.size()));
  if (Error e = l.validateFor(a.shape))
    return fail(*e);
  return drawRegisters(a, l);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--help" || std::string(argv[i]) == "-h") {
      std::fputs(kHelp, stdout);
      return 0;
    } else if (std::string(argv[i]) == "--version") {
      std::puts("tessera " TESSERA_VERSION);
      return 0;
    }
  Arguments a;
  if (Error e = parse(argc, argv, a))
    return fail(*e);
  if (isIrText(a.form))
    return drawIrText(a);
  if (Error e = checkShape(a))
    return fail(*e);
  if (a.form == "shared" || a.form == "linear")
    return drawShared(a, makeShared(a));
  RegisterLayout l;
  if (Error e = makeRegisters(a, a.form, l))
    return fail(*e);
  return drawRegisters(a, l);
}
