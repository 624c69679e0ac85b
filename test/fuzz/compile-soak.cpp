// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles many programs in one process, as a server does: valid ones and broken ones, to all kinds
// of output, in several threads, with random cancellations and timeouts. In the end no memory,
// child process or temporary file may be left.
//
//   compile-soak [--count=N] [--workers=N] [--seed=N] [--growth-mib=N] PROGRAM...
//
// The first tenth of the compilations warms up. After it the resident memory may grow by no more
// than --growth-mib (default 64), and the address space is capped at twice that and a quarter of a
// GiB for each thread. Prints what became of the compilations. Exit code 1 if something is left.
#include "tessera/Compiler.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <random>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cl = llvm::cl;
namespace fs = llvm::sys::fs;
using namespace tessera;

static cl::opt<unsigned> count("count", cl::init(100));
static cl::opt<unsigned> threadCount("workers", cl::init(2));
static cl::opt<unsigned> seed("seed", cl::init(1));
static cl::opt<unsigned> growthMiB("growth-mib", cl::init(64));
static cl::list<std::string> programs(cl::Positional, cl::OneOrMore);

/// Pages of /proc/self/statm, in bytes: the address space, then what is resident.
static std::pair<uint64_t, uint64_t> memory() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  file >> all >> resident;
  const uint64_t page = sysconf(_SC_PAGESIZE);
  return {all * page, resident * page};
}

namespace {
struct Counts {
  std::atomic<unsigned> ok{0}, errors{0}, cancelled{0}, timedOut{0};
};

class Soak {
public:
  Soak(std::vector<std::string> sources, std::string directory)
      : sources(std::move(sources)), directory(std::move(directory)) {}
  /// Compiles until `end` compilations have been begun, by all threads.
  void run(unsigned end);

  Counts counts;

private:
  void compileOne(unsigned number);
  const std::vector<std::string> sources;
  const std::string directory;
  std::atomic<unsigned> next{0};
};
} // namespace

/// Breaks a text at a random place.
static void damage(std::string &text, std::mt19937 &random) {
  const size_t at = random() % text.size();
  switch (random() % 3) {
  case 0:
    text.resize(at);
    break;
  case 1:
    text[at] = static_cast<char>(random());
    break;
  default:
    text.erase(at, random() % 20);
  }
}

void Soak::compileOne(unsigned number) {
  std::mt19937 random(seed * 1000003 + number);
  auto chance = [&](unsigned in) { return random() % in == 0; };
  std::string source = sources[random() % sources.size()];
  if (chance(4))
    damage(source, random);
  constexpr Emit kinds[] = {Emit::Tile, Emit::Raw, Emit::Placed, Emit::Allocated,
                            Emit::Nvvm, Emit::Ptx, Emit::Json};
  CompileOptions options;
  options.emit = kinds[random() % std::size(kinds)];
  options.tempDir = directory;
  options.threads = 1;
  if (chance(20))
    options.emit = Emit::Cubin;
  else if (chance(10)) {
    options.target = Target::Cpu;
    options.emit = chance(2) ? Emit::SharedObject : Emit::Llvm;
  }
  Cancellation cancellation;
  std::thread canceller;
  if (chance(8))
    options.timeout = 1e-3 * (1 + random() % 40);
  if (chance(8)) {
    options.cancellation = &cancellation;
    canceller = std::thread([&cancellation, pause = random() % 40000] {
      usleep(pause);
      cancellation.cancel();
    });
  } else if (chance(16)) {
    options.progress = [left = random() % 20](const CompileProgress &) mutable {
      return left-- > 0;
    };
  }
  CompileResult result = compile(source, options);
  if (canceller.joinable())
    canceller.join();
  ++(result.stopped == StopCondition::Reason::Cancelled  ? counts.cancelled
     : result.stopped == StopCondition::Reason::TimedOut ? counts.timedOut
     : result.ok                                         ? counts.ok
                                                         : counts.errors);
}

void Soak::run(unsigned end) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < threadCount; ++t)
    threads.emplace_back([&] {
      while (true) {
        const unsigned number = next++;
        if (number >= end) {
          --next;
          return;
        }
        compileOne(number);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

static bool complain(const llvm::Twine &message) {
  llvm::errs() << "compile-soak: error: " << message << "\n";
  return false;
}

/// No child process, and no file in the directory.
static bool nothingIsLeft(const std::string &directory) {
  bool isClean = true;
  int status;
  if (pid_t child = waitpid(-1, &status, WNOHANG); child >= 0 || errno != ECHILD)
    isClean = complain("a child process is left: " + llvm::Twine(child));
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; it != end && !error; it.increment(error))
    isClean = complain("a temporary file is left: " + it->path());
  if (error)
    isClean = complain("the directory for temporary files cannot be read: " + error.message());
  return isClean;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "compiles many programs in one process\n");
  std::vector<std::string> sources;
  for (const std::string &program : programs) {
    auto buffer = llvm::MemoryBuffer::getFile(program);
    if (!buffer)
      return complain("cannot read " + program), 1;
    sources.push_back((*buffer)->getBuffer().str());
  }
  llvm::SmallString<128> directory;
  if (fs::createUniqueDirectory("soak", directory))
    return complain("no directory for temporary files"), 1;

  Soak soak(std::move(sources), std::string(directory));
  soak.run(count / 10);
  const auto [space, resident] = memory();
  const uint64_t growth = uint64_t{growthMiB} << 20;
  const rlimit cap = {space + 2 * growth + (uint64_t{threadCount} << 28), RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &cap))
    return complain("cannot cap the memory"), 1;
  soak.run(count);
  const uint64_t after = memory().second;

  llvm::outs() << soak.counts.ok << " compiled, " << soak.counts.errors << " refused, "
               << soak.counts.cancelled << " cancelled, " << soak.counts.timedOut << " timed out; "
               << (resident >> 20) << " MiB after " << count / 10 << ", " << (after >> 20)
               << " MiB after " << count << "\n";
  bool isClean = nothingIsLeft(std::string(directory));
  if (after > resident + growth)
    isClean = complain("the memory grows");
  fs::remove_directories(directory);
  return isClean ? 0 : 1;
}
