// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compilations that a host bounds: by time, by cancelling them, by limits on tiles.
#include "tessera/Compiler.h"

#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

using namespace tessera;
using Clock = std::chrono::steady_clock;

/// A program with a chain of `length` ops on tiles of `extent` elements.
static std::string chain(unsigned length, unsigned extent = 128) {
  const std::string tile = "tensor<" + std::to_string(extent) + "xf32>";
  std::string text = R"(
tile.kernel @chain(%x: memref<?xf32> {tile.shape = ["N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step ()" +
                     std::to_string(extent) + ") {\n  %v0 = tile.load %x[%i] : memref<?xf32> -> " +
                     tile + "\n";
  for (unsigned i = 1; i <= length; ++i)
    text += "  %v" + std::to_string(i) + " = arith.mulf %v" + std::to_string(i - 1) +
            ", %v0 : " + tile + "\n";
  return text + "  tile.store %v" + std::to_string(length) + ", %y[%i] : " + tile +
         " -> memref<?xf32>\n  }\n  tile.return\n}\n";
}

namespace {
/// A directory of the test with a program `ptxas` that notes its process number and sleeps.
class SlowPtxas {
public:
  SlowPtxas() {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("bounds", path));
    directory = path.str().str();
    std::error_code error;
    llvm::raw_fd_ostream script(program(), error);
    script << "#!/bin/sh\ncase \"$*\" in *--version*) echo 'release 13.0, V13.0.88'; exit;; esac\n"
           // The file is there with its number, or not at all.
           << "echo $$ > " << directory << "/new && mv " << directory << "/new " << directory
           << "/number\nexec sleep 600\n";
    script.close();
    EXPECT_FALSE(llvm::sys::fs::setPermissions(program(), llvm::sys::fs::all_all));
  }
  ~SlowPtxas() { llvm::sys::fs::remove_directories(directory); }

  std::string program() const { return directory + "/ptxas"; }
  std::string temporary() const { return directory + "/tmp"; }
  bool hasStarted() const { return llvm::sys::fs::exists(directory + "/number"); }

  /// Whether it ran, and is gone, with all its files.
  void expectGone() const {
    auto buffer = llvm::MemoryBuffer::getFile(directory + "/number");
    ASSERT_TRUE(static_cast<bool>(buffer)) << "ptxas did not run";
    int number = 0;
    ASSERT_FALSE((*buffer)->getBuffer().trim().getAsInteger(10, number));
    EXPECT_EQ(kill(number, 0), -1) << "ptxas still runs";
    std::error_code error;
    EXPECT_EQ(llvm::sys::fs::directory_iterator(temporary(), error),
              llvm::sys::fs::directory_iterator())
        << "temporary files are left";
  }

private:
  std::string directory;
};
} // namespace

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static void expectStopped(const CompileResult &result, StopCondition::Reason reason,
                          const char *message) {
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.stopped, reason);
  EXPECT_TRUE(result.artifact.empty());
  EXPECT_TRUE(result.reproducer.empty());
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_NE(result.diagnostics[0].message.find(message), std::string::npos)
      << result.diagnostics[0].message;
}

/// The compilation of this chain takes at least 0.1 s on any machine.
static void expectTimeout(Target target) {
  CompileOptions options;
  options.target = target;
  if (target == Target::Sm90a)
    options.emit = Emit::Ptx;
  const std::string program = chain(4000);
  options.timeout = 1000;
  Clock::time_point start = Clock::now();
  EXPECT_TRUE(compile(program, options).ok);
  const double whole = secondsSince(start);
  // The passes of a phase end early, and the phases behind it do not run.
  options.timeout = 0.02;
  start = Clock::now();
  CompileResult result = compile(program, options);
  EXPECT_LT(secondsSince(start), whole + 10); // other processes may take the cores
  expectStopped(result, StopCondition::Reason::TimedOut, "after its timeout of ");
}

/// The host lets the timeout pass at the beginning of one phase after the other, so that it depends
/// on no clock which of them is stopped.
static void expectTimeoutInEachPhase(Target target) {
  CompileOptions options;
  options.target = target;
  if (target == Target::Sm90a)
    options.emit = Emit::Ptx;
  const std::string program = chain(1);
  const CompileResult whole = compile(program, options);
  ASSERT_TRUE(whole.ok);
  ASSERT_GE(whole.timings.size(), 4u);
  // Several times what an idle machine takes. On a busy one an earlier phase may be stopped.
  options.timeout = 0.2;
  for (const auto &[phase, seconds] : whole.timings) {
    const Clock::time_point start = Clock::now();
    options.progress = [&, name = &phase](const CompileProgress &progress) {
      while (progress.phase == *name && secondsSince(start) <= options.timeout)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return true;
    };
    expectStopped(compile(program, options), StopCondition::Reason::TimedOut,
                  "after its timeout of 0.2 s");
  }
}

TEST(Bounds, TimeoutInEachPhaseOnGpu) { expectTimeoutInEachPhase(Target::Sm90a); }
TEST(Bounds, TimeoutInEachPhaseOnCpu) { expectTimeoutInEachPhase(Target::Cpu); }
TEST(Bounds, TimeoutOnGpu) { expectTimeout(Target::Sm90a); }
TEST(Bounds, TimeoutOnCpu) { expectTimeout(Target::Cpu); }

TEST(Bounds, TimeoutEndsPtxas) {
  SlowPtxas ptxas;
  CompileOptions options;
  options.ptxas = ptxas.program();
  options.tempDir = ptxas.temporary();
  options.timeout = 3;
  Clock::time_point start = Clock::now();
  expectStopped(compile(chain(1), options), StopCondition::Reason::TimedOut,
                "stopped in phase 'ptxas' after its timeout of 3 s");
  EXPECT_LT(secondsSince(start), 30);
  ptxas.expectGone();
}

/// Kernels with parameters of which no choices go together, which takes a while to find out.
static std::string hopelessSearches(unsigned kernels) {
  std::string text;
  for (unsigned k = 0; k < kernels; ++k) {
    text += "tile.kernel @k" + std::to_string(k) + "() {\n %s0 = arith.constant 0 : index\n";
    for (unsigned i = 1; i <= 20; ++i) {
      const std::string n = std::to_string(i), before = std::to_string(i - 1);
      text += " %p" + n + " = tile.param \"P" + n + "\" [1, 2] : index\n %s" + n +
              " = arith.addi %s" + before + ", %p" + n + " : index\n";
    }
    text += " tile.assume %s20 {min = 41} : index\n tile.return\n}\n";
  }
  return text;
}

TEST(Bounds, TimeoutEndsSearchForBindings) {
  CompileOptions options;
  options.emit = Emit::Ptx;
  options.timeout = 2;
  Clock::time_point start = Clock::now();
  expectStopped(compile(hopelessSearches(100), options), StopCondition::Reason::TimedOut,
                "stopped in phase 'bind' after its timeout of 2 s");
  EXPECT_LT(secondsSince(start), 20); // all of them take a minute
}

TEST(Bounds, AnotherThreadCancels) {
  SlowPtxas ptxas;
  Cancellation cancellation;
  CompileOptions options;
  options.ptxas = ptxas.program();
  options.tempDir = ptxas.temporary();
  options.cancellation = &cancellation;
  std::thread canceller([&] {
    while (!ptxas.hasStarted())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    cancellation.cancel();
  });
  CompileResult result = compile(chain(1), options);
  canceller.join();
  expectStopped(result, StopCondition::Reason::Cancelled, "cancelled in phase 'ptxas'");
  ptxas.expectGone();
  // It cannot be taken back, so nothing is compiled with it any more.
  expectStopped(compile(chain(1), options), StopCondition::Reason::Cancelled, "cancelled");
}

TEST(Bounds, ProgressNamesPhasesAndKernels) {
  std::vector<std::string> phases, kernels;
  double last = 0;
  CompileOptions options;
  options.emit = Emit::Ptx;
  options.progress = [&](const CompileProgress &progress) {
    EXPECT_GE(progress.seconds, last);
    last = progress.seconds;
    if (progress.kernel.empty())
      phases.emplace_back(progress.phase);
    else
      kernels.push_back(std::string(progress.kernel) + "/" + std::string(progress.variant));
    return true;
  };
  CompileResult result = compile(chain(1), options);
  ASSERT_TRUE(result.ok);
  std::vector<std::string> timed;
  for (const auto &[name, seconds] : result.timings)
    timed.push_back(name);
  EXPECT_EQ(phases, timed);
  EXPECT_EQ(phases.front(), "start");
  EXPECT_NE(std::find(kernels.begin(), kernels.end(), "chain/aligned"), kernels.end());
  EXPECT_NE(std::find(kernels.begin(), kernels.end(), "chain/any"), kernels.end());
}

TEST(Bounds, ProgressMayCancel) {
  CompileOptions options;
  options.emit = Emit::Ptx;
  for (const char *phase : {"start", "parse", "raw", "llvm", "codegen"}) {
    options.progress = [&](const CompileProgress &progress) { return progress.phase != phase; };
    expectStopped(compile(chain(1), options), StopCondition::Reason::Cancelled,
                  ("cancelled in phase '" + std::string(phase) + "'").c_str());
  }
}

static std::string onlyError(const CompileResult &result) {
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.diagnostics.size(), 1u);
  return result.diagnostics.empty() ? "" : result.diagnostics[0].message;
}

