// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Cache/Cache.h"
#include "Cache/ResultBytes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <thread>

using namespace tessera;
namespace fs = llvm::sys::fs;

/// A program whose compilation also says something: no kernel calls the function.
static std::string program(int number) {
  const std::string name = "k" + std::to_string(number);
  return "tile.kernel @" + name + R"((%x: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (128) {
    %a = tile.load %x[%i] : memref<?xf32> -> tensor<128xf32>
    %b = arith.addf %a, %a : tensor<128xf32>
    tile.store %b, %x[%i] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
func.func @other() { return }
)";
}

namespace {
class CacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(fs::createUniqueDirectory("cache", path));
    directory = path.str().str();
    options.cacheDir = directory;
    options.emit = Emit::Ptx;
  }
  void TearDown() override { fs::remove_directories(directory); }

  std::vector<std::string> files(const char *kind) const {
    std::vector<std::string> found;
    std::error_code error;
    for (fs::recursive_directory_iterator it(directory + "/" + kind, error), end;
         it != end && !error; it.increment(error))
      if (fs::is_regular_file(it->path()))
        found.push_back(it->path());
    return found;
  }
  uint64_t bytesOfValues() const {
    uint64_t total = 0, size;
    for (const std::string &file : files("values"))
      if (!fs::file_size(file, size))
        total += size;
    return total;
  }
  static std::string read(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  static void write(const std::string &path, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
  }
  /// What is found must be what would be compiled.
  static void expectSame(const CompileResult &a, const CompileResult &b) {
    EXPECT_EQ(a.ok, b.ok);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.artifact, b.artifact);
    EXPECT_EQ(a.report.toText(), b.report.toText());
    EXPECT_EQ(a.report.toJson(), b.report.toJson());
    EXPECT_EQ(a.report.toSummary(), b.report.toSummary());
    EXPECT_EQ(formatDiagnostics(a.diagnostics, ""), formatDiagnostics(b.diagnostics, ""));
  }
  bool isFound(const std::string &source = program(0)) { return compile(source, options).cached; }

  std::string directory;
  CompileOptions options;
};
} // namespace

TEST_F(CacheTest, FindsWhatWasCompiled) {
  const CompileResult first = compile(program(0), options);
  ASSERT_TRUE(first.ok);
  EXPECT_FALSE(first.cached);
  EXPECT_FALSE(first.diagnostics.empty());
  const CompileResult second = compile(program(0), options);
  EXPECT_TRUE(second.cached);
  expectSame(first, second);
  ASSERT_EQ(second.timings.size(), 1u);
  EXPECT_EQ(second.timings[0].first, "cache");
  options.cacheDir.clear();
  EXPECT_FALSE(isFound());
}

TEST_F(CacheTest, OtherSourcesAndOptionsAreOtherKeys) {
  EXPECT_FALSE(isFound());
  EXPECT_TRUE(isFound());
  EXPECT_FALSE(isFound(program(1)));
  EXPECT_FALSE(isFound(program(0) + "\n"));
  const CompileOptions before = options;
  auto changes = [&](auto change) {
    options = before;
    change(options);
    EXPECT_FALSE(isFound());
    EXPECT_TRUE(isFound());
    options = before;
  };
  changes([](CompileOptions &o) { o.emit = Emit::Tile; });
  changes([](CompileOptions &o) { o.variants = "any"; });
  changes([](CompileOptions &o) { o.stopAfter = "raw"; });
  changes([](CompileOptions &o) { o.fpContract = false; });
  changes([](CompileOptions &o) { o.optLevel = 1; });
  changes([](CompileOptions &o) { o.check = true; });
  changes([](CompileOptions &o) { o.dependentLaunch = false; });
  changes([](CompileOptions &o) { o.predict = true; });
  changes([](CompileOptions &o) { o.lineInfo = true; });
  changes([](CompileOptions &o) { o.threads = 3; });
  changes([](CompileOptions &o) { o.plan = "#cta.plan<persistent = 0>"; });
  changes([](CompileOptions &o) { o.plan = "given"; });
  changes([](CompileOptions &o) { o.planName = "a.plan"; });
  changes([](CompileOptions &o) { o.sizes = {"N=64"}; });
  changes([](CompileOptions &o) { o.sizes = {"N=64", "N=128"}; });
  changes([](CompileOptions &o) { o.limits.threadRegisters = 500; });
  changes([](CompileOptions &o) {
    o.target = Target::Cpu;
    o.emit = Emit::Llvm;
    o.cpu = "x86-64-v3";
  });
  changes([](CompileOptions &o) { o.require = {"no_spills"}; });
  changes([](CompileOptions &o) { o.sourceName = "other.mlir"; });
  changes([](CompileOptions &o) { o.limits.tileBytes = 1 << 20; });
  changes([](CompileOptions &o) {
    o.target = Target::Cpu;
    o.emit = Emit::Llvm;
  });
  // What does not change the result does not change the key.
  options.timeout = 1000;
  options.progress = [](const CompileProgress &) { return true; };
  options.tempDir = directory + "/somewhere";
  EXPECT_TRUE(isFound());
}

