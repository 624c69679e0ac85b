// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Layout/WgmmaOperand.h"

using namespace tessera::layout;

namespace {
constexpr int64_t kFieldLimit = int64_t(1) << 18; // 14 bits, in units of 16 bytes

int spanOfMode(int mode) { return mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 16; }
} // namespace

int64_t tessera::layout::wgmmaKExtent(int elementBits) { return 256 / elementBits; }

int64_t tessera::layout::wgmmaBlockN(int64_t n, bool ofIntegers) {
  for (int64_t block = 256; block > 8; block -= 8)
    if (n % block == 0 && (!ofIntegers || block % 16 == 0 || block == 24))
      return block;
  return 8;
}

Error tessera::layout::validateWgmmaOperand(const SharedLayout &l, WgmmaRole role, int kDim,
                                            int64_t blockExtent) {
  if (Error e = l.validate())
    return e;
  const int n = l.rank();
  const std::string name = role == WgmmaRole::A ? "A" : "B", mn = role == WgmmaRole::A ? "m" : "n";
  if (n < 2 || (kDim != n - 1 && kDim != n - 2))
    return "operand " + name + " of wgmma: k must be one of the last two dimensions";
  if (l.linear)
    return "operand " + name + " of wgmma: a linear layout has no descriptor";
  if (l.elementBits > 32)
    return "operand " + name + " of wgmma: elements have 8, 16 or 32 bits, got " +
           std::to_string(l.elementBits);
  const bool kMajor = l.contiguousDim == kDim;
  if (!kMajor && l.elementBits != 16)
    return "operand " + name + " of wgmma: " + std::to_string(l.elementBits) +
           "-bit elements must have k contiguous";
  if (role == WgmmaRole::A ? blockExtent != 64
                           : blockExtent < 8 || blockExtent > 256 || blockExtent % 8)
    return "operand " + name + " of wgmma: the block must be " +
           (role == WgmmaRole::A ? "64 rows" : "a multiple of 8 columns, at most 256") + ", got " +
           std::to_string(blockExtent);
  const int64_t mnExtent = l.shape[kDim == n - 1 ? n - 2 : n - 1], kExtent = l.shape[kDim];
  if (mnExtent % blockExtent)
    return "operand " + name + " of wgmma: extent " + std::to_string(mnExtent) + " of " + mn +
           " must be a multiple of " + std::to_string(blockExtent);
  if (kExtent % wgmmaKExtent(l.elementBits))
    return "operand " + name + " of wgmma: extent " + std::to_string(kExtent) +
           " of k must be a multiple of " + std::to_string(wgmmaKExtent(l.elementBits));
  if (!kMajor && blockExtent % l.spanElements())
    return "operand " + name + " of wgmma: a block of " + std::to_string(blockExtent) +
           " must consist of whole panels of " + std::to_string(l.spanElements()) + " elements";
  if (l.panelBytes() >= kFieldLimit)
    return "operand " + name + " of wgmma: a panel of " + std::to_string(l.panelBytes()) +
           " bytes exceeds the descriptor's stride";
  return std::nullopt;
}

WgmmaOperand tessera::layout::wgmmaOperand(const SharedLayout &l, WgmmaRole role, int kDim,
                                           int64_t blockExtent) {
  const int n = l.rank();
  WgmmaOperand o;
  o.role = role;
  o.major = l.contiguousDim == kDim ? WgmmaMajor::K : WgmmaMajor::MN;
  o.transpose = o.major == WgmmaMajor::MN;
  o.swizzleMode = l.swizzleBytes == 128  ? 1
                  : l.swizzleBytes == 64 ? 2
                  : l.swizzleBytes == 32 ? 3
                                         : 0;
  o.panelBytes = l.panelBytes();
  o.spanBytes = l.spanBytes();
  o.elementBytes = l.elementBits / 8;
  o.kExtent = wgmmaKExtent(l.elementBits);
  o.numKSteps = l.shape[kDim] / o.kExtent;
  o.blockExtent = blockExtent;
  o.numBlocks = l.shape[kDim == n - 1 ? n - 2 : n - 1] / blockExtent;
  const int64_t rowGroup = 8 * o.spanBytes;
  if (o.swizzleMode) {
    o.sbo = rowGroup;
    o.lbo = o.transpose ? o.panelBytes : 16;
  } else {
    o.sbo = o.transpose ? o.panelBytes : rowGroup;
    o.lbo = o.transpose ? rowGroup : o.panelBytes;
  }
  return o;
}

int64_t WgmmaOperand::baseOffset(int64_t block, int64_t kStep) const {
  if (transpose)
    return block * blockExtent * elementBytes / spanBytes * panelBytes +
           kStep * kExtent * spanBytes;
  const int64_t kBytes = kStep * 32;
  return block * blockExtent * spanBytes + kBytes / spanBytes * panelBytes + kBytes % spanBytes;
}

uint64_t WgmmaOperand::encode(int64_t address) const {
  auto field = [](int64_t bytes) { return static_cast<uint64_t>(bytes & 0x3ffff) >> 4; };
  return field(address) | field(lbo) << 16 | field(sbo) << 32 |
         static_cast<uint64_t>(swizzleMode) << 62;
}

int64_t tessera::layout::canonicalOffset(const WgmmaOperand &o, int64_t base, int64_t mn,
                                         int64_t k) {
  const int64_t span = spanOfMode(o.swizzleMode);
  int64_t at = base;
  if (!o.transpose) {
    const int64_t kByte = k * o.elementBytes;
    at += mn / 8 * o.sbo + mn % 8 * span;
    at += o.swizzleMode ? kByte : kByte / 16 * o.lbo + kByte % 16;
  } else {
    const int64_t mnByte = mn * o.elementBytes;
    at += k % 8 * span + mnByte % span;
    at += mnByte / span * (o.swizzleMode ? o.lbo : o.sbo);
    at += k / 8 * (o.swizzleMode ? o.sbo : o.lbo);
  }
  return at ^ ((at >> 7 & (span / 16 - 1)) << 4);
}
