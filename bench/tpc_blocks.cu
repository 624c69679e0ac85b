// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// On which TPCs the working blocks of a launch are, and what that costs: 112 MiB from memory by
// bulk copies of 32 KiB, by few blocks of many.
//
//   nvcc -O2 -arch=sm_90a -o tpc_blocks tpc_blocks.cu && ./tpc_blocks
//
// Forms of the grid: `own` has as many blocks as work; `full` a block for each SM, or two, of which
// those with the lowest numbers work; `even` the same, but blocks with even numbers work first.
// Each is launched 40 times, in order (`late`) or as dependent launches (`early`). It prints
// microseconds of a launch, and on how many TPCs (of two SMs) and SMs the working blocks were in
// the mean of the last 20.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <set>
#include <vector>

constexpr int kSMs = 132, kChunk = 32 << 10, kLaunches = 40, kMostBlocks = 2 * kSMs;

__global__ void __launch_bounds__(128)
    work(const char *data, size_t bytes, int working, int half, int slots, int *places) {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ __align__(8) uint64_t barriers[8];
  const uint32_t barrier = __cvta_generic_to_shared(barriers),
                 tile = __cvta_generic_to_shared(tiles);
  if (threadIdx.x == 0) {
    for (int i = 0; i < slots; ++i)
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier + 8 * i));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
  int id = blockIdx.x;
  if (half)
    id = (id >> 1) + (id & 1) * half;
  if (id >= working || threadIdx.x)
    return;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  places[id] = sm;
  const char *from = data + id * bytes;
  const int chunks = bytes / kChunk;
  for (int i = 0; i < chunks + slots; ++i) {
    const int slot = i % slots;
    for (uint32_t done = i < slots, parity = (i / slots - 1) & 1; !done;)
      asm volatile(
          "{ .reg .pred q; mbarrier.try_wait.parity.shared.b64 q,[%1],%2; selp.u32 %0,1,0,q; }"
          : "=r"(done)
          : "r"(barrier + 8 * slot), "r"(parity)
          : "memory");
    if (i >= chunks)
      continue;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(barrier + 8 * slot),
                 "r"(kChunk)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::
            "r"(tile + kChunk * slot),
        "l"(from + size_t(i) * kChunk), "r"(kChunk), "r"(barrier + 8 * slot)
        : "memory");
  }
}

int main() {
  constexpr size_t kTotal = size_t(112) << 20;
  constexpr int kSets = 4;
  char *data;
  int *places;
  cudaStream_t stream;
  cudaMalloc(&data, kTotal * kSets);
  cudaMalloc(&places, kMostBlocks * kLaunches * sizeof(int));
  cudaMemset(data, 0, kTotal * kSets);
  cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  cudaStreamCreate(&stream);
  const char *names[] = {"own", "full", "even"};
  for (int blocksPerSM : {1, 2})
    for (int working : {16, 32, 48, 64, 74, 86, 96, 103, 112, 128, 160})
      for (int form = 0; form < 3 && working <= kSMs * blocksPerSM; ++form)
        for (bool early : {false, true}) {
          const int full = kSMs * blocksPerSM, slots = blocksPerSM == 1 ? 6 : 3;
          const size_t bytes = kTotal / working / kChunk * kChunk;
          float best = 1e9;
          for (int round = 0; round < 6; ++round) {
            cudaEvent_t begin, end;
            cudaEventCreate(&begin);
            cudaEventCreate(&end);
            cudaEventRecord(begin, stream);
            for (int i = 0; i < kLaunches; ++i) {
              cudaLaunchAttribute attribute{
                  cudaLaunchAttributeProgrammaticStreamSerialization, {}, {}};
              attribute.val.programmaticStreamSerializationAllowed = 1;
              cudaLaunchConfig_t config{};
              config.gridDim = form ? full : working;
              config.blockDim = 128;
              config.dynamicSmemBytes = slots * kChunk;
              config.stream = stream;
              config.attrs = &attribute;
              config.numAttrs = early;
              cudaLaunchKernelEx(&config, work, (const char *)data + kTotal * (i % kSets), bytes,
                                 working, form == 2 ? full / 2 : 0, slots,
                                 places + kMostBlocks * i);
            }
            cudaEventRecord(end, stream);
            cudaStreamSynchronize(stream);
            float milliseconds;
            cudaEventElapsedTime(&milliseconds, begin, end);
            best = milliseconds < best ? milliseconds : best;
          }
          std::vector<int> where(kMostBlocks * kLaunches);
          cudaMemcpy(where.data(), places, where.size() * sizeof(int), cudaMemcpyDeviceToHost);
          double tpcs = 0, sms = 0;
          for (int i = kLaunches / 2; i < kLaunches; ++i) {
            std::set<int> ofTpcs, ofSMs;
            for (int b = 0; b < working; ++b) {
              ofTpcs.insert(where[kMostBlocks * i + b] / 2);
              ofSMs.insert(where[kMostBlocks * i + b]);
            }
            tpcs += 2.0 * ofTpcs.size() / kLaunches;
            sms += 2.0 * ofSMs.size() / kLaunches;
          }
          printf("%d a SM, %3d working, %s %-5s %7.2f us, %.1f TPCs, %.1f SMs\n", blocksPerSM,
                 working, names[form], early ? "early" : "late", best * 1e3 / kLaunches, tpcs, sms);
        }
  if (cudaError_t error = cudaGetLastError()) {
    printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
}
