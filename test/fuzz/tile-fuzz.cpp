// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles mutated programs and reports those on which the compiler crashes, hangs, or fails
// without an error. A child process compiles a batch; when it dies the next one goes on after the
// seed that killed it.
//
// The seed decides how far an input goes. One of `--deep` is compiled. The others are only read, in
// a context that the inputs of a batch share: parsed, verified, and what is valid is printed, or
// written as bytecode, and read again. Of `--options` only the plan is read then.
#include "Mutator.h"

#include "Input/PlanOption.h"
#include "Input/ReadProgram.h"

#include "tessera/Compiler.h"
#include "tessera/InitAll.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"tile-fuzz options"};
  cl::list<std::string> inputs{cl::Positional, cl::desc("<programs, or directories of them>"),
                               cl::OneOrMore, cl::cat(category)};
  cl::opt<uint64_t> first{"seed", cl::desc("The first seed"), cl::init(1), cl::cat(category)};
  cl::opt<uint64_t> count{"count", cl::desc("How many seeds"), cl::init(300), cl::cat(category)};
  cl::opt<unsigned> timeout{"seconds", cl::desc("A program that takes longer hangs"), cl::init(60),
                            cl::cat(category)};
  cl::opt<bool> print{"print", cl::desc("Only print the mutated programs"), cl::cat(category)};
  cl::opt<bool> cpu{
      "cpu", cl::desc("Compile for the CPU, to LLVM IR, instead of Hopper, to the LLVM dialect"),
      cl::cat(category)};
  cl::opt<bool> options{"options",
                        cl::desc("Mutate the options and the text of the plan, not the programs"),
                        cl::cat(category)};
  cl::opt<unsigned> deep{"deep",
                         cl::desc("One of so many inputs goes down the pipeline; 1: all, 0: none"),
                         cl::init(1), cl::cat(category)};
  cl::opt<bool> asIs{"as-is", cl::desc("Do not mutate: input number N is program number N"),
                     cl::cat(category)};
  cl::opt<bool> ptx{"ptx", cl::desc("Go on to PTX, which is slower, and check it"),
                    cl::cat(category)};
};

/// What the child says about one seed.
enum Outcome : char {
  Started = 's',
  Compiled = 'c',
  Refused = 'r',
  Silent = 'q',
  Changed = 'p' // what is printed is not what was read
};

struct Report {
  uint64_t seed;
  char outcome;
};

std::vector<std::string> readTexts(const Options &options) {
  std::vector<std::string> paths, texts;
  for (const std::string &input : options.inputs) {
    if (!llvm::sys::fs::is_directory(input)) {
      paths.push_back(input);
      continue;
    }
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(input, error), end; it != end && !error;
         it.increment(error))
      if (llvm::sys::path::extension(it->path()) == ".mlir")
        paths.push_back(it->path());
  }
  // The order of a directory is not defined, and seeds must mean the same everywhere.
  llvm::sort(paths);
  for (const std::string &path : paths)
    if (auto buffer = llvm::MemoryBuffer::getFile(path))
      texts.push_back((*buffer)->getBuffer().str());
    else
      llvm::errs() << "tile-fuzz: cannot read " << path << "\n";
  return texts;
}

