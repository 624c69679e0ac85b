// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gives mutated files to the readers of the runtime: artifacts, contracts and .npy files. It is
// built with AddressSanitizer and UBSan, which end the process, and so does an allocation far
// larger than the file. A child process reads a batch; when it dies the next one goes on after the
// seed that killed it.
#include "Mutator.h"

#include "tessera/Runtime/Artifact.h"
#include "tessera/Runtime/NumpyFile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

using namespace tessera;
using fuzz::Random;

/// What sanitizers want to know before main.
extern "C" const char *__asan_default_options() {
  return "max_allocation_size_mb=64:detect_leaks=0";
}

namespace {

struct Seeds {
  std::vector<std::string> artifacts, contracts, arrays;
};

struct Counts {
  uint64_t current, read, refused;
};

constexpr uint64_t kBatch = 20000;
constexpr unsigned kSeconds = 20;

/// A number that sizes, offsets and counts may be compared with.
uint64_t interesting(Random &random, uint64_t size) {
  const uint64_t numbers[] = {0,
                              1,
                              7,
                              size,
                              size - 1,
                              size + 1,
                              0x7F,
                              0xFF,
                              0x7FFF,
                              0xFFFF,
                              0x7FFFFFFF,
                              0xFFFFFFFF,
                              0x7FFFFFFFFFFFFFFF,
                              0x8000000000000000,
                              ~uint64_t(0),
                              ~uint64_t(0) - size,
                              random.next()};
  return numbers[random.below(sizeof(numbers) / sizeof(numbers[0]))];
}

void mutateBytes(std::string &bytes, Random &random) {
  for (uint64_t i = 0, n = 1 + random.below(4); i < n; ++i) {
    if (bytes.empty())
      bytes = "x";
    // Headers and tables of files are at their ends.
    uint64_t range = random.below(2) ? bytes.size() : std::min<uint64_t>(bytes.size(), 256);
    uint64_t at = random.below(range);
    if (random.below(4) == 0)
      at = bytes.size() - 1 - at;
    switch (random.below(8)) {
    case 0:
      bytes[at] ^= static_cast<char>(1 << random.below(8));
      break;
    case 1:
      bytes[at] = static_cast<char>(random.next());
      break;
    case 2:
    case 3:
    case 4: {
      uint64_t number = interesting(random, bytes.size());
      uint64_t width = uint64_t(1) << random.below(4);
      std::memcpy(&bytes[at], &number, std::min<uint64_t>(width, bytes.size() - at));
      break;
    }
    case 5:
      bytes.resize(
          random.below(4) ? bytes.size() - random.below(std::min<uint64_t>(64, bytes.size())) : at);
      break;
    case 6: {
      uint64_t from = random.below(bytes.size()), count = 1 + random.below(16);
      bytes.insert(at, bytes.substr(from, count));
      break;
    }
    case 7:
      bytes.erase(at, 1 + random.below(16));
      break;
    }
  }
}

/// Tokens of JSON and of the header of a .npy file: numbers become others, parts go or come twice.
void mutateText(std::string &text, Random &random) {
  for (uint64_t i = 0, n = 1 + random.below(3); i < n && !text.empty(); ++i) {
    size_t at = random.below(text.size());
    if (random.below(3) != 0) { // the next number
      at = text.find_first_of("-0123456789", at);
      if (at == std::string::npos)
        continue;
      size_t end = text.find_first_not_of("-0123456789.eE", at);
      static const char *const numbers[] = {"0",
                                            "-1",
                                            "1",
                                            "3",
                                            "255",
                                            "65536",
                                            "2147483647",
                                            "2147483648",
                                            "4294967296",
                                            "1099511627776",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "9223372036854775808",
                                            "18446744073709551616",
                                            "1e400",
                                            "0.5",
                                            "null",
                                            "\"x\"",
                                            "[]",
                                            "{}",
                                            "true"};
      text.replace(at, end == std::string::npos ? std::string::npos : end - at,
                   numbers[random.below(sizeof(numbers) / sizeof(numbers[0]))]);
      continue;
    }
    // A part between two signs of structure goes, comes twice or moves.
    size_t end = text.find_first_of(",]}:", at + 1);
    if (end == std::string::npos)
      end = text.size();
    std::string part = text.substr(at, end - at);
    switch (random.below(4)) {
    case 0:
      text.erase(at, end - at);
      break;
    case 1:
      text.insert(at, part);
      break;
    case 2:
      text.insert(random.below(text.size()), part);
      break;
    case 3: { // deep nesting
      std::string open(random.below(2) ? 20000 : 40, random.below(2) ? '[' : '{');
      text.insert(at, open);
      break;
    }
    }
  }
}

bool readOne(const Seeds &seeds, uint64_t seed) {
  Random random(seed);
  std::string error;
  uint64_t which = random.below(10);
  bool good = false;
  if (which < 3 && !seeds.artifacts.empty()) {
    std::string bytes = seeds.artifacts[random.below(seeds.artifacts.size())];
    mutateBytes(bytes, random);
    rt::ArtifactKind kind;
    rt::Contract contract;
    good = rt::readArtifact(bytes, kind, contract, error);
  } else if (which < 8 && !seeds.contracts.empty()) {
    std::string text = seeds.contracts[random.below(seeds.contracts.size())];
    if (random.below(4))
      mutateText(text, random);
    else
      mutateBytes(text, random);
    std::string bytes = rt::wrapContract(text);
    if (random.below(8) == 0)
      mutateBytes(bytes, random);
    rt::Contract contract;
    good = rt::parseContract(bytes, contract, error);
  } else {
    std::string bytes = seeds.arrays[random.below(seeds.arrays.size())];
    if (random.below(2))
      mutateText(bytes, random);
    else
      mutateBytes(bytes, random);
    rt::NumpyArray array;
    good = rt::parseNumpy(std::move(bytes), array, error);
    // What is accepted has the size that it says.
    if (good && array.data.size() != static_cast<uint64_t>(array.count()) * array.itemSize())
      abort();
  }
  // A reader that fails says why.
  if (!good && error.empty())
    abort();
  return good;
}

/// Reads a batch in a child and returns the seed after the last one that is finished.
uint64_t runBatch(const Seeds &seeds, uint64_t from, uint64_t to, Counts *shared, uint64_t &bad) {
  shared->current = from;
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    for (uint64_t seed = from; seed < to; ++seed) {
      shared->current = seed;
      if (seed % 256 == from % 256) {
        // Of the processor: the machine may be busy with other things.
        itimerval limit{{0, 0}, {kSeconds, 0}};
        setitimer(ITIMER_VIRTUAL, &limit, nullptr);
      }
      ++(readOne(seeds, seed) ? shared->read : shared->refused);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return to;
  ++bad;
  std::fprintf(stderr, "seed %llu: %s; to see it: --count=1 --seed=%llu\n",
               static_cast<unsigned long long>(shared->current),
               WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM ? "a reader hangs"
                                                                    : "a reader ends the process",
               static_cast<unsigned long long>(shared->current));
  return shared->current + 1;
}

Seeds readSeeds(const std::vector<std::string> &paths) {
  Seeds seeds;
  for (const std::string &path : paths) {
    std::string bytes, error;
    rt::ArtifactKind kind;
    rt::Contract contract;
    const bool isText = path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0;
    if (isText && rt::readFile(path, bytes, error) &&
        rt::parseContract(rt::wrapContract(bytes), contract, error)) {
      seeds.contracts.push_back(bytes);
      continue;
    }
    if (!rt::readFile(path, bytes, error) || !rt::readArtifact(bytes, kind, contract, error)) {
      std::fprintf(stderr, "reader-fuzz: %s: %s\n", path.c_str(), error.c_str());
      exit(1);
    }
    seeds.artifacts.push_back(bytes);
    seeds.contracts.push_back(contract.text);
  }
  using rt::Element;
  for (auto [element, shape, size] :
       {std::tuple<Element, std::vector<int64_t>, size_t>{Element::F32, {3, 5}, 60},
        {Element::BF16, {7}, 14},
        {Element::I64, {}, 8},
        {Element::I1, {0, 4}, 0},
        {Element::F64, {1, 2, 2, 1}, 32}})
    seeds.arrays.push_back(rt::numpyHeader(element, shape) + std::string(size, '\1'));
  return seeds;
}

} // namespace

int main(int argc, char **argv) {
  uint64_t first = 1, count = 100000, bad = 0;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.rfind("--seed=", 0) == 0)
      first = std::strtoull(argv[i] + 7, nullptr, 10);
    else if (argument.rfind("--count=", 0) == 0)
      count = std::strtoull(argv[i] + 8, nullptr, 10);
    else if (argument[0] == '-') {
      std::fprintf(stderr, "reader-fuzz [--seed=N] [--count=N] ARTIFACT|CONTRACT.json…\n");
      return 1;
    } else
      paths.push_back(argument);
  }
  Seeds seeds = readSeeds(paths);
  auto *shared = static_cast<Counts *>(
      mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED)
    return 1;
  *shared = Counts{};
  for (uint64_t seed = first, end = first + count; seed < end;)
    seed = runBatch(seeds, seed, std::min(seed + kBatch, end), shared, bad);
  std::printf("%llu read, %llu refused, %llu bad\n", static_cast<unsigned long long>(shared->read),
              static_cast<unsigned long long>(shared->refused),
              static_cast<unsigned long long>(bad));
  return bad ? 1 : 0;
}
