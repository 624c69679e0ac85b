// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/TensorMap.h"

#include "CudaDriver.h"

#include <gtest/gtest.h>

using namespace tessera::rt;

namespace {
/// A 1000 x 264 bf16 matrix in rows of 272.
TensorMapRequest matrix() {
  TensorMapRequest request;
  request.element = Element::BF16;
  request.address = 0x10000;
  request.rank = 2;
  request.sizes[0] = 1000;
  request.sizes[1] = 264;
  request.strides[0] = 272;
  request.strides[1] = 1;
  request.box[0] = 128;
  request.box[1] = 64;
  request.swizzle = 128;
  return request;
}

std::string failure(const TensorMapRequest &request) {
  TensorMapFields fields;
  std::string error;
  EXPECT_FALSE(layoutTensorMap(request, fields, error));
  return error;
}

TEST(TensorMap, InnermostFirst) {
  TensorMapFields fields;
  std::string error;
  ASSERT_TRUE(layoutTensorMap(matrix(), fields, error)) << error;
  EXPECT_FALSE(fields.empty);
  EXPECT_EQ(fields.type, cuda::TensorMapBFloat16);
  EXPECT_EQ(fields.sizes[0], 264u);
  EXPECT_EQ(fields.sizes[1], 1000u);
  EXPECT_EQ(fields.strides[0], 544u);
  EXPECT_EQ(fields.box[0], 64u);
  EXPECT_EQ(fields.box[1], 128u);
  EXPECT_EQ(fields.swizzle, cuda::TensorMapSwizzle128B);
}

TEST(TensorMap, PairsOfLinesWhereRowsBeginOne) {
  auto promotion = [](int64_t stride, uint64_t address) {
    TensorMapRequest request = matrix();
    request.strides[0] = stride;
    request.address = address;
    TensorMapFields fields;
    std::string error;
    EXPECT_TRUE(layoutTensorMap(request, fields, error)) << error;
    return fields.promotion;
  };
  EXPECT_EQ(promotion(384, 0x10000), cuda::TensorMapL2Promotion256B);
  EXPECT_EQ(promotion(272, 0x10000), cuda::TensorMapL2Promotion128B);
  EXPECT_EQ(promotion(320, 0x10000), cuda::TensorMapL2Promotion128B);
  EXPECT_EQ(promotion(384, 0x10080), cuda::TensorMapL2Promotion128B);
}

TEST(TensorMap, RowsThatAreOneRowInMemory) {
  TensorMapRequest request = matrix();
  request.strides[0] = 0;
  TensorMapFields fields;
  std::string error;
  EXPECT_TRUE(layoutTensorMap(request, fields, error)) << error;
  EXPECT_EQ(fields.strides[0], 0u);
}

// The driver is told all that a box reaches over, and the steps.
TEST(TensorMap, StepsBetweenElements) {
  TensorMapRequest request = matrix();
  request.steps[0] = 2;
  TensorMapFields fields;
  std::string error;
  ASSERT_TRUE(layoutTensorMap(request, fields, error)) << error;
  EXPECT_EQ(fields.box[1], 255u);
  EXPECT_EQ(fields.steps[1], 2u);
  EXPECT_EQ(fields.box[0], 64u);
  EXPECT_EQ(fields.steps[0], 1u);
  request.steps[0] = 3;
  EXPECT_EQ(failure(request), "TMA descriptor: dimension 0 of the map: with steps of 3 the box "
                              "reaches over 382 elements, more than 256");
  request.steps[0] = 9;
  request.box[0] = 2;
  EXPECT_NE(failure(request).find("step 9 is not in 1..8"), std::string::npos);
  request = matrix();
  request.steps[1] = 2;
  EXPECT_NE(failure(request).find("step 2 is not in 1..8, or not 1 in the innermost"),
            std::string::npos);
}

TEST(TensorMap, Rules) {
  TensorMapRequest request = matrix();
  request.strides[0] = 267;
  EXPECT_EQ(failure(request),
            "TMA descriptor: dimension 0 of the map: stride 267 elements of 2 "
            "bytes, it must be a multiple of 16 bytes below 2^40, and not negative");
  request.strides[0] = -256;
  EXPECT_NE(failure(request).find("not negative"), std::string::npos);
  request = matrix();
  request.strides[1] = 2;
  EXPECT_NE(failure(request).find("must be contiguous"), std::string::npos);
  request = matrix();
  request.address = 0x10008;
  EXPECT_NE(failure(request).find("aligned to 16"), std::string::npos);
  request = matrix();
  request.box[1] = 128;
  EXPECT_NE(failure(request).find("more than the swizzle"), std::string::npos);
  request = matrix();
  request.box[1] = 4;
  EXPECT_NE(failure(request).find("multiple of 16"), std::string::npos);
  request = matrix();
  request.sizes[0] = (int64_t{1} << 32) + 1;
  EXPECT_NE(failure(request).find("is not in"), std::string::npos);
  request = matrix();
  request.strides[0] = INT64_MAX;
  EXPECT_NE(failure(request), "");
  request = matrix();
  request.strides[0] = -272;
  EXPECT_NE(failure(request), "");
  request = matrix();
  request.element = Element::I16;
  request.nanFill = true;
  EXPECT_NE(failure(request), "");
}

TEST(TensorMap, EmptyArrayHasNoMap) {
  TensorMapRequest request = matrix();
  request.sizes[0] = 0;
  request.address = 0;
  TensorMapFields fields;
  std::string error;
  ASSERT_TRUE(layoutTensorMap(request, fields, error));
  EXPECT_TRUE(fields.empty);
}

TEST(TensorMap, StrideOfASingleRowIsFree) {
  TensorMapRequest request = matrix();
  request.sizes[0] = 1;
  request.strides[0] = 7;
  TensorMapFields fields;
  std::string error;
  ASSERT_TRUE(layoutTensorMap(request, fields, error)) << error;
  EXPECT_EQ(fields.strides[0] % 16, 0u);
  EXPECT_GT(fields.strides[0], 0u);
}
} // namespace