TEST_F(CacheTest, FailuresAreNotKept) {
  EXPECT_FALSE(compile("tile.kernel", options).ok);
  options.require = {"wgmma", "tma"};
  options.variants = "any";
  EXPECT_FALSE(compile(program(0), options).ok);
  options.timeout = 1e-9;
  EXPECT_FALSE(compile(program(0), options).ok);
  EXPECT_TRUE(files("keys").empty());
  EXPECT_TRUE(files("values").empty());
}

TEST_F(CacheTest, HostsNameTheirPasses) {
  options.addPasses = [](mlir::OpPassManager &) {};
  EXPECT_FALSE(isFound());
  EXPECT_FALSE(isFound());
  options.cacheKey = "passes 1";
  EXPECT_FALSE(isFound());
  EXPECT_TRUE(isFound());
  options.cacheKey = "passes 2";
  EXPECT_FALSE(isFound());
}

TEST_F(CacheTest, DamagedFilesAreMadeAgain) {
  const CompileResult first = compile(program(0), options);
  auto expectMadeAgain = [&](const char *message) {
    CompileResult again = compile(program(0), options);
    EXPECT_FALSE(again.cached);
    ASSERT_FALSE(again.diagnostics.empty());
    EXPECT_EQ(again.diagnostics.back().severity, CompileDiagnostic::Severity::Warning);
    EXPECT_NE(again.diagnostics.back().message.find(message), std::string::npos)
        << again.diagnostics.back().message;
    again.diagnostics.pop_back();
    expectSame(first, again);
    // The warning is not kept.
    CompileResult found = compile(program(0), options);
    EXPECT_TRUE(found.cached);
    expectSame(first, found);
  };
  ASSERT_EQ(files("values").size(), 1u);
  ASSERT_EQ(files("keys").size(), 1u);
  const std::string value = files("values")[0], key = files("keys")[0], bytes = read(value);
  for (size_t size : {size_t{0}, size_t{1}, size_t{64}, bytes.size() / 2, bytes.size() - 1}) {
    write(value, llvm::StringRef(bytes).take_front(size));
    expectMadeAgain("does not hold the bytes that its name says");
  }
  for (size_t at : {size_t{0}, size_t{70}, bytes.size() / 3, bytes.size() - 1}) {
    std::string changed = bytes;
    changed[at] ^= 1;
    write(value, changed);
    expectMadeAgain("does not hold the bytes that its name says");
  }
  write(key, "no hash");
  expectMadeAgain("is damaged");
  write(key, "../../../../../../../../../../../../../../../../../etc/passwd\n");
  expectMadeAgain("is damaged");
  // The key of one program names the value of another one.
  ASSERT_TRUE(compile(program(1), options).ok);
  std::string other;
  for (const std::string &file : files("keys"))
    if (file != key)
      other = read(file);
  write(key, other);
  expectMadeAgain("names the result of another compilation");
  // A value that was removed is made again without a word.
  for (const std::string &file : files("values"))
    fs::remove(file);
  EXPECT_FALSE(isFound());
  EXPECT_TRUE(isFound());
}

TEST_F(CacheTest, LimitRemovesWhatWasUsedLongestAgo) {
  ASSERT_TRUE(compile(program(0), options).ok);
  const uint64_t one = bytesOfValues();
  options.cacheLimit = 4 * one + one / 2;
  for (int i = 1; i < 4; ++i)
    ASSERT_TRUE(compile(program(i), options).ok);
  EXPECT_TRUE(isFound(program(0))); // the one of longest ago is now 1
  for (int i = 4; i < 6; ++i)
    ASSERT_TRUE(compile(program(i), options).ok);
  EXPECT_LE(bytesOfValues(), options.cacheLimit);
  EXPECT_TRUE(isFound(program(5)));
  EXPECT_TRUE(isFound(program(0)));
  EXPECT_FALSE(isFound(program(1)));
  // Larger than the whole cache: it is not kept, and nothing goes.
  options.cacheLimit = one / 2;
  EXPECT_FALSE(isFound(program(9)));
  EXPECT_FALSE(isFound(program(9)));
}

TEST_F(CacheTest, ADirectoryThatCannotBeWrittenIsAWarning) {
  write(directory + "/file", "");
  options.cacheDir = directory + "/file";
  CompileResult result = compile(program(0), options);
  EXPECT_TRUE(result.ok);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_NE(result.diagnostics.back().message.find("cannot be kept in the cache"),
            std::string::npos);
}

TEST_F(CacheTest, ManyThreadsShareADirectory) {
  std::vector<std::thread> threads;
  std::atomic<int> bad = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 12; ++i) {
        CompileResult result = compile(program(i % 3), options);
        bad += !result.ok || result.diagnostics.size() != 1;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(files("values").size(), 3u);
  EXPECT_TRUE(files("tmp").empty());
}

TEST(ResultBytes, AnyBytesAreReadSafely) {
  CompileOptions options;
  options.emit = Emit::Ptx;
  const CompileResult result = compile(program(0), options);
  const std::string bytes = writeResult(result);
  ASSERT_TRUE(readResult(bytes));
  EXPECT_EQ(writeResult(*readResult(bytes)), bytes);
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 16)
    EXPECT_FALSE(readResult(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(readResult(bytes + "x"));
  for (size_t at = 0; at < bytes.size(); at += 7) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(0xff);
    (void)readResult(changed);
  }
}
