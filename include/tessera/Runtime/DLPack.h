// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- DLPack.h - Tensors of other frameworks as arguments ----------------===//
//
// The part of DLPack (https://dmlc.github.io/dlpack) that crosses the C interface: a DLTensor. Its
// layout is the same in all versions. The declarations are here, because Debian's header is too old
// to know booleans and 8-bit floats; test/unit/Runtime/DLPackTest.cpp compares them with a header
// where one exists.

#ifndef TESSERA_RUNTIME_DLPACK_H
#define TESSERA_RUNTIME_DLPACK_H

#include "tessera/Runtime/Backend.h"
#include "tessera/Runtime/Contract.h"
#include "tessera/Runtime/tessera_runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::rt {

namespace dlpack {
enum DeviceType : int32_t { CPU = 1, CUDA = 2, CUDAHost = 3, CUDAManaged = 13 };

struct Device {
  int32_t type;
  int32_t id;
};

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Complex = 5,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E5M2 = 12
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row-major
  uint64_t byteOffset;
};
} // namespace dlpack

/// The DLPack type of an element type.
dlpack::DataType dataTypeOf(Element element);

/// Checks types, ranks and devices of the values, and makes arguments of them that point into the
/// tensors. `device` becomes the number of the CUDA device that the tensors are on; `anyDevice` if
/// no tensor says, or on the CPU. Returns false with one line in `error` that names the argument.
bool takeTensors(const KernelContract &kernel, bool isGpu, const tessera_rt_value *values,
                 size_t count, std::vector<tessera_rt_arg> &args, int &device, std::string &error);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_DLPACK_H
