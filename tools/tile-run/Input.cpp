// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input.h"

#include "CommandLine.h"
#include "Random.h"
#include "tessera/Runtime/NumpyFile.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace tile_run {

using namespace tessera::rt;

namespace {
using Kind = ArgSpec::Kind;

bool parseKind(const std::string &name, Kind &kind) {
  static constexpr std::pair<std::string_view, Kind> kinds[] = {
      {"randn", Kind::Randn}, {"randint", Kind::Randint}, {"zeros", Kind::Zeros},
      {"ones", Kind::Ones},   {"arange", Kind::Arange},   {"nan", Kind::Nan},
      {"list", Kind::List}};
  for (const auto &[known, value] : kinds)
    if (known == name) {
      kind = value;
      return true;
    }
  return false;
}

/// Parses a type such as "4096x4096xbf16"; "f32" has rank 0.
bool parseType(const std::string &text, ArgSpec &spec) {
  std::vector<std::string> parts = split(text, 'x');
  // The name "index" contains an x.
  if (parts.size() >= 2 && parts[parts.size() - 2] == "inde" && parts.back().empty()) {
    parts.pop_back();
    parts.back() = "index";
  }
  if (parts.empty())
    return false;
  std::optional<Element> element = parseElement(parts.back());
  if (!element)
    return false;
  spec.element = *element;
  int64_t total = static_cast<int64_t>(elementSize(*element));
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    long long size;
    if (!parseInteger(parts[i], size) || size < 0 ||
        __builtin_mul_overflow(total, size ? size : 1, &total))
      return false;
    spec.shape.push_back(size);
  }
  return true;
}

/// Parses what follows the type or the file name: "seed=1", "strides=8,1", "rtol=1e-3,atol=0".
void parseExtensions(const std::vector<std::string> &parts, size_t from, ArgSpec &spec,
                     const std::string &what) {
  std::string key;
  for (size_t i = from; i < parts.size(); ++i)
    for (std::string item : split(parts[i], ',')) {
      auto malformed = [&] { fail(what + ": '" + item + "' in '" + spec.text + "' is malformed"); };
      size_t equal = item.find('=');
      std::string value = item;
      if (equal != std::string::npos) {
        key = item.substr(0, equal);
        value = item.substr(equal + 1);
      } else if (key != "strides" && key != "values") {
        malformed(); // only these may be lists
      }
      long long integer = 0;
      double number = 0;
      bool isInteger = parseInteger(value, integer), isNumber = parseDouble(value, number);
      if (key == "strides" && isInteger) {
        if (!spec.strides || equal != std::string::npos)
          spec.strides.emplace();
        spec.strides->push_back(integer);
      } else if (key == "values" && isNumber) {
        spec.values.push_back(number);
      } else if (key == "offset" && isInteger && integer >= 0 && integer < (1ll << 40)) {
        spec.offset = integer;
      } else if (key == "seed" && isInteger && integer >= 0) {
        spec.seed = static_cast<uint64_t>(integer);
      } else if (key == "scale" && isNumber) {
        spec.scale = number;
      } else if (key == "start" && isNumber) {
        spec.start = number;
      } else if (key == "step" && isNumber) {
        spec.step = number;
      } else if (key == "low" && isInteger) {
        spec.low = integer;
      } else if (key == "high" && isInteger) {
        spec.high = integer;
      } else if (key == "rtol" && isNumber && number >= 0) {
        spec.rtol = number;
      } else if (key == "atol" && isNumber && number >= 0) {
        spec.atol = number;
      } else {
        malformed();
      }
    }
  if (spec.low > spec.high)
    fail(what + ": low is greater than high in '" + spec.text + "'");
}

double generate(const ArgSpec &spec, uint64_t seed, int64_t i) {
  auto index = static_cast<uint64_t>(i);
  switch (spec.kind) {
  case Kind::Randn: {
    double value = randomNormal(seed, index) * spec.scale;
    if (spec.element == Element::I1)
      return value > 0;
    return isFloat(spec.element) ? value : std::nearbyint(3 * value);
  }
  case Kind::Arange:
    return spec.start + spec.step * static_cast<double>(i);
  case Kind::Ones:
    return spec.scale;
  case Kind::List:
    return spec.values[index];
  default:
    return 0;
  }
}

