// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles many drawn programs to one shared object for the CPU (test/fuzz/programs): starting a
// compiler and a linker for each would take longer than compiling it.
//
// The programs of the input are parted by `// -----`. Each may begin with lines
//
//   // ARGUMENTS: p16:48,64:64,1 i148
//   // SIZES: sizes=D48=48 scalars=s0=148
//
// ARGUMENTS are those of the launch: of an array the largest power of two that its address is a
// multiple of, its sizes and its strides. Variants whose guards it does not fulfil are left out.
// Other lines say what %SIZES% stands for in pipelines, or another name.
//
// `--step=NAME=PIPELINE` takes each program through a pipeline, in the order of the options. Where
// a step has a name, a copy goes through the pipeline `--back` and is compiled as kernel
// `KERNEL.NAME`; it is left out if an earlier step has left the same. Without steps the programs
// are compiled as they are.
//
// Prints a line for each program when it begins, and one for what became of it; their parts are
// separated by tabs. When the process ends before, the last line says which program it was.
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/InitAll.h"
#include "tessera/Pipelines.h"
#include "tessera/Target/ExternalTool.h"
#include "tessera/Target/HostObject.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace mlir;
using namespace tessera;

namespace {

struct Options {
  cl::opt<std::string> input{cl::Positional, cl::desc("<programs>"), cl::Required};
  cl::opt<std::string> output{"o", cl::desc("The shared object"), cl::Required};
  cl::opt<unsigned> level{"O", cl::Prefix, cl::desc("Optimisation level 0 to 3"), cl::init(0)};
  cl::opt<bool> verifyEach{"verify-each", cl::desc("Verify the IR after each pass"),
                           cl::init(true)};
  cl::opt<std::string> cpu{"mcpu", cl::desc("CPU to compile for; native is this machine")};
  cl::opt<bool> check{"check", cl::desc("Test at run time what the language leaves undefined")};
  cl::list<std::string> steps{"step", cl::desc("NAME=PIPELINE; without a name nothing is kept")};
  cl::opt<uint64_t> mostOps{"most-ops",
                            cl::desc("Kernels with more ops are refused after steps: LLVM and "
                                     "one-shot-bufferize take long; 0: none"),
                            cl::init(0)};
  cl::opt<std::string> back{"back", cl::desc("The pipeline from a step to a tile program")};
};

/// What a launch says about an argument.
struct Argument {
  bool isArray = false;
  int64_t align = 0, number = 0;
  SmallVector<int64_t> sizes, strides;
};

struct Program {
  StringRef text;
  std::optional<SmallVector<Argument>> arguments;
  llvm::StringMap<std::string> texts;
};

/// A pipeline, which is parsed once unless it has names that each program replaces.
class Step {
public:
  Step(StringRef name, StringRef pipeline, bool verifyEach)
      : name(name), pipeline(pipeline), verifyEach(verifyEach), isFixed(!pipeline.contains('%')) {}

  LogicalResult run(ModuleOp module, const Program &program) {
    if (!manager || !isFixed) {
      manager = std::make_unique<PassManager>(module.getContext());
      manager->enableVerifier(verifyEach);
      std::string text;
      StringRef passes;
      if (succeeded(replaceNames(program, text)))
        passes = text;
      // What stands in another module would run on modules in this one: on none.
      if (!passes.consume_front("builtin.module(") || !passes.consume_back(")") ||
          failed(parsePassPipeline(passes, *manager)))
        return module.emitError("this is no pipeline of a module: ") << pipeline;
    }
    return failure(failed(manager->run(module)) || (!verifyEach && failed(verify(module))));
  }

  /// For messages.
  StringRef firstPass() const {
    StringRef passes = pipeline;
    passes.consume_front("builtin.module(");
    return passes.take_until([](char c) { return StringRef(",{()").contains(c); });
  }

  const StringRef name, pipeline;

private:
  LogicalResult replaceNames(const Program &program, std::string &text) {
    for (StringRef left = pipeline; !left.empty();) {
      auto [before, rest] = left.split('%');
      text += before;
      auto [key, after] = rest.split('%');
      left = after;
      if (rest.empty())
        continue;
      auto found = program.texts.find(key);
      if (found == program.texts.end())
        return failure();
      text += found->second;
    }
    return success();
  }