/// Options as a user may type them: names that do not exist, plans that are none. Most are right,
/// so that more than the first one is looked at.
void mutateOptions(tessera::CompileOptions &compile, uint64_t seed) {
  using tessera::fuzz::mutate;
  static const std::vector<std::string> plans = {
      "auto",
      "given",
      "#cta.plan<stages = 4, producers = 1>",
      "#cta.plan<stages = 3, persistent = 1, group = 8, cluster = 2>",
      "gemm=#cta.plan<stages = 2, pending = 1>,gemm/aligned=#cta.plan<cluster = 2>",
      "#cta.plan<blocks_per_sm = 2, epilogue = 32, persistent = 1, stream_k = 2>",
      "#cta.plan<replicate = blocks, warpgroups = 2, registers = 128>"};
  static const std::vector<std::string> variants = {"auto",     "any",    "lines",  "aligned",
                                                    "cp_async", "repack", "tables", "tables_any"};
  static const std::vector<std::string> phases = {"tile",      "raw",       "placed", "planned",
                                                  "scheduled", "allocated", "nvvm",   "llvm"};
  static const std::vector<std::string> demands = {"tma",    "wgmma",     "pipelined",
                                                   "peeled", "no_spills", "deterministic"};
  static const std::vector<std::string> cpus = {"", "native", "x86-64-v3", "skylake-avx512"};
  tessera::fuzz::Random random(~seed);
  auto some = [&](const std::vector<std::string> &texts, unsigned oneIn) {
    return random.below(oneIn) ? texts[random.below(texts.size())] : mutate(texts, random.next());
  };
  compile.target = random.below(4) ? tessera::Target::Sm90a : tessera::Target::Cpu;
  compile.stopAfter = some(phases, 8);
  if (random.below(3))
    compile.plan = some(plans, 2);
  if (random.below(3) == 0)
    compile.variants = some(variants, 4);
  for (uint64_t i = random.below(6); i > 4; --i)
    compile.require.push_back(some(demands, 4));
  compile.cpu = some(cpus, 4);
  compile.optLevel = static_cast<unsigned>(random.below(16) ? random.below(4) : random.next());
  compile.threads =
      random.below(16) ? 1 : tessera::kMaxThreads + static_cast<unsigned>(random.below(3));
  if (random.below(8) == 0)
    compile.limits.tileBytes = random.next() >> random.below(64);
  if (random.below(8) == 0)
    compile.limits.threadRegisters = random.next() >> random.below(64);
  compile.check = random.below(2);
  compile.dependentLaunch = random.below(2);
}

std::string textOf(const std::vector<std::string> &texts, uint64_t seed, const Options &options) {
  return options.asIs ? texts[seed % texts.size()] : tessera::fuzz::mutate(texts, seed);
}

bool isDeep(uint64_t seed, const Options &options) {
  return options.deep == 1 ||
         (options.deep && tessera::fuzz::Random(seed ^ 0xDEE9).below(options.deep) == 0);
}

Outcome compileOne(const std::vector<std::string> &texts, uint64_t seed, const Options &options) {
  tessera::CompileOptions compile;
  std::string text;
  if (options.options) {
    text = texts[tessera::fuzz::Random(seed).below(texts.size())];
    mutateOptions(compile, seed);
  } else {
    text = textOf(texts, seed, options);
    if (options.cpu) {
      compile.target = tessera::Target::Cpu;
      compile.emit = tessera::Emit::Llvm;
      compile.optLevel = 0;
    } else if (options.ptx) {
      compile.emit = tessera::Emit::Ptx;
      compile.optLevel = 1;
    } else {
      compile.stopAfter = "llvm";
    }
  }
  tessera::CompileResult result = tessera::compile(text, compile);
  if (result.ok)
    return Compiled;
  for (const tessera::CompileDiagnostic &diagnostic : result.diagnostics)
    if (diagnostic.severity == tessera::CompileDiagnostic::Severity::Error &&
        !diagnostic.message.empty() &&
        diagnostic.message.find("without saying why") == std::string::npos)
      return Refused;
  return Silent;
}

/// Reads inputs without compiling them.
class Reader {
public:
  explicit Reader(const std::vector<std::string> &texts) : texts(texts) {
    mlir::DialectRegistry registry;
    tessera::registerTesseraDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
  }

  Outcome read(uint64_t seed, const Options &options) {
    bool saysWhy = false;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      saysWhy |=
          diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && !diagnostic.str().empty();
      return mlir::success();
    });
    if (options.options)
      return readOptions(seed) ? Compiled : saysWhy ? Refused : Silent;
    auto module = tessera::readProgram(textOf(texts, seed, options), "fuzz", context);
    if (!module)
      return saysWhy ? Refused : Silent;
    const std::string printed = print(*module);
    auto again = seed % 4 ? tessera::readProgram(printed, "printed", context)
                          : tessera::readProgram(bytecode(*module), "bytecode", context);
    return again && print(*again) == printed ? Compiled : Changed;
  }

