// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The launches of a variant: their grids, parameters and tensor maps.
#include "KernelReader.h"
#include "tessera/Runtime/TensorMap.h"

namespace tessera::rt {

void KernelReader::readDescriptor(const JsonReader &reader, const Variant &variant,
                                  Descriptor &descriptor) {
  size_t rank = 0;
  if (reader.has("workspace")) {
    descriptor.ofWorkspace = true;
    descriptor.arg = static_cast<uint32_t>(
        reader.member("workspace").integer(0, static_cast<int64_t>(variant.workspaces.size()) - 1));
    if (!reader.failed())
      rank = variant.workspaces[descriptor.arg].sizes.size();
  } else {
    descriptor.arg = readMemrefIndex(reader.member("arg"));
    if (!reader.failed())
      rank = kernel.args[descriptor.arg].rank();
  }
  descriptor.element = readElement(reader.member("element"), /*scalar=*/false);
  JsonReader box = reader.member("box");
  size_t kept = box.arraySize(5);
  if (kept == 0)
    box.fail("expected 1 to 5 entries");
  for (size_t i = 0; i < kept && !reader.failed(); ++i)
    descriptor.box.push_back(box.at(i).integer(1, 256));
  if (reader.has("trim")) {
    JsonReader trim = reader.member("trim");
    if (version < versionOfTrim)
      trim.fail("is in contracts of version " + std::to_string(versionOfTrim) +
                ", this one is of version " + std::to_string(version));
    descriptor.trim = static_cast<uint32_t>(trim.integer(0, static_cast<int64_t>(kept) - 2));
  }
  if (reader.has("steps")) {
    JsonReader steps = reader.member("steps");
    if (version < versionOfSteps)
      steps.fail("is in contracts of version " + std::to_string(versionOfSteps) +
                 ", this one is of version " + std::to_string(version));
    if (reader.has("trim"))
      steps.fail("does not come with 'trim'");
    if (steps.arraySize(5) != kept)
      steps.fail("expected " + std::to_string(kept) + " entries, as in 'box'");
    for (size_t i = 0; i < kept && !reader.failed(); ++i)
      descriptor.steps.push_back(steps.at(i).integer(1, i + 1 == kept ? 1 : maxTensorMapStep));
  }

  if (reader.has("sizes"))
    readExprs(reader.member("sizes"), 5, descriptor.sizes);
  if (reader.has("strides"))
    readExprs(reader.member("strides"), 5, descriptor.strides);
  for (const auto *list : {&descriptor.sizes, &descriptor.strides})
    if (!list->empty() && list->size() != kept)
      reader.fail("'sizes' and 'strides' need as many entries as 'box'");

  bool needDims = descriptor.sizes.empty() || descriptor.strides.empty();
  if (needDims || reader.has("dims")) {
    JsonReader dims = reader.member("dims");
    if (dims.arraySize(5) != kept)
      dims.fail("expected " + std::to_string(kept) + " entries, as in 'box'");
    for (size_t i = 0; i < kept && !reader.failed(); ++i)
      descriptor.dims.push_back(
          static_cast<uint32_t>(dims.at(i).integer(0, static_cast<int64_t>(rank) - 1)));
  }
  descriptor.swizzle = reader.integerOr("swizzle", 0, 0, 128);
  if (descriptor.swizzle != 0 && descriptor.swizzle != 32 && descriptor.swizzle != 64 &&
      descriptor.swizzle != 128)
    reader.fail("swizzle is not 0, 32, 64 or 128");
  descriptor.interleave = reader.integerOr("interleave", 0, 0, 0);
  std::string oob = reader.stringOr("oob", "zero");
  if (oob != "zero" && oob != "nan")
    reader.fail("oob '" + oob + "' is neither 'zero' nor 'nan'");
  descriptor.nanFill = oob == "nan";
}

void KernelReader::readParam(const JsonReader &reader, const Variant &variant, const Launch &launch,
                             Graph &numbers, Param &param) {
  std::string kind = reader.member("kind").string();
  auto readIndex = [&](size_t count) {
    return static_cast<uint32_t>(
        reader.member("index").integer(0, static_cast<int64_t>(count) - 1));
  };
  if (kind == "pointer") {
    param.kind = Param::Kind::Pointer;
    param.arg = readMemrefIndex(reader.member("arg"));
  } else if (kind == "size" || kind == "stride") {
    param.kind = kind == "size" ? Param::Kind::Size : Param::Kind::Stride;
    param.arg = readMemrefIndex(reader.member("arg"));
    if (!reader.failed())
      param.dim = readDim(reader.member("dim"), param.arg);
  } else if (kind == "scalar") {
    param.kind = Param::Kind::Scalar;
    param.arg = readScalarIndex(reader.member("arg"), /*integerOnly=*/false);
  } else if (kind == "workspace") {
    param.kind = Param::Kind::Workspace;
    param.arg = readIndex(variant.workspaces.size());
  } else if (kind == "expr") {
    param.kind = Param::Kind::Expr;
    param.value = readNumber(reader.member("value"), numbers);
  } else if (kind == "descriptor") {
    param.kind = Param::Kind::Descriptor;
    param.arg = readIndex(launch.descriptors.size());
  } else if (kind == "places") {
    param.kind = Param::Kind::Places;
    if (!launch.places)
      reader.fail(
          "needs 'places' of the launch, the condition under which clusters are numbered by GPC");
  } else {
    reader.fail("unknown kind '" + kind + "'");
  }
}

void KernelReader::readLaunch(const JsonReader &reader, const Variant &variant, Launch &launch) {
  launch.symbol = reader.member("symbol").string();
  if (launch.symbol.empty() || launch.symbol.find('\0') != std::string::npos)
    reader.fail("'symbol' is no symbol");
  readExprs(reader.member("grid"), maxRank, launch.grid);
  launch.block = reader.integerOr("block", 1, 1, 1024);
  launch.shared = reader.integerOr("shared", 0, 0, 256 << 10);
  launch.cluster = reader.integerOr("cluster", 1, 1, 8);
  launch.dependent = reader.boolOr("dependent", false);
  if (reader.has("places")) {
    launch.places = readExpr(reader.member("places"));
    if (launch.cluster < 2)
      reader.fail("'places' is for launches with clusters of two or more blocks");
  }
  if (reader.has("descriptors")) {
    JsonReader list = reader.member("descriptors");
    size_t count = list.arraySize(maxDescriptors);
    launch.descriptors.resize(count);
    for (size_t i = 0; i < count && !reader.failed(); ++i)
      readDescriptor(list.at(i), variant, launch.descriptors[i]);
  }
  Graph numbers = reader.has("numbers") ? readNumbers(reader.member("numbers")) : Graph();
  JsonReader list = reader.member("params");
  size_t count = list.arraySize(maxList);
  launch.params.resize(count);
  for (size_t i = 0; i < count && !reader.failed(); ++i)
    readParam(list.at(i), variant, launch, numbers, launch.params[i]);
}

} // namespace tessera::rt