TEST(Bounds, LargeTilesAreRefused) {
  CompileOptions options;
  options.emit = Emit::Ptx;
  const Clock::time_point start = Clock::now();
  // 2^20 elements in 4 warpgroups are 2048 registers of each thread.
  EXPECT_NE(onlyError(compile(chain(1, 1 << 20), options))
                .find("a tile of 1048576 elements of type 'f32' takes 2048 registers of each "
                      "thread, and at most 1024 are compiled"),
            std::string::npos);
  EXPECT_NE(onlyError(compile(chain(1, 1 << 23), options)).find("has 33554432 bytes"),
            std::string::npos);
  EXPECT_LT(secondsSince(start), 20);
  options.limits.tileBytes = 4 * 128;
  EXPECT_TRUE(compile(chain(1, 128), options).ok);
  EXPECT_NE(onlyError(compile(chain(1, 256), options)).find("at most 512 are compiled"),
            std::string::npos);
  options.limits = {/*tileBytes=*/0, /*threadRegisters=*/1};
  EXPECT_TRUE(compile(chain(1, 128), options).ok);
  EXPECT_NE(onlyError(compile(chain(1, 1024), options)).find("registers of each thread"),
            std::string::npos);
  options.limits.threadRegisters = 0;
  EXPECT_TRUE(compile(chain(1, 1 << 14), options).ok);
}