  const bool verifyEach, isFixed;
  std::unique_ptr<PassManager> manager;
};

SmallVector<int64_t> numbersOf(StringRef text) {
  SmallVector<int64_t> numbers;
  SmallVector<StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    if (part.getAsInteger(10, numbers.emplace_back()))
      numbers.back() = 0;
  return numbers;
}

SmallVector<Argument> argumentsOf(StringRef text) {
  SmallVector<Argument> arguments;
  SmallVector<StringRef> words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    Argument &argument = arguments.emplace_back();
    argument.isArray = word.consume_front("p");
    if (!argument.isArray) {
      word.consume_front("i");
      if (word.getAsInteger(10, argument.number))
        argument.number = 0; // a float, about which there are no guards
      continue;
    }
    auto [align, rest] = word.split(':');
    auto [sizes, strides] = rest.split(':');
    if (align.getAsInteger(10, argument.align))
      argument.align = 1;
    argument.sizes = numbersOf(sizes);
    argument.strides = numbersOf(strides);
  }
  return arguments;
}

SmallVector<Program> programsOf(StringRef text) {
  SmallVector<Program> programs;
  while (!text.empty()) {
    auto [chunk, rest] = text.split("\n// -----\n");
    text = rest;
    if (chunk.trim().empty())
      continue;
    Program &program = programs.emplace_back();
    program.text = chunk;
    for (StringRef left = chunk.ltrim('\n'); left.consume_front("// ");) {
      auto [line, others] = left.split('\n');
      left = others;
      auto [key, value] = line.split(": ");
      if (key == "ARGUMENTS")
        program.arguments = argumentsOf(value);
      else
        program.texts[key] = value.str();
    }
  }
  return programs;
}

bool holds(tile::GuardAttr guard, ArrayRef<Argument> arguments) {
  const auto at = static_cast<size_t>(guard.getArg());
  if (at >= arguments.size())
    return true;
  const Argument &argument = arguments[at];
  const auto dim = static_cast<size_t>(guard.getDim());
  auto of = [&](ArrayRef<int64_t> numbers) { return dim < numbers.size() ? numbers[dim] : 0; };
  switch (guard.getFact()) {
  case tile::FactKind::Align:
    return argument.align % guard.getValue() == 0;
  case tile::FactKind::SizeDivisible:
    return of(argument.sizes) % guard.getValue() == 0;
  case tile::FactKind::StrideDivisible:
    return of(argument.strides) % guard.getValue() == 0;
  case tile::FactKind::SizeMax:
    return of(argument.sizes) <= guard.getValue();
  case tile::FactKind::SizeMin:
    return of(argument.sizes) >= guard.getValue();
  case tile::FactKind::ScalarDivisible:
    return argument.number % guard.getValue() == 0;
  }
  return true;
}

/// Leaves out the variants that this launch does not take. Conditions of `tile.assume` are left to
/// the launcher.
void dropVariants(ModuleOp module, const Program &program) {
  if (!program.arguments)
    return;
  for (auto kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>()))
    if (auto guards = kernel.getGuards())
      if (!llvm::all_of(guards->getAsRange<tile::GuardAttr>(),
                        [&](tile::GuardAttr guard) { return holds(guard, *program.arguments); }))
        kernel.erase();
}

/// Compiles a batch.
class Batch {
public:
  Batch(const Options &options, MLIRContext &context)
      : options(options), context(context), all(ModuleOp::create(UnknownLoc::get(&context))),
        back("", options.back, options.verifyEach) {
    for (const std::string &step : options.steps) {
      auto [name, pipeline] = StringRef(step).split('=');
      steps.push_back(std::make_unique<Step>(name, pipeline, options.verifyEach));
    }
  }

