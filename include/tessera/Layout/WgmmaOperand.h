// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma descriptors: how an instruction tells the tensor cores where an operand is.
//
// A descriptor is a start address, a swizzle mode and two strides. What they mean depends on the
// *major*: whether the contiguous dimension is k or the other one (m for A, n for B). In units of 8
// rows of 16-byte chunks (core matrices):
//
//                      stride (sbo)                        leading (lbo)
//   K-major, swizzled  next 8 rows of m/n: 8 * span        not used (16)
//   K-major, none      next 8 rows of m/n: 128             next 16 bytes along k: panel
//   MN-major, swizzled next 8 rows of k: 8 * span          next span along m/n: panel
//   MN-major, none     next 16 bytes along m/n: panel      next 8 rows of k: 128
//
// One instruction covers 32 bytes of k (16 elements of 16 bits). Advancing along k moves the start
// address:
//
//   K-major:  32 bytes inside the span, then to the next panel
//   MN-major: 16 rows = 16 * span
//
// (Moving inside a span is legal because the hardware XORs address bits, not offsets.)
//
// Example, 128x64 bf16 K-major swizzle 128: lbo 16, sbo 1024, k steps at 0, 32, 64, 96, second
// warpgroup at 64*128.

#ifndef TESSERA_LAYOUT_WGMMAOPERAND_H
#define TESSERA_LAYOUT_WGMMAOPERAND_H

#include "tessera/Layout/SharedLayout.h"

namespace tessera::layout {

enum class WgmmaRole { A, B };
enum class WgmmaMajor { K, MN };

struct WgmmaOperand {
  WgmmaRole role = WgmmaRole::A;
  WgmmaMajor major = WgmmaMajor::K;
  int64_t lbo = 0, sbo = 0; ///< bytes
  int swizzleMode = 0;      ///< descriptor bits 62..63: 1 = 128, 2 = 64, 3 = 32, 0 = none
  bool transpose = false;   ///< the instruction's tnsp bit: MN-major
  int64_t blockExtent = 0;  ///< m or n of one instruction
  int64_t numBlocks = 0;
  int64_t kExtent = 0; ///< k of one instruction
  int64_t numKSteps = 0;

  /// Bytes from the tile's start to the instruction's operand. For A a block is 64 rows: if wgCount
  /// warpgroups split a tile into equal parts along m, warpgroup w starts at block w * numBlocks /
  /// wgCount.

  int64_t baseOffset(int64_t block, int64_t kStep) const;
  /// The descriptor for a shared-memory byte address (the tile's start plus baseOffset).
  uint64_t encode(int64_t address) const;
  /// Everything but the address: code adds (address & 0x3ffff) >> 4.
  uint64_t encodeStatic() const { return encode(0); }

  int64_t panelBytes = 0, spanBytes = 0, elementBytes = 0; ///< of the tile
};

/// k of one instruction for this element width: 32 bytes.
int64_t wgmmaKExtent(int elementBits);
/// The n of one instruction for a product of n columns, a multiple of 8: the largest one, at most
/// 256, that divides it. Products of integers have 8, 24, and multiples of 16.
int64_t wgmmaBlockN(int64_t n, bool ofIntegers = false);

/// The reason why the tile cannot be operand `role` of wgmma; nullopt if it can. `kDim` is the
/// dimension that is k, one of the last two. `blockExtent` is 64 for A, and the instruction's n for
/// B. Leading dimensions are a batch: add the byte layout.offset({b, 0, 0}) of the matrix, which is
/// always a multiple of the swizzle pattern.
Error validateWgmmaOperand(const SharedLayout &layout, WgmmaRole role, int kDim,
                           int64_t blockExtent);
/// The descriptor fields of the operand. Requires that validateWgmmaOperand returns nullopt.
WgmmaOperand wgmmaOperand(const SharedLayout &layout, WgmmaRole role, int kDim,
                          int64_t blockExtent);

/// The byte of element (mn, k) of one instruction's operand, according to the canonical layouts of
/// the PTX ISA and nothing but the descriptor's fields: what the hardware reads. `base` must be the
/// tile's offset in aligned memory.
int64_t canonicalOffset(const WgmmaOperand &operand, int64_t base, int64_t mn, int64_t k);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_WGMMAOPERAND_H
