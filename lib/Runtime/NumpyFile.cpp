// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/NumpyFile.h"

#include "tessera/Runtime/Artifact.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::rt {

namespace {
constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t maxRank = 32;

/// Reads the Python dictionary of a header, for example {'descr': '<f4', 'fortran_order': False,
/// 'shape': (3, 4), }.
class HeaderParser {
public:
  HeaderParser(std::string_view text, std::string &error) : text(text), error(error) {}

  bool parse(NumpyArray &array) {
    bool fortran = false, haveDescr = false, haveOrder = false, haveShape = false;
    if (!expect('{'))
      return fail("its header is no dictionary");
    while (!accept('}')) {
      std::string key;
      if (!parseString(key) || !expect(':'))
        return fail("its header is malformed");
      if (key == "descr") {
        skip();
        if (at < text.size() && (text[at] == '[' || text[at] == '('))
          return fail("structured dtypes are not supported");
        haveDescr = parseString(array.dtype);
        if (!haveDescr)
          return fail("its dtype is malformed");
      } else if (key == "fortran_order") {
        haveOrder = true;
        if (acceptWord("True"))
          fortran = true;
        else if (!acceptWord("False"))
          return fail("its fortran_order is malformed");
      } else if (key == "shape") {
        haveShape = parseShape(array.shape);
        if (!haveShape)
          return fail("its shape is malformed");
      } else {
        return fail("its header has the unknown key '" + key + "'");
      }
      if (!accept(',') && !(skip(), at < text.size() && text[at] == '}'))
        return fail("its header is malformed");
    }
    if (!haveDescr || !haveOrder || !haveShape)
      return fail("its header lacks descr, fortran_order or shape");
    // If at most one dimension is longer than 1, both orders are the same.
    auto isLong = [](int64_t size) { return size > 1; };
    if (fortran && std::count_if(array.shape.begin(), array.shape.end(), isLong) > 1)
      return fail("it is in Fortran order; save numpy.ascontiguousarray(x) instead");
    return true;
  }

private:
  bool fail(const std::string &message) {
    error = message;
    return false;
  }
  void skip() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  bool accept(char c) {
    skip();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool expect(char c) { return accept(c); }
  bool acceptWord(std::string_view word) {
    skip();
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }
  bool parseString(std::string &out) {
    skip();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    char quote = text[at++];
    size_t end = text.find(quote, at);
    if (end == std::string_view::npos)
      return false;
    out = std::string(text.substr(at, end - at));
    at = end + 1;
    return true;
  }
  bool parseShape(std::vector<int64_t> &shape) {
    if (!expect('('))
      return false;
    while (!accept(')')) {
      skip();
      int64_t size = 0;
      size_t start = at;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, text[at] - '0', &size))
          return false;
      if (at == start || shape.size() >= maxRank)
        return false;
      accept('L'); // Python 2
      shape.push_back(size);
      if (!accept(',') && !(skip(), at < text.size() && text[at] == ')'))
        return false;
    }
    return true;
  }

  std::string_view text;
  std::string &error;
  size_t at = 0;
};

/// The dtype without the character of its byte order.
std::string_view bare(std::string_view dtype) {
  if (!dtype.empty() && (dtype[0] == '<' || dtype[0] == '|' || dtype[0] == '='))
    dtype.remove_prefix(1);
  return dtype;
}

/// The size of an element: of a dtype with one letter and a size, or of a name of ml_dtypes; 0 for
/// others.
size_t sizeOf(std::string_view dtype) {
  std::string_view name = bare(dtype);
  if (name == "bfloat16")
    return 2;
  if (name == "float8_e4m3fn" || name == "float8_e5m2")
    return 1;
  if (name.size() != 2 || std::string_view("fiubV").find(name[0]) == std::string_view::npos ||
      std::string_view("1248").find(name[1]) == std::string_view::npos)
    return 0;
  return static_cast<size_t>(name[1] - '0');
}
} // namespace

int64_t NumpyArray::count() const {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size; // the parser has checked that this does not overflow
  return result;
}

size_t NumpyArray::itemSize() const { return sizeOf(dtype); }

bool NumpyArray::accepts(Element element) const {
  std::string_view name = bare(dtype);
  auto isOneOf = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  switch (element) {
  case Element::F64:
    return isOneOf({"f8"});
  case Element::F32:
    return isOneOf({"f4"});
  case Element::F16:
    return isOneOf({"f2"});
  case Element::BF16:
    return isOneOf({"V2", "u2", "bfloat16"});
  case Element::F8E4M3FN:
    return isOneOf({"V1", "u1", "float8_e4m3fn"});
  case Element::F8E5M2:
    return isOneOf({"V1", "u1", "float8_e5m2"});
  case Element::I64:
  case Element::Index:
    return isOneOf({"i8", "u8"});
  case Element::I32:
    return isOneOf({"i4", "u4"});
  case Element::I16:
    return isOneOf({"i2", "u2"});
  case Element::I8:
    return isOneOf({"i1", "u1"});
  case Element::I1:
    return isOneOf({"b1"});
  }
  return false;
}