TEST(Bounds, ToolsAreCheckedBeforeTheSource) {
  CompileOptions options;
  options.ptxas = "/nowhere/ptxas";
  EXPECT_NE(onlyError(compile("this is no program", options)).find("'/nowhere/ptxas' is not"),
            std::string::npos);
  SlowPtxas ptxas;
  options.ptxas = ptxas.program();
  options.tempDir = ptxas.program(); // a file
  EXPECT_NE(onlyError(compile("this is no program", options)).find("temporary directory"),
            std::string::npos);
  options.tempDir.clear();
  struct sigaction ignore = {}, before;
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(sigaction(SIGCHLD, &ignore, &before), 0);
  const std::string message = onlyError(compile(chain(1), options));
  ASSERT_EQ(sigaction(SIGCHLD, &before, nullptr), 0);
  EXPECT_NE(message.find("this process ignores SIGCHLD"), std::string::npos) << message;
  options = CompileOptions();
  options.target = Target::Cpu;
  options.linker = "/nowhere/ld";
  EXPECT_NE(onlyError(compile("this is no program", options)).find("'/nowhere/ld' is not"),
            std::string::npos);
  // What needs no program asks for none.
  options = CompileOptions();
  options.ptxas = "/nowhere/ptxas";
  options.emit = Emit::Ptx;
  EXPECT_TRUE(compile(chain(1), options).ok);
}

TEST(Bounds, LimitsHoldInFunctionsToo) {
  const std::string source = R"(
func.func private @sum() -> f32 {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : tensor<4294967296xf32>
  %s = tensor.extract %t[%c0] : tensor<4294967296xf32>
  return %s : f32
}
tile.kernel @k(%x: memref<?xf32> {tile.shape = ["N"]}) {
  %n = tile.dim "N" : index
  tile.grid (%i) = (0) to (%n) step (1) {
    %s = func.call @sum() : () -> f32
    memref.store %s, %x[%i] : memref<?xf32>
  }
  tile.return
}
)";
  for (Target target : {Target::Sm90a, Target::Cpu}) {
    CompileOptions options;
    options.target = target;
    options.limits.threadRegisters = 0;
    EXPECT_NE(onlyError(compile(source, options)).find("17179869184 bytes, and at most"),
              std::string::npos);
  }
}

TEST(Bounds, SignalsOfTheHostStay) {
  struct sigaction own = {}, before, after;
  own.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGALRM, &own, &before), 0);
  alarm(1000);
  // It runs ptxas.
  EXPECT_TRUE(compile(chain(1), CompileOptions()).ok);
  EXPECT_GT(alarm(0), 0u);
  ASSERT_EQ(sigaction(SIGALRM, &before, &after), 0);
  EXPECT_EQ(after.sa_handler, own.sa_handler);
}

namespace {
/// Renames all kernels.
struct RenameKernels : mlir::PassWrapper<RenameKernels, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RenameKernels)
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<tile::KernelOp>())
      kernel.setSymName("renamed");
  }
};
} // namespace

TEST(Bounds, HostPassesRunFirst) {
  CompileOptions options;
  options.emit = Emit::Ptx;
  // The option finds the kernel by the name that the host's pass gives it.
  options.plan = "renamed=#cta.plan<stages = 0>";
  options.addPasses = [](mlir::OpPassManager &pm) {
    pm.addPass(std::make_unique<RenameKernels>());
  };
  const CompileResult result = compile(chain(2), options);
  ASSERT_TRUE(result.ok) << formatDiagnostics(result.diagnostics, "");
  EXPECT_NE(result.artifact.find(".entry renamed_"), std::string::npos);
}