/// `addresses:` is removed from `text`. Arrays are separated by commas, as are the numbers of
/// `strides` and `values` in them: a piece that is a number belongs to the piece before it.
void parseAddresses(const std::string &text, ArgSpec &spec, const std::string &what) {
  std::vector<std::string> pieces;
  for (const std::string &piece : split(text, ',')) {
    double number;
    if (!pieces.empty() && parseDouble(piece, number))
      pieces.back() += "," + piece;
    else
      pieces.push_back(piece);
  }
  spec.kind = Kind::Addresses;
  spec.element = Element::I64;
  for (const std::string &piece : pieces) {
    ArgSpec array;
    if (!piece.empty() && piece[0] == '@') {
      array.kind = Kind::Place;
      array.text = piece;
      size_t plus = piece.find('+');
      array.path = piece.substr(1, plus == std::string::npos ? plus : plus - 1);
      long long offset = 0;
      if (plus != std::string::npos &&
          (!parseInteger(piece.substr(plus + 1), offset) || offset < 0))
        fail(what + ": '" + piece + "' is no place in an argument, such as @A or @A+64");
      array.offset = offset;
    } else {
      array = parseArgSpec(piece, what);
      if (array.kind == Kind::Number || array.kind == Kind::Addresses)
        fail(what + ": '" + piece +
             "' is no array: a table of addresses has files, generators, and " +
             "places in other arguments such as @A+64");
    }
    spec.arrays.push_back(std::move(array));
  }
}
} // namespace

int64_t HostArray::count() const {
  return static_cast<int64_t>(data.size() / elementSize(element));
}

ArgSpec parseArgSpec(const std::string &text, const std::string &what) {
  ArgSpec spec;
  spec.text = text;
  if (text.rfind("addresses:", 0) == 0) {
    parseAddresses(text.substr(10), spec, what);
    return spec;
  }
  // The name of a file may contain colons. It ends with the first ".npy" before a colon or the end.
  for (size_t at = text.find(".npy"); at != std::string::npos; at = text.find(".npy", at + 1)) {
    size_t end = at + 4;
    if (end != text.size() && text[end] != ':')
      continue;
    spec.kind = Kind::File;
    spec.path = text.substr(0, end);
    if (end < text.size())
      parseExtensions(split(text.substr(end + 1), ':'), 0, spec, what);
    return spec;
  }
  std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2)
    return spec; // it is a number
  if (!parseKind(parts[0], spec.kind))
    fail(what + ": '" + parts[0] + "' is no generator (randn, randint, zeros, ones, arange, nan, " +
         "list, addresses)");
  if (!parseType(parts[1], spec))
    fail(what + ": '" + parts[1] + "' is no type such as 64x128xbf16");
  parseExtensions(parts, 2, spec, what);
  int64_t count = 1;
  for (int64_t extent : spec.shape)
    count *= extent;
  if (spec.kind == Kind::List && static_cast<int64_t>(spec.values.size()) != count)
    fail(what + ": '" + text + "' has " + std::to_string(spec.values.size()) + " values for " +
         std::to_string(count) + " elements");
  return spec;
}