  void add(const Program &program) {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && error.empty())
        llvm::raw_string_ostream(error) << diagnostic.getLocation() << ": " << diagnostic.str();
      return success();
    });
    const StringRef name = nameOf(program.text);
    say(name, "begins", "");
    kept.clear();
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program.text, ParserConfig(&context), name);
    stage = "the parser";
    if (!module || failed(take(*module, program)))
      return say(name, "refused", stage + ": " + (error.empty() ? "without saying why" : error));
    std::string names;
    for (tile::KernelOp kernel : kept)
      names += (names.empty() ? "" : " ") + kernel.getSymName().str();
    say(name, "taken", names);
  }

  LogicalResult finish() {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && error.empty())
        error = diagnostic.str();
      return success();
    });
    say("", "compiles", "");
    HostOptions host;
    host.optLevel = options.level;
    host.cpu = options.cpu;
    host.check = options.check;
    host.verifyEach = options.verifyEach;
    FailureOr<std::string> bytes = compileToHostObject(*all, host);
    if (failed(bytes) || failed(writeFile(options.output, *bytes, all->getLoc())))
      return say("", "refused", error), failure();
    say("", "compiled", "");
    return success();
  }

private:
  /// The name of the first kernel of a text.
  static StringRef nameOf(StringRef text) {
    StringRef rest = text.split("tile.kernel @").second;
    return rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  }

  static void say(StringRef name, StringRef what, const llvm::Twine &more) {
    std::string text = more.str();
    for (char &c : text)
      c = c == '\n' || c == '\t' ? ' ' : c;
    llvm::outs() << name << "\t" << what << "\t" << text << "\n";
    llvm::outs().flush(); // what comes next may end the process
  }

  static uint64_t countOps(tile::KernelOp kernel) {
    uint64_t count = 0;
    kernel.walk([&](Operation *) { ++count; });
    return count;
  }

  LogicalResult take(ModuleOp module, const Program &program) {
    if (steps.empty()) {
      for (auto kernel : module.getOps<tile::KernelOp>())
        kept.push_back(kernel);
      all->getBody()->getOperations().splice(all->getBody()->end(),
                                             module.getBody()->getOperations());
      return success();
    }
    for (auto &step : steps) {
      stage = step->name.empty() ? step->firstPass().str() : step->name.str();
      if (failed(step->run(module, program)))
        return failure();
      dropVariants(module, program);
      if (step->name.empty())
        continue;
      OwningOpRef<ModuleOp> copy = module.clone();
      stage += ", turned back";
      if (failed(back.run(*copy, program)))
        return failure();
      // The last variant assumes least, so that it stands for those that are like it.
      SmallVector<tile::KernelOp> kernels(copy->getOps<tile::KernelOp>());
      for (tile::KernelOp kernel : kernels)
        if (options.mostOps && countOps(kernel) > options.mostOps)
          return kernel.emitError("too many ops to compile them here: ") << countOps(kernel);
      for (tile::KernelOp kernel : llvm::reverse(kernels))
        keep(kernel, step->name);
    }
    return success();
  }

  /// Moves a kernel to the others, unless one of this program is the same but for its facts.
  void keep(tile::KernelOp kernel, StringRef step) {
    for (tile::KernelOp other : kept)
      if (OperationEquivalence::isRegionEquivalentTo(&kernel.getBody(), &other.getBody(),
                                                     OperationEquivalence::IgnoreLocations))
        return;
    StringRef base = kernel.getVariantOf().value_or(kernel.getSymName());
    if (kernel.getVariantOf())
      kernel.setVariantOf(StringRef((base + "." + step).str()));
    kernel.setSymName((kernel.getSymName() + "_" + step).str());
    kernel->moveBefore(all->getBody(), all->getBody()->end());
    kept.push_back(kernel);
  }

  const Options &options;
  MLIRContext &context;
  OwningOpRef<ModuleOp> all;
  std::vector<std::unique_ptr<Step>> steps;
  Step back;
  std::string stage;
  SmallVector<tile::KernelOp> kept; // of this program
};

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerTesseraDialects(registry);
  registerTesseraPasses();
  registerTransformsPasses();
  Options options;
  cl::ParseCommandLineOptions(argc, argv, "Compiles drawn programs to one shared object\n");
  auto buffer = llvm::MemoryBuffer::getFile(options.input);
  if (!buffer) {
    llvm::errs() << "batch-compile: error: cannot read " << options.input << "\n";
    return 1;
  }
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Batch batch(options, context);
  for (const Program &program : programsOf((*buffer)->getBuffer()))
    batch.add(program);
  return failed(batch.finish());
}
