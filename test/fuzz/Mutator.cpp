// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mutator.h"

#include <cctype>

using namespace tessera::fuzz;

uint64_t Random::next() {
  // splitmix64
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

namespace {

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%' ||
         c == '@';
}

/// Words, numbers, single signs and blanks; joined they give the text back.
std::vector<std::string> tokenize(std::string_view text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (std::isdigit(static_cast<unsigned char>(text[i])))
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))
        ++end;
    else if (isWord(text[i]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    else if (std::isspace(static_cast<unsigned char>(text[i])))
      while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])))
        ++end;
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < text.size();) {
    size_t end = text.find('\n', i);
    end = end == std::string_view::npos ? text.size() : end + 1;
    lines.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return lines;
}

std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += part;
  return text;
}

/// Delete, double, swap or move one of the parts.
void shuffle(std::vector<std::string> &parts, Random &random) {
  if (parts.size() < 2)
    return;
  size_t i = random.below(parts.size()), j = random.below(parts.size());
  switch (random.below(4)) {
  case 0:
    parts.erase(parts.begin() + i);
    break;
  case 1:
    parts.insert(parts.begin() + i, std::string(parts[i]));
    break;
  case 2:
    std::swap(parts[i], parts[j]);
    break;
  case 3: {
    std::string part = parts[i];
    parts.erase(parts.begin() + i);
    parts.insert(parts.begin() + std::min(j, parts.size()), part);
    break;
  }
  }
}

std::string otherNumber(Random &random) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "5",
                                        "7",
                                        "8",
                                        "16",
                                        "17",
                                        "31",
                                        "32",
                                        "48",
                                        "63",
                                        "64",
                                        "65",
                                        "96",
                                        "100",
                                        "127",
                                        "128",
                                        "129",
                                        "192",
                                        "255",
                                        "256",
                                        "257",
                                        "1024",
                                        "4096",
                                        "65536",
                                        "2147483648",
                                        "4294967296",
                                        "9223372036854775807",
                                        "18446744073709551616",
                                        "-1"};
  return numbers[random.below(sizeof(numbers) / sizeof(numbers[0]))];
}

std::string otherType(Random &random) {
  static const char *const types[] = {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2",
                                      "i64", "i32", "i16", "i8",   "i1",       "index"};
  return types[random.below(sizeof(types) / sizeof(types[0]))];
}

bool isNumber(const std::string &token) {
  return std::isdigit(static_cast<unsigned char>(token[0]));
}

bool isType(const std::string &token) {
  // "f32", and "xf32" after a shape.
  std::string_view name = token;
  if (name.size() > 2 && name[0] == 'x')
    name.remove_prefix(1);
  return name == "index" || (name.size() >= 2 && name.size() <= 8 &&
                             (name[0] == 'f' || name[0] == 'i' || name.substr(0, 2) == "bf") &&
                             std::isdigit(static_cast<unsigned char>(
                                 name.back() == 'N' || name[0] == 'b' ? name[2] : name[1])));
}

void replaceOne(std::vector<std::string> &tokens, Random &random,
                bool (*which)(const std::string &), std::string (*with)(Random &)) {
  std::vector<size_t> places;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (which(tokens[i]))
      places.push_back(i);
  if (places.empty())
    return;
  std::string &token = tokens[places[random.below(places.size())]];
  std::string replacement = with(random);
  // Often all equal tokens at once: consistent programs get further.
  std::string prefix = token[0] == 'x' ? "x" : "", old = token;
  bool all = random.below(2);
  token = prefix + replacement;
  if (all)
    for (std::string &other : tokens)
      if (other == old)
        other = prefix + replacement;
}

/// A word becomes one of another text: names of ops, attributes and values where others stand.
void replaceWord(std::vector<std::string> &tokens, std::string_view other, Random &random) {
  auto isName = [](const std::string &token) {
    return isWord(token[0]) && !std::isdigit(static_cast<unsigned char>(token[0]));
  };
  std::vector<std::string> others = tokenize(other);
  for (unsigned tries = 0; tries < 16 && !tokens.empty() && !others.empty(); ++tries) {
    std::string &token = tokens[random.below(tokens.size())];
    const std::string &word = others[random.below(others.size())];
    if (isName(token) && isName(word)) {
      token = word;
      return;
    }
  }
}

/// Bytes go, come or change; signs of the language more often than others.
void mutateBytes(std::string &text, Random &random) {
  static const char signs[] = "{}[]()<>,:=%#@!\"?*+-x.\\/^\0\n\x7f\x80\xc3\xe2\xff";
  for (uint64_t i = 0, n = 1 + random.below(3); i < n && !text.empty(); ++i) {
    size_t at = random.below(text.size());
    char sign =
        random.below(4) ? signs[random.below(sizeof(signs) - 1)] : static_cast<char>(random.next());
    switch (random.below(4)) {
    case 0:
      text[at] = sign;
      break;
    case 1:
      text.insert(at, 1, sign);
      break;
    case 2:
      text.erase(at, 1 + random.below(8));
      break;
    case 3:
      text.resize(random.below(16) ? at + (text.size() - at) / 2 : at);
      break;
    }
  }
}

} // namespace

std::string tessera::fuzz::mutate(const std::vector<std::string> &texts, uint64_t seed) {
  Random random(seed);
  std::string text = texts[random.below(texts.size())];
  for (uint64_t i = 0, n = 1 + random.below(3); i < n; ++i) {
    switch (random.below(10)) {
    case 0: {
      std::vector<std::string> lines = splitLines(text);
      shuffle(lines, random);
      text = join(lines);
      break;
    }
    case 1: {
      std::vector<std::string> tokens = tokenize(text);
      shuffle(tokens, random);
      text = join(tokens);
      break;
    }
    case 2: { // a line of another text
      std::vector<std::string> lines = splitLines(text);
      std::vector<std::string> others = splitLines(texts[random.below(texts.size())]);
      if (!lines.empty() && !others.empty())
        lines.insert(lines.begin() + random.below(lines.size()),
                     others[random.below(others.size())]);
      text = join(lines);
      break;
    }
    case 3:
    case 4: {
      std::vector<std::string> tokens = tokenize(text);
      replaceOne(tokens, random, isType, otherType);
      text = join(tokens);
      break;
    }
    case 5: {
      std::vector<std::string> tokens = tokenize(text);
      replaceWord(tokens, texts[random.below(texts.size())], random);
      text = join(tokens);
      break;
    }
    case 6:
      mutateBytes(text, random);
      break;
    default: {
      std::vector<std::string> tokens = tokenize(text);
      replaceOne(tokens, random, isNumber, otherNumber);
      text = join(tokens);
      break;
    }
    }
  }
  return text;
}