private:
  static std::string print(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  static std::string bytecode(mlir::ModuleOp module) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    return mlir::failed(mlir::writeBytecodeToFile(module, os)) ? "" : bytes;
  }

  /// The text of a plan on a program as it is.
  bool readOptions(uint64_t seed) {
    tessera::CompileOptions compile;
    mutateOptions(compile, seed);
    mlir::OwningOpRef<mlir::ModuleOp> &program =
        programs[tessera::fuzz::Random(seed).below(texts.size())];
    if (!program)
      program = tessera::readProgram(texts[tessera::fuzz::Random(seed).below(texts.size())], "fuzz",
                                     context);
    if (!program)
      return false;
    mlir::OwningOpRef<mlir::ModuleOp> module = program->clone();
    return mlir::succeeded(tessera::applyPlanOption(*module, compile));
  }

  const std::vector<std::string> &texts;
  mlir::MLIRContext context;
  std::map<uint64_t, mlir::OwningOpRef<mlir::ModuleOp>> programs;
};

[[noreturn]] void runChild(const std::vector<std::string> &texts, uint64_t from, uint64_t to,
                           int pipe, const Options &options) {
  auto say = [&](uint64_t seed, char outcome) {
    Report report{seed, outcome};
    if (write(pipe, &report, sizeof(report)) != sizeof(report))
      _exit(3);
  };
  Reader reader(texts);
  for (uint64_t seed = from; seed < to; ++seed) {
    say(seed, Started);
    say(seed,
        isDeep(seed, options) ? compileOne(texts, seed, options) : reader.read(seed, options));
  }
  _exit(0);
}

struct Totals {
  uint64_t compiled = 0, refused = 0, bad = 0;
};

/// Runs a batch in a child and returns the seed after the last one that is finished.
uint64_t runBatch(const std::vector<std::string> &texts, uint64_t from, uint64_t to,
                  const Options &options, Totals &totals) {
  auto complain = [&](uint64_t seed, const llvm::Twine &what) {
    ++totals.bad;
    llvm::errs() << "seed " << seed << ": " << what
                 << "; to see it: --print --count=1 --seed=" << seed << "\n";
  };
  int ends[2];
  if (pipe(ends))
    return complain(from, "no pipe"), to;
  llvm::errs().flush();
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    runChild(texts, from, to, ends[1], options);
  }
  close(ends[1]);
  uint64_t current = from;
  bool running = false, killed = false;
  while (true) {
    pollfd wait{ends[0], POLLIN, 0};
    if (poll(&wait, 1, options.timeout * 1000) == 0) {
      complain(current, "the compiler hangs");
      kill(child, SIGKILL);
      killed = true;
      break;
    }
    Report report;
    ssize_t size = read(ends[0], &report, sizeof(report));
    if (size != sizeof(report))
      break;
    current = report.seed;
    running = report.outcome == Started;
    totals.compiled += report.outcome == Compiled;
    totals.refused += report.outcome == Refused;
    if (report.outcome == Silent)
      complain(current, "the compiler fails without an error");
    if (report.outcome == Changed)
      complain(current, "what is printed is not read as the same program");
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (killed || running) {
    if (!killed)
      complain(current, WIFSIGNALED(status)
                            ? "the compiler dies of signal " + llvm::Twine(WTERMSIG(status))
                            : "the compiler ends the process");
    return current + 1;
  }
  return to;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles mutated tile programs: no crash, no hang, no silent failure\n");
  std::vector<std::string> texts = readTexts(options);
  if (texts.empty()) {
    llvm::errs() << "tile-fuzz: no programs\n";
    return 1;
  }
  uint64_t end = options.first + options.count;
  if (options.print) {
    for (uint64_t seed = options.first; seed < end; ++seed)
      llvm::outs() << tessera::fuzz::mutate(texts, seed);
    return 0;
  }
  Totals totals;
  const uint64_t kBatch = options.deep == 1 ? 100 : 1000;
  for (uint64_t seed = options.first; seed < end;)
    seed = runBatch(texts, seed, std::min(seed + kBatch, end), options, totals);
  llvm::outs() << totals.compiled << " compiled, " << totals.refused << " refused, " << totals.bad
               << " bad\n";
  return totals.bad ? 1 : 0;
}
