// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/NumpyFile.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

using namespace tessera::rt;

namespace {
std::string file(const std::string &header, const std::string &data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  if (version > 1)
    bytes += std::string(2, '\0');
  return bytes + header + data;
}

std::string failure(const std::string &bytes) {
  NumpyArray array;
  std::string error;
  EXPECT_FALSE(parseNumpy(bytes, array, error));
  EXPECT_FALSE(error.empty());
  return error;
}

TEST(NumpyFile, Reads) {
  for (char version : {1, 2, 3}) {
    NumpyArray array;
    std::string error;
    ASSERT_TRUE(parseNumpy(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n",
                                std::string(24, 'x'), version),
                           array, error))
        << error;
    EXPECT_EQ(array.dtype, "<f4");
    EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(array.data.size(), 24u);
    EXPECT_TRUE(array.accepts(Element::F32));
    EXPECT_FALSE(array.accepts(Element::I32));
  }
}

TEST(NumpyFile, RanksZeroAndOne) {
  NumpyArray array;
  std::string error;
  ASSERT_TRUE(parseNumpy(file("{'descr': '<i8', 'fortran_order': False, 'shape': ()}", "12345678"),
                         array, error));
  EXPECT_TRUE(array.shape.empty());
  EXPECT_EQ(array.count(), 1);
  ASSERT_TRUE(parseNumpy(file("{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", "1234"),
                         array, error));
  EXPECT_EQ(array.shape, std::vector<int64_t>{2});
  ASSERT_TRUE(parseNumpy(
      file("{'descr': '<i2', 'fortran_order': False, 'shape': (4611686018427387904, 16, 0)}", ""),
      array, error));
  EXPECT_EQ(array.count(), 0);
}

TEST(NumpyFile, Malformed) {
  EXPECT_EQ(failure(""), "it is no .npy file");
  EXPECT_EQ(failure("\x93NUMPY\x01"), "it is no .npy file");
  EXPECT_EQ(failure(std::string("\x93NUMPY\x04\x00\x00\x00", 10)),
            "it has .npy version 4, known are 1 to 3");
  EXPECT_EQ(failure(std::string("\x93NUMPY\x01\x00\xff\x00", 10)), "its header is truncated");
  EXPECT_EQ(failure(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}",
                         std::string(24, 'x'))),
            "it is in Fortran order; save numpy.ascontiguousarray(x) instead");
  EXPECT_EQ(failure(file("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "1234")),
            "it is big-endian; save x.astype(x.dtype.newbyteorder('<')) instead");
  EXPECT_EQ(failure(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234")),
            "it has 4 bytes of data, its shape needs 8");
  EXPECT_EQ(failure(file("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", "1234")),
            "dtype '|O' is not supported");
  EXPECT_EQ(failure(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "")),
            "structured dtypes are not supported");
  EXPECT_EQ(failure(file("{'descr': '<f4', 'fortran_order': False}", "")),
            "its header lacks descr, fortran_order or shape");
  EXPECT_EQ(failure(file("{'descr': '<f8', 'fortran_order': False, "
                         "'shape': (4611686018427387904, 16)}",
                         "")),
            "its size overflows 64 bits");
  EXPECT_EQ(failure(file("{'descr': '<f8', 'fortran_order': False, "
                         "'shape': (99999999999999999999,)}",
                         "")),
            "its shape is malformed");
  for (const char *header : {"", "{", "{'descr'", "{'descr': '<f4", "{'descr': '<f4'",
                             "{'descr': '<f4', 'shape': (2", "{'shape': (-2,)}", "{'shape': (2 3)}",
                             "{'shape': 2}", "{'fortran_order': 1}", "{'other': 1}", "(1, 2)"})
    failure(file(header, "1234"));
}

TEST(NumpyFile, DamagedHeaders) {
  std::mt19937 random(3);
  std::string good = numpyHeader(Element::F32, {3, 4}) + std::string(48, 'x');
  NumpyArray array;
  std::string error;
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k)
      bad[random() % bad.size()] = static_cast<char>(random());
    parseNumpy(bad, array, error);
    parseNumpy(bad.substr(0, random() % bad.size()), array, error);
  }
}

TEST(NumpyFile, TypesByTheParameter) {
  auto accepts = [](const char *dtype, Element element) {
    NumpyArray array;
    array.dtype = dtype;
    return array.accepts(element);
  };
  for (const char *dtype : {"<u2", "|V2", "<V2", "bfloat16"})
    EXPECT_TRUE(accepts(dtype, Element::BF16)) << dtype;
  EXPECT_FALSE(accepts("<f2", Element::BF16));
  EXPECT_TRUE(accepts("<f2", Element::F16));
  EXPECT_FALSE(accepts("<u2", Element::F16));
  EXPECT_TRUE(accepts("|u1", Element::F8E4M3FN));
  EXPECT_TRUE(accepts("|V1", Element::F8E5M2));
  EXPECT_TRUE(accepts("|b1", Element::I1));
  EXPECT_FALSE(accepts("|u1", Element::I1));
  EXPECT_TRUE(accepts("<i8", Element::Index));
  EXPECT_FALSE(accepts("<f8", Element::F32));
}

TEST(NumpyFile, RoundTrip) {
  std::string path = ::testing::TempDir() + "tessera-numpy-test.npy";
  for (int i = 0; i <= static_cast<int>(Element::Index); ++i) {
    auto element = static_cast<Element>(i);
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {5}, {0, 3}, {2, 3, 4}, {1000}}) {
      int64_t count = 1;
      for (int64_t size : shape)
        count *= size;
      std::string data(static_cast<size_t>(count) * elementSize(element), '\1');
      std::string error;
      ASSERT_TRUE(writeNumpy(path, element, shape, data, error)) << error;
      EXPECT_EQ(numpyHeader(element, shape).size() % 64, 0u);
      NumpyArray array;
      ASSERT_TRUE(readNumpy(path, array, error)) << error;
      EXPECT_TRUE(array.accepts(element));
      EXPECT_EQ(array.shape, shape);
      EXPECT_EQ(array.data, data);
    }
  }
  std::remove(path.c_str());
}

/// A program that has opened the old file can read it to its end.
TEST(NumpyFile, ReplacesFiles) {
  std::string path = ::testing::TempDir() + "tessera-numpy-old.npy", error;
  ASSERT_TRUE(writeNumpy(path, Element::I8, {3}, "abc", error)) << error;
  std::FILE *reader = std::fopen(path.c_str(), "rb");
  ASSERT_TRUE(reader);
  ASSERT_TRUE(writeNumpy(path, Element::I8, {3}, "xyz", error)) << error;
  char bytes[200] = {};
  const size_t size = std::fread(bytes, 1, sizeof(bytes), reader);
  std::fclose(reader);
  ASSERT_GT(size, 3u);
  EXPECT_EQ(std::string(bytes + size - 3, 3), "abc");
  NumpyArray array;
  ASSERT_TRUE(readNumpy(path, array, error)) << error;
  EXPECT_EQ(array.data, "xyz");
  std::remove(path.c_str());
  // A device is written to directly.
  EXPECT_TRUE(writeNumpy("/dev/null", Element::I8, {3}, "xyz", error)) << error;
  EXPECT_FALSE(writeNumpy("/dev/full", Element::I8, {3}, "xyz", error));
  EXPECT_EQ(error, "cannot write '/dev/full': No space left on device");
  EXPECT_FALSE(writeNumpy("/nowhere/x.npy", Element::I8, {3}, "xyz", error));
  EXPECT_EQ(error, "cannot write '/nowhere/x.npy': No such file or directory");
}
} // namespace