HostArray makeArray(const ArgSpec &spec, Element wanted, bool anyType, size_t index,
                    const std::string &what, ThreadPool &pool) {
  HostArray array;
  if (spec.kind == Kind::Addresses && wanted != Element::I64)
    fail(what + ": addresses are of type i64, its elements of type " +
         std::string(elementName(wanted)));
  if (spec.kind == Kind::Addresses) {
    array.element = Element::I64;
    array.shape = {static_cast<int64_t>(spec.arrays.size())};
    array.data.resize(8 * spec.arrays.size());
    return array;
  }
  if (spec.kind == Kind::Number)
    fail(what + ": expected an array, '" + spec.text +
         "' is neither a .npy file nor a generator such as zeros:64x64xf32");
  if (spec.kind == Kind::File) {
    NumpyArray file;
    std::string error;
    if (!readNumpy(spec.path, file, error))
      fail(what + ": " + error);
    array.element = wanted;
    if (!file.accepts(wanted)) {
      std::optional<Element> own = file.element();
      if (!anyType || !own)
        fail(what + ": element type must be " + std::string(elementName(wanted)) + ", '" +
             spec.path + "' has dtype " + file.dtype);
      array.element = *own;
    }
    array.shape = file.shape;
    array.data = std::move(file.data);
    if (array.element == Element::I1)
      for (char &byte : array.data)
        byte = byte != 0;
    return array;
  }
  if (spec.element != wanted && !anyType)
    fail(what + ": element type must be " + std::string(elementName(wanted)) + ", '" + spec.text +
         "' has " + std::string(elementName(spec.element)));
  array.element = spec.element;
  array.shape = spec.shape;
  size_t size = elementSize(spec.element);
  int64_t count = 1;
  for (int64_t extent : spec.shape)
    count *= extent; // the parser has checked this product
  array.data.resize(static_cast<size_t>(count) * size);
  uint64_t seed = spec.seed.value_or(index), pattern = poison(spec.element);
  pool.parallelFor(count, 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      char *to = array.data.data() + static_cast<size_t>(i) * size;
      if (spec.kind == Kind::Nan)
        std::memcpy(to, &pattern, size);
      else if (spec.kind == Kind::List && !isFloat(spec.element))
        storeInteger(spec.element, static_cast<int64_t>(spec.values[static_cast<size_t>(i)]), to);
      else if (spec.kind == Kind::Randint)
        storeInteger(spec.element,
                     randomInteger(seed, static_cast<uint64_t>(i), spec.low, spec.high), to);
      else
        storeNumber(spec.element, generate(spec, seed, i), to);
    }
  });
  return array;
}

uint64_t makeScalar(const ArgSpec &spec, Element type, const std::string &what) {
  std::string name(elementName(type));
  if (spec.kind != Kind::Number)
    fail(what + ": expected a number of type " + name + ", not '" + spec.text + "'");
  uint64_t bits = 0;
  if (isFloat(type)) {
    double value;
    if (!parseDouble(spec.text, value))
      fail(what + ": '" + spec.text + "' is no number of type " + name);
    storeNumber(type, value, &bits);
    return bits;
  }
  long long value;
  if (type == Element::I1 && (spec.text == "true" || spec.text == "false"))
    return spec.text == "true";
  if (!parseInteger(spec.text, value))
    fail(what + ": '" + spec.text + "' is no number of type " + name);
  unsigned width = type == Element::I1 ? 1 : 8 * static_cast<unsigned>(elementSize(type));
  // The bits may be given as a signed or as an unsigned number.
  if (width < 64 && (value < -(1ll << (width - 1)) || value >= (1ll << width)))
    fail(what + ": " + spec.text + " does not fit " + name);
  storeInteger(type, value, &bits);
  return bits;
}

uint64_t poison(Element element) {
  uint64_t bits = 0;
  if (isFloat(element))
    storeNumber(element, std::nan(""), &bits);
  else if (element == Element::I1)
    bits = 1;
  else
    bits = 0x5a5a5a5a5a5a5a5a;
  return bits;
}

std::string printShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d)
    text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + "]";
}

std::string printIndex(const std::vector<int64_t> &shape, int64_t linear) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = linear % shape[d];
    linear /= shape[d];
  }
  return printShape(index);
}

std::string printNumber(Element element, const void *data) {
  char text[40];
  if (isFloat(element)) {
    double value = loadNumber(element, data);
    if (std::isnan(value))
      return "nan"; // printed without a sign, which has no meaning
    std::snprintf(text, sizeof(text), "%.9g", value);
  } else {
    std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(loadInteger(element, data)));
  }
  return text;
}

} // namespace tile_run
