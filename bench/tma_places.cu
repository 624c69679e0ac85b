// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Issues one TMA load or store for each line of the input, which bench/tma_places.py writes, and
// prints its outcome. If the device ends a launch, the process ends, too.
//
//   NUMBER load|store RANK BYTES SWIZZLE  SIZES(3) BOX(3) COORDINATES(3)   innermost first
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <vector>

using Byte = unsigned char;

struct Place {
  int rank, c[3];
};

__device__ unsigned sharedAddress(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__global__ void load(const __grid_constant__ CUtensorMap map, Byte *out, Place at, int bytes) {
  extern __shared__ __align__(1024) Byte tile[];
  __shared__ __align__(8) unsigned long long mbarrier;
  const unsigned bar = sharedAddress(&mbarrier), to = sharedAddress(tile);
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    tile[i] = 0xEE;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes));
    if (at.rank == 1)
      asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                   "[%0], [%1, {%2}], [%3];" ::"r"(to), "l"(&map), "r"(at.c[0]), "r"(bar)
                   : "memory");
    else if (at.rank == 2)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                   "[%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(at.c[0]), "r"(at.c[1]), "r"(bar)
                   : "memory");
    else
      asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                   "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to), "l"(&map), "r"(at.c[0]), "r"(at.c[1]),
                   "r"(at.c[2]), "r"(bar)
                   : "memory");
  }
  int done = 0;
  for (int tries = 0; tries < 1000 && !done; ++tries)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
  __syncthreads();
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    out[i] = tile[i];
  if (threadIdx.x == 0)
    out[bytes] = static_cast<Byte>(done);
}

__global__ void store(const __grid_constant__ CUtensorMap map, const Byte *in, Place at, int bytes) {
  extern __shared__ __align__(1024) Byte tile[];
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    tile[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x)
    return;
  const unsigned from = sharedAddress(tile);
  if (at.rank == 1)
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%1, {%2}], [%0];" ::"r"(from),
                 "l"(&map), "r"(at.c[0])
                 : "memory");
  else if (at.rank == 2)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(from),
                 "l"(&map), "r"(at.c[0]), "r"(at.c[1])
                 : "memory");
  else
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(from),
                 "l"(&map), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2])
                 : "memory");
  asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
}

/// Where the swizzle puts the byte of a dense tile.
static int swizzled(int offset, int span) {
  return offset ^ (((offset >> 7) & (span / 16 - 1)) << 4);
}

static bool good(CUresult result) { return result == CUDA_SUCCESS; }

int main() {
  PFN_cuTensorMapEncodeTiled_v12000 encode = nullptr;
  cudaDriverEntryPointQueryResult query;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode), 12000,
                                   cudaEnableDefault, &query);
  constexpr size_t kPool = 1 << 20, kGuard = 1 << 16;
  Byte *memory, *other;
  if (!encode || cudaMalloc(&memory, kPool) || cudaMalloc(&other, kPool))
    return 1;
  cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  char line[512], kind[8];
  int number, bytesEach, span, n[3], box[3];
  Place at;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%d %7s %d %d %d %d %d %d %d %d %d %d %d %d", &number, kind, &at.rank, &bytesEach, &span, n,
               n + 1, n + 2, box, box + 1, box + 2, at.c, at.c + 1, at.c + 2) != 14)
      return 1;
    for (int d = at.rank; d < 3; ++d)
      n[d] = box[d] = 1, at.c[d] = 0;
    const size_t row = (static_cast<size_t>(n[0]) * bytesEach + 15) / 16 * 16, plane = row * n[1];
    const int bytes = box[0] * box[1] * box[2] * bytesEach;
    const bool isLoad = !strcmp(kind, "load");
    std::vector<Byte> before(kPool), tile(bytes), found(bytes + 1);
    for (size_t i = 0; i < kPool; ++i)
      before[i] = static_cast<Byte>(i * 7 + (i >> 8) * 13 + 1);
    for (int i = 0; i < bytes && !isLoad; ++i)
      tile[i] = static_cast<Byte>(i * 11 + 3);
    std::vector<Byte> after = before;
    for (int i = 0; i < bytes; ++i) {
      const int e = i / bytesEach;
      const long long x = at.c[0] + e % box[0], y = at.c[1] + e / box[0] % box[1],
                      z = at.c[2] + e / box[0] / box[1];
      if (x < 0 || x >= n[0] || y < 0 || y >= n[1] || z < 0 || z >= n[2])
        continue;
      const size_t place = kGuard + z * plane + y * row + x * bytesEach + i % bytesEach;
      const int inTile = span ? swizzled(i, span) : i;
      if (isLoad)
        tile[inTile] = before[place];
      else
        after[place] = tile[inTile];
    }
    CUtensorMap map;
    const cuuint64_t sizes[3] = {cuuint64_t(n[0]), cuuint64_t(n[1]), cuuint64_t(n[2])}, strides[2] = {row, plane};
    const cuuint32_t extents[3] = {cuuint32_t(box[0]), cuuint32_t(box[1]), cuuint32_t(box[2])}, steps[3] = {1, 1, 1};
    const CUtensorMapDataType type = bytesEach == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                     : bytesEach == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                     : bytesEach == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                                      : CU_TENSOR_MAP_DATA_TYPE_INT64;
    const CUtensorMapSwizzle swizzle = span == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                       : span == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                    : CU_TENSOR_MAP_SWIZZLE_NONE;
    if (!good(encode(&map, type, at.rank, memory + kGuard, sizes, strides, extents, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))) {
      printf("%d refused\n", number);
      continue;
    }
    cudaMemcpy(memory, before.data(), kPool, cudaMemcpyHostToDevice);
    cudaMemcpy(other, tile.data(), bytes, cudaMemcpyHostToDevice);
    if (isLoad)
      load<<<1, 128, bytes + 1024>>>(map, other, at, bytes);
    else
      store<<<1, 128, bytes + 1024>>>(map, other, at, bytes);
    if (cudaError_t error = cudaDeviceSynchronize()) {
      printf("%d %s\n", number, cudaGetErrorName(error));
      fflush(stdout);
      _exit(0);
    }
    if (isLoad) {
      cudaMemcpy(found.data(), other, bytes + 1, cudaMemcpyDeviceToHost);
      const bool landed = found.back();
      found.pop_back();
      printf("%d %s\n", number, !landed ? "hangs" : found == tile ? "right" : "wrong");
    } else {
      std::vector<Byte> is(kPool);
      cudaMemcpy(is.data(), memory, kPool, cudaMemcpyDeviceToHost);
      printf("%d %s\n", number, is == after ? "right" : "wrong");
    }
    fflush(stdout);
  }
  return 0;
}
