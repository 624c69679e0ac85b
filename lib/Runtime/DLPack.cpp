// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/DLPack.h"

#include "tessera/Runtime/Facts.h"

namespace tessera::rt {

namespace {
std::string nameOf(dlpack::DataType type) {
  std::string bits = std::to_string(type.bits), name;
  switch (type.code) {
  case dlpack::Int:
    name = "int" + bits;
    break;
  case dlpack::UInt:
    name = "uint" + bits;
    break;
  case dlpack::Float:
    name = "float" + bits;
    break;
  case dlpack::BFloat:
    name = "bfloat" + bits;
    break;
  case dlpack::Complex:
    name = "complex" + bits;
    break;
  case dlpack::Bool:
    name = "bool of " + bits + " bits";
    break;
  case dlpack::Float8E4M3FN:
    name = "float8_e4m3fn";
    break;
  case dlpack::Float8E5M2:
    name = "float8_e5m2";
    break;
  default:
    name = "DLPack type " + std::to_string(type.code) + " of " + bits + " bits";
  }
  return type.lanes == 1 ? name : name + " in vectors of " + std::to_string(type.lanes);
}

std::string nameOf(dlpack::Device device) {
  switch (device.type) {
  case dlpack::CPU:
    return "in host memory";
  case dlpack::CUDA:
    return "on CUDA device " + std::to_string(device.id);
  case dlpack::CUDAHost:
    return "in pinned host memory";
  case dlpack::CUDAManaged:
    return "in managed CUDA memory";
  default:
    return "on a device of DLPack type " + std::to_string(device.type);
  }
}

bool accepts(Element element, dlpack::DataType given) {
  const dlpack::DataType own = dataTypeOf(element);
  if (given.lanes != 1 || given.bits != own.bits)
    return false;
  // The contract's integers have no sign. Frameworks whose DLPack has no 8-bit floats hand out
  // their bytes.
  const bool asUnsigned =
      own.code == dlpack::Int || own.code == dlpack::Float8E4M3FN || own.code == dlpack::Float8E5M2;
  return given.code == own.code || (asUnsigned && given.code == dlpack::UInt);
}

bool isReachable(bool isGpu, dlpack::Device device) {
  if (isGpu)
    return device.type == dlpack::CUDA || device.type == dlpack::CUDAManaged;
  return device.type == dlpack::CPU || device.type == dlpack::CUDAHost ||
         device.type == dlpack::CUDAManaged;
}

/// The address of the first element. Null stays null, so that the check of addresses finds it.
void *addressOf(const dlpack::Tensor &tensor) {
  if (!tensor.data)
    return nullptr;
  uint64_t address;
  if (__builtin_add_overflow(reinterpret_cast<uint64_t>(tensor.data), tensor.byteOffset, &address))
    address = ~uint64_t{0}; // beyond every address space
  return reinterpret_cast<void *>(address);
}

/// The devices of the tensors that have been seen.
struct Devices {
  int cuda = anyDevice, managed = anyDevice;
  size_t cudaArg = 0;

  bool add(const KernelContract &kernel, size_t arg, dlpack::Device device, std::string &error) {
    if (device.type == dlpack::CUDAManaged && managed == anyDevice)
      managed = device.id;
    if (device.type != dlpack::CUDA)
      return true;
    if (device.id < 0) {
      error = describeArg(kernel, arg) + " is on CUDA device " + std::to_string(device.id) +
              ", and there is none with a negative number";
      return false;
    }
    if (cuda != anyDevice && cuda != device.id) {
      error = describeArg(kernel, arg) + " is on CUDA device " + std::to_string(device.id) + ", " +
              describeArg(kernel, cudaArg) + " on " + std::to_string(cuda) +
              "; all arrays of a launch must be on one device";
      return false;
    }
    if (cuda == anyDevice)
      cudaArg = arg;
    cuda = device.id;
    return true;
  }
};
} // namespace

dlpack::DataType dataTypeOf(Element element) {
  const auto bits = static_cast<uint8_t>(8 * elementSize(element));
  switch (element) {
  case Element::F64:
  case Element::F32:
  case Element::F16:
    return {dlpack::Float, bits, 1};
  case Element::BF16:
    return {dlpack::BFloat, bits, 1};
  case Element::F8E4M3FN:
    return {dlpack::Float8E4M3FN, bits, 1};
  case Element::F8E5M2:
    return {dlpack::Float8E5M2, bits, 1};
  case Element::I1:
    return {dlpack::Bool, bits, 1};
  default:
    return {dlpack::Int, bits, 1};
  }
}

bool takeTensors(const KernelContract &kernel, bool isGpu, const tessera_rt_value *values,
                 size_t count, std::vector<tessera_rt_arg> &args, int &device, std::string &error) {
  if (!checkCount(kernel, count, error))
    return false;
  args.resize(count);
  Devices devices;
  for (size_t i = 0; i < count; ++i) {
    const Argument &arg = kernel.args[i];
    tessera_rt_arg &out = args[i] = tessera_rt_arg();
    if (!arg.isMemref) {
      if (values[i].tensor) {
        error = describeArg(kernel, i) + " is a scalar: pass its bits, not a tensor";
        return false;
      }
      out.bits = values[i].bits;
      continue;
    }
    const auto *tensor = static_cast<const dlpack::Tensor *>(values[i].tensor);
    if (!tensor) {
      error = describeArg(kernel, i) + ": no tensor was given";
      return false;
    }
    if (!accepts(arg.element, tensor->type)) {
      error = describeArg(kernel, i) + ": element type must be " +
              std::string(elementName(arg.element)) + " (" + nameOf(dataTypeOf(arg.element)) +
              "), the tensor has " + nameOf(tensor->type);
      return false;
    }
    if (tensor->rank != static_cast<int64_t>(arg.rank())) {
      error = describeArg(kernel, i) + ": rank must be " + std::to_string(arg.rank()) +
              ", the tensor has rank " + std::to_string(tensor->rank);
      return false;
    }
    if (!isReachable(isGpu, tensor->device)) {
      error = describeArg(kernel, i) + " is " + nameOf(tensor->device) + ", and this artifact is " +
              (isGpu ? "for a GPU: copy the tensor to a CUDA device"
                     : "for the CPU: copy the tensor to host memory");
      return false;
    }
    if (!devices.add(kernel, i, tensor->device, error))
      return false;
    out.pointer = addressOf(*tensor);
    out.sizes = tensor->shape;
    out.strides = tensor->strides;
  }
  // Managed memory can be reached from every device.
  device = !isGpu ? anyDevice : devices.cuda != anyDevice ? devices.cuda : devices.managed;
  return true;
}

} // namespace tessera::rt
