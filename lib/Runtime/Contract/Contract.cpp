// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The contract of an artifact: its header, and the list of its kernels.
#include "KernelReader.h"

namespace tessera::rt {

static constexpr std::string_view magic = "TESSERA-CTR-0001";
static constexpr size_t headerSize = 24;

std::vector<std::string> KernelContract::argNames() const {
  std::vector<std::string> names;
  for (const Argument &arg : args)
    names.push_back(arg.name);
  return names;
}

size_t KernelContract::memberOf(size_t variant) const {
  size_t member = 0;
  while (member + 1 < members.size() && members[member + 1].first <= variant)
    ++member;
  return member;
}

bool parseContract(std::string_view bytes, Contract &contract, std::string &error) {
  error.clear();
  contract = Contract();
  if (bytes.size() < headerSize || bytes.substr(0, 12) != magic.substr(0, 12)) {
    error = "malformed contract: it does not start with " + std::string(magic);
    return false;
  }
  if (bytes.substr(0, magic.size()) != magic) {
    error = "contract version '" + std::string(bytes.substr(12, 4)) +
            "' is not the 0001 this runtime reads";
    return false;
  }
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | static_cast<unsigned char>(bytes[16 + i]);
  if (length > maxJsonBytes || length > bytes.size() - headerSize) {
    error = "malformed contract: its header promises " + std::to_string(length) +
            " bytes of JSON, " + std::to_string(bytes.size() - headerSize) + " are there";
    return false;
  }
  contract.text = bytes.substr(headerSize, length);
  Json json = Json::parse(contract.text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    error = "malformed contract: it is not valid JSON";
    return false;
  }
  JsonReader top(json, error);
  int64_t version = top.member("version").integer(0, maxSize);
  if (!top.failed() && (version < 1 || version > newestVersion))
    top.fail("version " + std::to_string(version) + ", this runtime reads versions 1 to " +
             std::to_string(newestVersion));
  contract.compiler = top.stringOr("compiler", "");
  contract.target = top.member("target").string();
  if (top.failed())
    return false;
  JsonReader kernels = top.member("kernels");
  size_t count = kernels.arraySize(maxKernels);
  if (count == 0)
    kernels.fail("there are none: an artifact without kernels cannot do anything");
  contract.kernels.reserve(count);
  for (size_t i = 0; i < count && !top.failed(); ++i) {
    contract.kernels.emplace_back();
    KernelReader(contract.kernels.back(), version).read(kernels.at(i));
    for (size_t j = 0; j < i; ++j)
      if (contract.kernels[j].name == contract.kernels[i].name)
        kernels.at(i).fail("a second kernel named '" + contract.kernels[i].name + "'");
  }
  return !top.failed();
}

std::string wrapContract(std::string_view json) {
  std::string bytes(magic);
  for (unsigned i = 0; i < 8; ++i)
    bytes.push_back(static_cast<char>(static_cast<uint64_t>(json.size()) >> (8 * i) & 0xff));
  bytes.append(json);
  bytes.push_back('\0');
  return bytes;
}

} // namespace tessera::rt
