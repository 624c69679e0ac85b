// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Launches of DLPack tensors, as a back end sees them that writes down its calls. Runs of real
// kernels are in test/Runtime/c-api.test.

#include "tessera/Runtime/DLPack.h"
#include "RecorderBackend.h"

#include <gtest/gtest.h>

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>

namespace ours = tessera::rt::dlpack;
static_assert(sizeof(ours::Tensor) == sizeof(DLTensor));
static_assert(offsetof(ours::Tensor, device) == offsetof(DLTensor, device));
static_assert(offsetof(ours::Tensor, rank) == offsetof(DLTensor, ndim));
static_assert(offsetof(ours::Tensor, type) == offsetof(DLTensor, dtype));
static_assert(offsetof(ours::Tensor, shape) == offsetof(DLTensor, shape));
static_assert(offsetof(ours::Tensor, strides) == offsetof(DLTensor, strides));
static_assert(offsetof(ours::Tensor, byteOffset) == offsetof(DLTensor, byte_offset));
static_assert(offsetof(ours::DataType, bits) == offsetof(DLDataType, bits));
static_assert(offsetof(ours::DataType, lanes) == offsetof(DLDataType, lanes));
static_assert(offsetof(ours::Device, id) == offsetof(DLDevice, device_id));
static_assert(int{ours::CPU} == kDLCPU && int{ours::CUDA} == kDLCUDA);
static_assert(int{ours::CUDAHost} == kDLCUDAHost && int{ours::CUDAManaged} == kDLCUDAManaged);
static_assert(int{ours::Int} == kDLInt && int{ours::UInt} == kDLUInt);
static_assert(int{ours::Float} == kDLFloat && int{ours::BFloat} == kDLBfloat);
static_assert(int{ours::Complex} == kDLComplex);
#if defined(DLPACK_MAJOR_VERSION) && (DLPACK_MAJOR_VERSION > 1 || DLPACK_MINOR_VERSION >= 1)
static_assert(int{ours::Bool} == kDLBool && int{ours::Float8E4M3FN} == kDLFloat8_e4m3fn);
static_assert(int{ours::Float8E5M2} == kDLFloat8_e5m2);
#endif
#endif

using namespace tessera::rt;

namespace {
/// The kernel of the test contract with tensors on CUDA device 1.
class Tensors : public Launcher {
protected:
  void SetUp() override {
    Launcher::SetUp();
    const dlpack::Device device = {dlpack::CUDA, 1};
    tensors[0] = {pointer(0x10000), device, 2, {dlpack::BFloat, 16, 1}, sizesA, nullptr, 0};
    tensors[1] = {pointer(0x20000), device, 2, {dlpack::BFloat, 16, 1}, sizesB, nullptr, 0};
    tensors[2] = {pointer(0x30000), device, 2, {dlpack::Float, 32, 1}, sizesC, nullptr, 0};
    for (size_t i = 0; i < 3; ++i)
      values[i].tensor = &tensors[i];
    values[3].bits = 0x3f800000;
  }
  std::string launchTensors(size_t count = 4) {
    Error error;
    const size_t before = recorder->calls.size();
    const bool good = kernel->launchTensors(values, count, pointer(0x99), error);
    EXPECT_EQ(good, error.message.empty());
    EXPECT_EQ(recorder->calls.size(), before + good) << "an error launches nothing";
    if (!good) {
      EXPECT_EQ(error.status, TESSERA_RT_INVALID);
      Error again;
      size_t variant;
      EXPECT_FALSE(kernel->checkTensors(values, count, variant, again));
      EXPECT_EQ(again.message, error.message);
    }
    return error.message;
  }

