// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What it costs to let TMA fetch rows that lie outside of the array. Each block fetches boxes of 64
// columns and ROWS rows of bf16 (128-byte swizzle), four at a time, along an array of 4096 columns
// that has INSIDE rows. Prints the cycles a box, of the slowest block.
//
//   nvcc -arch=sm_90a -O3 bench/tma_outside.cu -o tma_outside && ./tma_outside
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kInFlight = 4, kSteps = 2000, kColumns = 4096;

__device__ uint32_t sharedAddress(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

/// `apart`: how many boxes along the rows a block is ahead of the block before it.
__global__ void fetch(const __grid_constant__ CUtensorMap map, int bytes, int boxes, int apart,
                      long long *cycles) {
  extern __shared__ __align__(1024) char slots[];
  __shared__ __align__(8) uint64_t mbarriers[kInFlight];
  for (int i = 0; i < kInFlight; ++i)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(mbarriers + i)));
  asm volatile("fence.proxy.async.shared::cta;");
  const long long begin = clock64();
  for (int i = 0; i < kSteps + kInFlight; ++i) {
    const uint32_t bar = sharedAddress(mbarriers + i % kInFlight);
    if (i >= kInFlight) {
      const uint32_t parity = (i / kInFlight - 1) & 1;
      uint32_t done = 0;
      while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar), "r"(parity)
                     : "memory");
    }
    if (i >= kSteps)
      continue;
    const int column = static_cast<int>((i + blockIdx.x * apart) % boxes) * 64;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(sharedAddress(slots + i % kInFlight * bytes)),
                 "l"(&map), "r"(column), "r"(0), "r"(bar)
                 : "memory");
  }
  cycles[blockIdx.x] = clock64() - begin;
}

static void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
  const auto encode = reinterpret_cast<Encode>(function);
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  const int all = device.multiProcessorCount;
  // Wide enough for every block to have columns of its own.
  const int wide = kColumns * all;
  void *array;
  long long *cycles;
  check(cudaMalloc(&array, size_t{2} * 256 * wide));
  check(cudaMalloc(&cycles, all * sizeof(long long)));
  struct Case {
    const char *name;
    int blocks, columns, apart;
  };
  const Case cases[] = {{"one block", 1, kColumns, 7},
                        {"8 blocks", 8, kColumns, 7},
                        {"all blocks", all, kColumns, 7},
                        {"all, the same columns", all, kColumns, 0},
                        {"all, columns of their own", all, wide, kColumns / 64}};
  for (int rows : {16, 64, 128, 152, 256})
    for (const Case &c : cases) {
      std::printf("%3d rows, %-25s", rows, c.name);
      for (int inside : {1, 16, 32, 48, 64, 96, 128, 152, 192, 256}) {
        if (inside > rows)
          continue;
        CUtensorMap map;
        const cuuint64_t sizes[] = {cuuint64_t(c.columns), cuuint64_t(inside)},
                         strides[] = {cuuint64_t(c.columns) * 2};
        const cuuint32_t box[] = {64, cuuint32_t(rows)}, ones[] = {1, 1};
        if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, array, sizes, strides, box, ones,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
          std::fprintf(stderr, "the driver refuses the map\n");
          return 1;
        }
        const int bytes = rows * 128;
        check(cudaFuncSetAttribute(fetch, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   kInFlight * bytes));
        std::vector<long long> took(c.blocks);
        long long best = 0;
        for (int round = 0; round < 3; ++round) {
          fetch<<<c.blocks, 1, kInFlight * bytes>>>(map, bytes, c.columns / 64, c.apart, cycles);
          check(cudaDeviceSynchronize());
          check(cudaMemcpy(took.data(), cycles, c.blocks * sizeof(long long),
                           cudaMemcpyDeviceToHost));
          const long long slowest = *std::max_element(took.begin(), took.end());
          best = best ? std::min(best, slowest) : slowest;
        }
        std::printf("  %d:%lld", inside, best / kSteps);
      }
      std::printf("\n");
    }
}
