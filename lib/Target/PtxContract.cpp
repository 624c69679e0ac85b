// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the launch contract in a PTX module promises of its functions.
#include "tessera/Contract/Contract.h"
#include "tessera/Target/PtxCheck.h"

#include "llvm/Support/JSON.h"

using namespace tessera;
using llvm::StringRef;
using llvm::Twine;

//===--- the contract in the PTX -------------------------------------------------------------===//

EmbeddedContract tessera::embeddedContract(std::string_view ptx) {
  EmbeddedContract result;
  StringRef text(ptx);
  // The line is ".visible .global .align 1 .b8 __tessera_contract[1425] = {84, 69, …};".
  const size_t at = text.find((".b8 " + contract::kSymbol + "[").str());
  if (at == StringRef::npos)
    return result;
  result.line = 1 + text.take_front(at).count('\n');
  auto [head, list] = text.drop_front(at).split(';').first.split('{');
  size_t size = 0;
  list = list.rtrim();
  bool numbers =
      !head.split('[').second.split(']').first.getAsInteger(10, size) && list.consume_back("}");
  std::string bytes;
  while (numbers && !list.empty()) {
    uint8_t byte = 0;
    list = list.ltrim();
    numbers = !list.consumeInteger(10, byte);
    list = list.ltrim();
    numbers &= list.empty() || list.consume_front(",");
    bytes.push_back(static_cast<char>(byte));
  }
  // LLVM does not write zeros at the end.
  numbers &= bytes.size() <= size && size <= bytes.size() + 1;
  if (numbers)
    bytes.resize(size);
  std::optional<StringRef> json = numbers ? contract::decode(bytes) : std::nullopt;
  if (json)
    result.json = json->str();
  else
    result.problem = "the launch contract is no text in the form of docs/Contract.md";
  return result;
}

//===--- JSON -------------------------------------------------------------------------------===//

static int64_t bytesOfElement(StringRef element) {
  size_t digits = element.find_first_of("0123456789");
  int64_t bits = 0;
  if (digits == StringRef::npos)
    return 8; // the type is index
  element.drop_front(digits).consumeInteger(10, bits);
  return std::max<int64_t>(bits / 8, 1);
}

template <typename Visit>
static void forEachIn(const llvm::json::Value &value, StringRef key, Visit visit) {
  const llvm::json::Object *object = value.getAsObject();
  if (const llvm::json::Array *list = object ? object->getArray(key) : nullptr)
    for (auto [index, element] : llvm::enumerate(*list))
      visit(element, static_cast<unsigned>(index));
}

static LaunchPromise readLaunch(const llvm::json::Value &launch) {
  LaunchPromise result;
  std::vector<int64_t> bytes;
  forEachIn(launch, "descriptors", [&](const llvm::json::Value &descriptor, unsigned) {
    const llvm::json::Object *object = descriptor.getAsObject();
    int64_t product = object ? bytesOfElement(object->getString("element").value_or("i8")) : 0;
    forEachIn(descriptor, "box", [&](const llvm::json::Value &extent, unsigned) {
      product *= extent.getAsInteger().value_or(0);
    });
    // A box that ends where the array does brings as many bytes as a launch has left.
    bytes.push_back(object && object->get("trim") ? 0 : product);
  });
  forEachIn(launch, "params", [&](const llvm::json::Value &param, unsigned number) {
    const llvm::json::Object *what = param.getAsObject();
    if (!what || what->getString("kind") != StringRef("descriptor"))
      return;
    size_t index = what->getInteger("index").value_or(-1);
    if (index < bytes.size() && bytes[index] > 0)
      result.boxes[number] = bytes[index];
  });
  const llvm::json::Object *object = launch.getAsObject();
  result.dependent = object && object->getBoolean("dependent").value_or(false);
  return result;
}

std::optional<LaunchPromises> tessera::launchPromises(std::string_view contractJson) {
  llvm::Expected<llvm::json::Value> contract = contract::parseJson(contractJson);
  if (!contract) {
    llvm::consumeError(contract.takeError());
    return std::nullopt;
  }
  LaunchPromises result;
  forEachIn(*contract, "kernels", [&](const llvm::json::Value &kernel, unsigned) {
    forEachIn(kernel, "variants", [&](const llvm::json::Value &variant, unsigned) {
      forEachIn(variant, "launches", [&](const llvm::json::Value &launch, unsigned) {
        const llvm::json::Object *object = launch.getAsObject();
        if (std::optional<StringRef> symbol = object ? object->getString("symbol") : std::nullopt)
          result[symbol->str()] = readLaunch(launch);
      });
    });
  });
  return result;
}