  dlpack::Tensor tensors[3] = {};
  tessera_rt_value values[4] = {};
};

/// What is launched is what the same arguments without DLPack launch.
TEST_F(Tensors, SameAsPointers) {
  ASSERT_EQ(launchTensors(), "");
  EXPECT_EQ(recorder->entered, 1);
  EXPECT_EQ(recorder->calls[0].stream, pointer(0x99));
  ASSERT_EQ(launch(pointer(0x99)), "");
  EXPECT_EQ(recorder->entered, anyDevice);
  EXPECT_EQ(recorder->calls[0].symbol, "gemm_aligned_0");
  EXPECT_EQ(recorder->calls[0].values, recorder->calls[1].values);
  size_t variant = 9;
  Error error;
  ASSERT_TRUE(kernel->checkTensors(values, 4, variant, error)) << error.message;
  EXPECT_EQ(variant, 0u);
}

TEST_F(Tensors, ByteOffset) {
  tensors[0].byteOffset = 0x100;
  ASSERT_EQ(launchTensors(), "");
  EXPECT_EQ(recorder->calls[0].values[0], 0x10100u);
  tensors[1].byteOffset = 2; // aligned to its element only
  ASSERT_EQ(launchTensors(), "");
  EXPECT_EQ(recorder->calls[1].symbol, "gemm_any_0");
  tensors[1].byteOffset = ~uint64_t{0};
  EXPECT_EQ(launchTensors(), "argument 1 'B': it does not fit the address space");
  tensors[1].byteOffset = 0;
  tensors[0].data = nullptr; // null and an offset are no address
  EXPECT_EQ(launchTensors(), "argument 0 'A': null pointer for 19200 bytes");
}

TEST_F(Tensors, Strides) {
  int64_t strides[2] = {520, 1}, rows[2] = {32, 1}, wrong[2] = {33, 1};
  tensors[1].strides = strides;
  ASSERT_EQ(launchTensors(), "");
  tensors[0].strides = rows; // those that the argument must have
  ASSERT_EQ(launchTensors(), "");
  tensors[0].strides = wrong;
  EXPECT_EQ(launchTensors(), "argument 0 'A': dimension 0 must have stride 32 (the argument is "
                             "row-major and contiguous), it has 33");
}

TEST_F(Tensors, ElementTypes) {
  tensors[0].type = {dlpack::Float, 16, 1};
  EXPECT_EQ(launchTensors(), "argument 0 'A': element type must be bf16 (bfloat16), the tensor has "
                             "float16");
  tensors[0].type = {dlpack::BFloat, 16, 2};
  EXPECT_EQ(launchTensors(), "argument 0 'A': element type must be bf16 (bfloat16), the tensor has "
                             "bfloat16 in vectors of 2");
  tensors[0].type = {dlpack::UInt, 16, 1}; // its bytes, but nothing says what they mean
  EXPECT_EQ(launchTensors(), "argument 0 'A': element type must be bf16 (bfloat16), the tensor has "
                             "uint16");
  tensors[0].type = {99, 16, 1};
  EXPECT_EQ(launchTensors(), "argument 0 'A': element type must be bf16 (bfloat16), the tensor has "
                             "DLPack type 99 of 16 bits");
  tensors[0].type = {dlpack::BFloat, 16, 1};
  tensors[2].type = {dlpack::Float, 64, 1};
  EXPECT_EQ(launchTensors(), "argument 2 'C': element type must be f32 (float32), the tensor has "
                             "float64");
}

/// For each element type the types of tensors that it takes.
TEST(DLPack, Types) {
  const std::vector<dlpack::DataType> types = {
      {dlpack::Int, 8, 1},          {dlpack::UInt, 8, 1},       {dlpack::Bool, 8, 1},
      {dlpack::Float8E4M3FN, 8, 1}, {dlpack::Float8E5M2, 8, 1}, {dlpack::Int, 16, 1},
      {dlpack::UInt, 16, 1},        {dlpack::Float, 16, 1},     {dlpack::BFloat, 16, 1},
      {dlpack::Int, 32, 1},         {dlpack::UInt, 32, 1},      {dlpack::Float, 32, 1},
      {dlpack::Int, 64, 1},         {dlpack::UInt, 64, 1},      {dlpack::Float, 64, 1},
      {dlpack::Complex, 64, 1},     {dlpack::Int, 32, 2},       {dlpack::Float, 8, 1}};
  const std::vector<std::pair<std::string, std::vector<size_t>>> taken = {
      {"i8", {0, 1}},  {"i1", {2}},       {"f8E4M3FN", {1, 3}}, {"f8E5M2", {1, 4}},
      {"i16", {5, 6}}, {"f16", {7}},      {"bf16", {8}},        {"i32", {9, 10}},
      {"f32", {11}},   {"i64", {12, 13}}, {"index", {12, 13}},  {"f64", {14}}};
  for (const auto &[name, expected] : taken) {
    KernelContract kernel;
    kernel.args.resize(1);
    kernel.args[0].isMemref = true;
    kernel.args[0].element = *parseElement(name);
    std::vector<size_t> found;
    for (size_t i = 0; i < types.size(); ++i) {
      dlpack::Tensor tensor = {&kernel, {dlpack::CPU, 0}, 0, types[i], nullptr, nullptr, 0};
      const tessera_rt_value value = {&tensor, 0};
      std::vector<tessera_rt_arg> args;
      int device;
      std::string error;
      if (takeTensors(kernel, /*isGpu=*/false, &value, 1, args, device, error)) {
        found.push_back(i);
        EXPECT_EQ(args[0].pointer, &kernel);
        EXPECT_EQ(device, anyDevice);
      } else {
        EXPECT_NE(error.find("element type must be " + name), std::string::npos) << error;
      }
    }
    EXPECT_EQ(found, expected) << name;
  }
}

TEST_F(Tensors, Devices) {
  tensors[1].device.id = 0;
  EXPECT_EQ(launchTensors(), "argument 1 'B' is on CUDA device 0, argument 0 'A' on 1; all arrays "
                             "of a launch must be on one device");
  tensors[1].device = {dlpack::CUDAManaged, 0}; // every device reaches it
  ASSERT_EQ(launchTensors(), "");
  EXPECT_EQ(recorder->entered, 1);
  for (dlpack::Tensor &tensor : tensors)
    tensor.device = {dlpack::CUDAManaged, 2};
  ASSERT_EQ(launchTensors(), "");
  EXPECT_EQ(recorder->entered, 2);
  tensors[2].device = {dlpack::CPU, 0};
  EXPECT_EQ(launchTensors(), "argument 2 'C' is in host memory, and this artifact is for a GPU: "
                             "copy the tensor to a CUDA device");
  tensors[2].device = {dlpack::CUDAHost, 0};
  EXPECT_NE(launchTensors().find("is in pinned host memory"), std::string::npos);
  tensors[2].device = {10, 0}; // ROCm
  EXPECT_NE(launchTensors().find("is on a device of DLPack type 10"), std::string::npos);
  tensors[2].device = {dlpack::CUDA, -1};
  EXPECT_NE(launchTensors().find("there is none with a negative number"), std::string::npos);
}

TEST(DLPack, DevicesOfTheCpu) {
  KernelContract kernel;
  kernel.args.resize(1);
  kernel.args[0].name = "x";
  kernel.args[0].isMemref = true;
  for (int32_t type : {1, 2, 3, 7, 10, 13}) {
    dlpack::Tensor tensor = {&kernel, {type, 3}, 0, {dlpack::Float, 32, 1}, nullptr, nullptr, 0};
    const tessera_rt_value value = {&tensor, 0};
    std::vector<tessera_rt_arg> args;
    int device = 0;
    std::string error;
    const bool reachable = type == 1 || type == 3 || type == 13;
    EXPECT_EQ(takeTensors(kernel, /*isGpu=*/false, &value, 1, args, device, error), reachable);
    if (reachable) {
      EXPECT_EQ(device, anyDevice) << "the CPU has no devices";
    } else {
      EXPECT_NE(error.find("is for the CPU: copy the tensor to host memory"), std::string::npos);
    }
  }
}

TEST_F(Tensors, Ranks) {
  tensors[2].rank = 3;
  EXPECT_EQ(launchTensors(), "argument 2 'C': rank must be 2, the tensor has rank 3");
  tensors[2].rank = -1;
  EXPECT_EQ(launchTensors(), "argument 2 'C': rank must be 2, the tensor has rank -1");
  tensors[2].rank = 2;
  tensors[2].shape = nullptr;
  EXPECT_EQ(launchTensors(), "argument 2 'C': no sizes were given");
}

TEST_F(Tensors, Missing) {
  EXPECT_EQ(launchTensors(3), "kernel 'gemm' takes 4 arguments, 3 were given");
  values[3].tensor = &tensors[0];
  EXPECT_EQ(launchTensors(), "argument 3 'alpha' is a scalar: pass its bits, not a tensor");
  values[3].tensor = nullptr;
  values[1].tensor = nullptr;
  EXPECT_EQ(launchTensors(), "argument 1 'B': no tensor was given");
}
} // namespace