std::optional<Element> NumpyArray::element() const {
  std::string_view name = bare(dtype);
  static constexpr std::pair<std::string_view, Element> known[] = {
      {"f8", Element::F64},
      {"f4", Element::F32},
      {"f2", Element::F16},
      {"i8", Element::I64},
      {"u8", Element::I64},
      {"i4", Element::I32},
      {"u4", Element::I32},
      {"i2", Element::I16},
      {"u2", Element::I16},
      {"i1", Element::I8},
      {"u1", Element::I8},
      {"b1", Element::I1},
      {"bfloat16", Element::BF16},
      {"float8_e4m3fn", Element::F8E4M3FN},
      {"float8_e5m2", Element::F8E5M2}};
  for (const auto &[dtypeName, element] : known)
    if (dtypeName == name)
      return element;
  return std::nullopt;
}

bool parseNumpy(std::string bytes, NumpyArray &array, std::string &error) {
  array = NumpyArray();
  auto fail = [&](const std::string &message) {
    error = message;
    return false;
  };
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() < 10 || std::string_view(bytes).substr(0, 6) != magic)
    return fail("it is no .npy file");
  size_t version = byte(6), start, length;
  if (version == 1) {
    start = 10;
    length = byte(8) | byte(9) << 8;
  } else if ((version == 2 || version == 3) && bytes.size() >= 12) {
    start = 12;
    length = byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  } else {
    return fail("it has .npy version " + std::to_string(version) + ", known are 1 to 3");
  }
  if (length > bytes.size() - start)
    return fail("its header is truncated");
  if (!HeaderParser(std::string_view(bytes).substr(start, length), error).parse(array))
    return false;
  if (!array.dtype.empty() && array.dtype[0] == '>')
    return fail("it is big-endian; save x.astype(x.dtype.newbyteorder('<')) instead");
  size_t item = sizeOf(array.dtype);
  if (!item)
    return fail("dtype '" + array.dtype + "' is not supported");
  auto total = static_cast<int64_t>(item);
  bool overflow = false, empty = false;
  for (int64_t size : array.shape)
    empty |= size == 0;
  for (int64_t size : array.shape)
    overflow |= __builtin_mul_overflow(total, size, &total);
  if (overflow && !empty)
    return fail("its size overflows 64 bits");
  size_t expected = empty ? 0 : static_cast<size_t>(total), have = bytes.size() - start - length;
  if (have != expected)
    return fail("it has " + std::to_string(have) + " bytes of data, its shape needs " +
                std::to_string(expected));
  bytes.erase(0, start + length);
  array.data = std::move(bytes);
  return true;
}

bool readNumpy(const std::string &path, NumpyArray &array, std::string &error) {
  std::string bytes;
  if (!readFile(path, bytes, error))
    return false;
  if (parseNumpy(std::move(bytes), array, error))
    return true;
  error = "'" + path + "': " + error;
  return false;
}

std::string numpyHeader(Element element, const std::vector<int64_t> &shape) {
  static constexpr std::string_view dtypes[] = {"<f8", "<f4", "<f2", "|V2", "|u1", "|u1",
                                                "<i8", "<i4", "<i2", "|i1", "|b1", "<i8"};
  std::string text = "{'descr': '";
  text += dtypes[static_cast<size_t>(element)];
  text += "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < shape.size(); ++d)
    text += (d ? ", " : "") + std::to_string(shape[d]);
  text += shape.size() == 1 ? ",), }" : "), }";
  // The data of a file must start at a multiple of 64 bytes.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

bool writeNumpy(const std::string &path, Element element, const std::vector<int64_t> &shape,
                std::string_view data, std::string &error) {
  // The data is written to another file, which is then renamed. So a reader sees either the whole
  // old file or the whole new one. A device, a pipe or a link is written to directly.
  struct stat status = {};
  const bool isThere = lstat(path.c_str(), &status) == 0;
  const bool isFile = isThere && S_ISREG(status.st_mode) && access(path.c_str(), W_OK) == 0;
  std::string temporary = path + ".tmp-" + std::to_string(getpid());
  std::FILE *file = isThere && !isFile ? nullptr : std::fopen(temporary.c_str(), "wbx");
  const bool replaces = file != nullptr;
  if (!file)
    file = std::fopen(path.c_str(), "wb");
  if (!file) {
    error = "cannot write '" + path + "': " + std::strerror(errno);
    return false;
  }
  std::string header = numpyHeader(element, shape);
  bool good = std::fwrite(header.data(), 1, header.size(), file) == header.size() &&
              std::fwrite(data.data(), 1, data.size(), file) == data.size() &&
              (!replaces || !isFile || fchmod(fileno(file), status.st_mode & 07777) == 0);
  good &= std::fclose(file) == 0;
  good = good && (!replaces || std::rename(temporary.c_str(), path.c_str()) == 0);
  if (good)
    return true;
  error = "cannot write '" + path + "': " + std::strerror(errno);
  if (replaces)
    std::remove(temporary.c_str());
  return false;
}

} // namespace tessera::rt
