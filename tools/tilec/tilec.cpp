// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The compiler driver, which compiles a tile program to an artifact.
#include "EndOnSignal.h"
#include "ProgressLine.h"
#include "tessera/Compiler.h"
#include "tessera/Pipelines.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;
using llvm::StringRef;
using tessera::Emit;

namespace {

/// Removes an option of LLVM's libraries that has the name of one of ours and another meaning.
void removeOption(StringRef name) {
  auto &options = cl::getRegisteredOptions();
  if (auto it = options.find(name); it != options.end())
    it->second->removeArgument();
}

enum class ReportKind { None, Short, Full, Json };
enum class Switch { Default, On, Off };

struct Options {
  cl::OptionCategory category{"tilec options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<tile program, - is standard input>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::desc("Where the result goes (- is standard output); its extension picks the kind"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<tessera::Target> target{
      "target", cl::desc("What to compile for"), cl::init(tessera::Target::Sm90a),
      cl::values(clEnumValN(tessera::Target::Sm90a, "sm_90a", "NVIDIA Hopper"),
                 clEnumValN(tessera::Target::Cpu, "cpu", "this machine")),
      cl::cat(category)};
  cl::opt<Emit> emit{
      "emit", cl::desc("What to write"),
      cl::values(clEnumValN(Emit::Tile, "tile", "the tile program, checked, in variants"),
                 clEnumValN(Emit::Raw, "raw", "kernels in phase raw"),
                 clEnumValN(Emit::Placed, "placed", "kernels with layouts and mechanisms"),
                 clEnumValN(Emit::Planned, "planned", "kernels with plans"),
                 clEnumValN(Emit::Scheduled, "scheduled", "launches with channels and schedules"),
                 clEnumValN(Emit::Specialized, "specialized", "launches with roles"),
                 clEnumValN(Emit::Allocated, "allocated", "launches with barriers and offsets"),
                 clEnumValN(Emit::Cta, "cta", "the same"),
                 clEnumValN(Emit::Nvvm, "nvvm", "per-thread code in MLIR"),
                 clEnumValN(Emit::Llvm, "llvm", "LLVM IR"), clEnumValN(Emit::Ptx, "ptx", "PTX"),
                 clEnumValN(Emit::Sass, "sass", "machine code, disassembled"),
                 clEnumValN(Emit::Cubin, "cubin", "an artifact for the GPU"),
                 clEnumValN(Emit::SharedObject, "so", "an artifact for the CPU"),
                 clEnumValN(Emit::Json, "json", "the launch contract"),
                 clEnumValN(Emit::Contract, "contract",
                            "the launch contract of all members of families, whose code a host "
                            "compiles when a launch needs it"),
                 clEnumValN(Emit::Members, "members", "the bindings of parameters, one a line")),
      cl::cat(category)};
  // cl::desc keeps a reference to its text.
  const std::string stopAfterText = "Write the module after a phase: " + tessera::phaseNames();
  cl::opt<std::string> stopAfter{"stop-after", cl::desc(stopAfterText), cl::value_desc("phase"),
                                 cl::cat(category)};
  cl::opt<ReportKind> report{
      "report",
      cl::desc("Print what became of each kernel, what bounds it and what to change"),
      cl::ValueOptional,
      cl::init(ReportKind::None),
      cl::values(
          clEnumValN(ReportKind::Short, "", ""),
          clEnumValN(ReportKind::Short, "short", "the first variant of each kernel"),
          clEnumValN(ReportKind::Full, "full", "every load, store and product, with reasons"),
          clEnumValN(ReportKind::Json, "json", "all of it as JSON")),
      cl::cat(category)};
  cl::list<std::string> require{
      "require", cl::CommaSeparated, cl::value_desc("demands"),
      cl::desc("Make a miss an error: tma, wgmma, pipelined, peeled, no_spills, deterministic"),
      cl::cat(category)};
  cl::opt<std::string> saveTemps{"save-temps", cl::desc("Write all intermediate files there"),
                                 cl::value_desc("dir"), cl::cat(category)};
  cl::opt<std::string> variants{
      "variants",
      cl::desc(
          "Variants of each kernel: auto, any, lines, aligned, operands, cp_async, repack, tables, "
          "tables_any"),
      cl::init("auto"), cl::cat(category)};
  cl::list<std::string> plans{
      "plan",
      cl::desc("auto: decide what the plans of kernels leave open; given: plans are what the "
               "text says; or a #cta.plan<...>, or a file with one, for kernels without a plan; "
               "KERNEL=#cta.plan<...> for one kernel, KERNEL/VARIANT=#cta.plan<...> for one "
               "variant of it, as often as needed"),
      cl::value_desc("plan"), cl::cat(category)};
  cl::list<std::string> bindings{
      "D", cl::Prefix, cl::value_desc("name=number"),
      cl::desc(
          "Bind a parameter (tile.param) of the kernels that have it, KERNEL/NAME=NUMBER of one; "
          "what is not bound makes a family (--members)"),
      cl::cat(category)};
  cl::list<std::string> kernels{"kernel", cl::value_desc("name"),
                                cl::desc("Compile this kernel, and no others but those that are "
                                         "named in the same way"),
                                cl::cat(category)};
  cl::opt<std::string> members{
      "members", cl::value_desc("n or file"),
      cl::desc(
          "How many members of a family (a kernel whose parameters are not bound) are compiled, "
          "among which the launcher chooses; default: 8 in a cubin, or 20 of kernels without "
          "products, otherwise 1; with 2 or more, a kernel without open parameters has a second "
          "member, whose last wave is divided among blocks, where its sums can be cut. Or a file "
          "that names the members, one a line, as --list-members and tile-tune print them"),
      cl::cat(category)};
  cl::list<std::string> sizes{
      "sizes", cl::value_desc("name=number,..."),
      cl::desc("Choose the members of families for launches of these sizes, M=64,N=4096,K=4096, or "
               "the member, where one kernel is made; M=1..128 is a range, A.0=64 the size of a "
               "dimension without a name, KERNEL/M=64 is for one kernel, what is not named may be "
               "any; repeat it for other launches"),
      cl::cat(category)};
  cl::opt<bool> listMembers{"list-members",
                            cl::desc("Print the bindings that go together (--emit=members)"),
                            cl::cat(category)};
  cl::opt<Switch> fpContract{"fp-contract", cl::desc("Override fp_contract of all kernels"),
                             cl::init(Switch::Default),
                             cl::values(clEnumValN(Switch::On, "on", "a*b + c may round once"),
                                        clEnumValN(Switch::Off, "off", "each operation rounds")),
                             cl::cat(category)};
  cl::opt<unsigned> level{"O", cl::Prefix, cl::desc("Optimisation level 0 to 3"), cl::init(3),
                          cl::cat(category)};
  cl::opt<unsigned> threads{"j",
                            cl::Prefix,
                            cl::desc("Threads for code generation and ptxas, at most 1024; 0: as "
                                     "many as the machine runs at once. The code does not depend "
                                     "on it, but ptxas notes the number in the cubin"),
                            cl::value_desc("n"),
                            cl::init(0),
                            cl::cat(category)};
  cl::opt<bool> check{"check",
                      cl::desc("Test at run time what the language leaves undefined: a failed "
                               "check names the line and ends the program"),
                      cl::cat(category)};
  cl::opt<Switch> dependentLaunch{
      "dependent-launch",
      cl::desc("Whether kernels may begin before the one before them in the stream has ended"),
      cl::init(Switch::On),
      cl::values(clEnumValN(Switch::On, "on", "they set up what they can and wait for it"),
                 clEnumValN(Switch::Off, "off", "they begin after it")),
      cl::cat(category)};
  cl::opt<bool> predict{"predict",
                        cl::desc("Give every kernel its predicted time in the launch contract "
                                 "(--emit=contract), and not members of families alone"),
                        cl::cat(category)};
  cl::opt<bool> lineInfo{"lineinfo", cl::desc("Keep line tables in the cubin"), cl::cat(category)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("ptxas or its directory"), cl::value_desc("path"),
                             cl::cat(category)};
  cl::opt<std::string> nvdisasm{"nvdisasm", cl::desc("nvdisasm or its directory"),
                                cl::value_desc("path"), cl::cat(category)};
  cl::opt<std::string> linker{"linker", cl::desc("An ld-compatible linker, for --target=cpu"),
                              cl::value_desc("path"), cl::cat(category)};
  cl::opt<std::string> cpu{"mcpu", cl::desc("CPU to compile for; native is this machine"),
                           cl::value_desc("name"), cl::cat(category)};
  cl::opt<double> timeout{"timeout", cl::desc("Give up after so many seconds; 0: never"),
                          cl::value_desc("seconds"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> cacheDir{"cache-dir", cl::desc("Keep results there, and find them again"),
                                cl::value_desc("dir"), cl::cat(category)};
  cl::opt<uint64_t> cacheLimit{
      "cache-limit",
      cl::desc("Its size in bytes at most: what was used longest ago goes; 0: no limit"),
      cl::value_desc("n"), cl::init(tessera::CompileOptions().cacheLimit), cl::cat(category)};
  cl::opt<uint64_t> tileBytes{"tile-bytes", cl::desc("The largest tile, in bytes; 0: no limit"),
                              cl::value_desc("n"), cl::init(tessera::CompileLimits().tileBytes),
                              cl::cat(category)};
  cl::opt<uint64_t> threadRegisters{
      "thread-registers", cl::desc("What one tile may take in each thread of the GPU; 0: no limit"),
      cl::value_desc("n"), cl::init(tessera::CompileLimits().threadRegisters), cl::cat(category)};
  cl::opt<bool> timing{"timing", cl::desc("Print the time of each phase"), cl::cat(category)};
};

int complain(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tilec") << message << "\n";
  return 1;
}

/// The kind of output that the extension of a file name asks for.
std::optional<Emit> kindOfExtension(StringRef extension, tessera::Target target) {
  if (extension == ".cubin")
    return Emit::Cubin;
  if (extension == ".ptx")
    return Emit::Ptx;
  if (extension == ".ll")
    return Emit::Llvm;
  if (extension == ".sass")
    return Emit::Sass;
  if (extension == ".so")
    return Emit::SharedObject;
  if (extension == ".json")
    return Emit::Json;
  if (extension == ".mlir")
    return target == tessera::Target::Cpu ? Emit::Tile : Emit::Cta;
  return std::nullopt;
}

/// Whether the extension is that of a kind of file that other compilers write and this one does
/// not. A cubin under such a name would be taken for something else.
bool isForeignExtension(StringRef extension) {
  constexpr StringRef foreign[] = {".o",   ".obj",    ".a",   ".lib", ".s",    ".S",
                                   ".asm", ".c",      ".cc",  ".cpp", ".cu",   ".fatbin",
                                   ".bc",  ".mlirbc", ".exe", ".dll", ".dylib"};
  return llvm::is_contained(foreign, extension);
}

bool isBinary(Emit kind) { return kind == Emit::Cubin || kind == Emit::SharedObject; }

StringRef extensionOf(Emit kind) { return kind == Emit::Cubin ? ".cubin" : ".so"; }

/// The directories in which an installation and the virtual environment of a source tree have their
/// tools, relative to the program. Relative paths in PATH are not used, because they depend on the
/// current directory.
std::vector<std::string> toolDirectories(const char *argv0) {
  namespace path = llvm::sys::path;
  std::string self = llvm::sys::fs::getMainExecutable(argv0, reinterpret_cast<void *>(&complain));
  if (!path::is_absolute(self))
    return {};
  StringRef bin = path::parent_path(self);
  std::vector<std::string> result{bin.str()};
  // The path of a build tree is <source>/build/<preset>/bin.
  StringRef build = path::parent_path(path::parent_path(bin));
  if (path::filename(build) == "build") {
    llvm::SmallString<128> directory(path::parent_path(build));
    path::append(directory, ".venv", "bin");
    result.push_back(std::string(directory));
  }
  return result;
}

void printTimings(const tessera::CompileResult &result) {
  double total = 0;
  for (const auto &[name, seconds] : result.timings) {
    llvm::errs() << llvm::format("%8.1f ms  ", seconds * 1e3) << name << "\n";
    total += seconds;
  }
  llvm::errs() << llvm::format("%8.1f ms  ", total * 1e3) << "total\n";
}

/// The plan that an option names: its text, or the contents of a file.
llvm::ErrorOr<std::string> readPlan(StringRef option) {
  if (option == "given" || option == "auto" || option.contains("#cta.plan"))
    return option.str();
  auto buffer = llvm::MemoryBuffer::getFile(option, /*IsText=*/true);
  if (!buffer)
    return buffer.getError();
  return (*buffer)->getBuffer().str();
}

/// Takes over --members: a number, or a file with a member on each line. Lines that are empty or
/// begin with # count for nothing.
bool readMembers(const cl::opt<std::string> &given, tessera::CompileOptions &compile) {
  const StringRef option = given;
  if (!given.getNumOccurrences() || !option.getAsInteger(10, compile.members))
    return true;
  if (option.empty() || option.find_first_not_of("+-0123456789") == StringRef::npos) {
    complain("--members takes a number from 0 to 4294967295, or a file with a member on each "
             "line, not '" +
             option + "'");
    return false;
  }
  auto buffer = llvm::MemoryBuffer::getFile(option, /*IsText=*/true);
  if (!buffer) {
    complain("--members takes a number or a file with a member on each line; cannot read '" +
             option + "': " + buffer.getError().message());
    return false;
  }
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : lines)
    if (line = line.trim(); !line.empty() && !line.starts_with("#"))
      compile.memberList.push_back(line.str());
  if (compile.memberList.empty()) {
    complain("--members: the file '" + option + "' names no member");
    return false;
  }
  return true;
}

std::error_code writeAll(int descriptor, StringRef bytes) {
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false);
  os << bytes;
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

/// Writes to a name that is no file and may not become one (a device, a pipe, "-" for standard
/// output), and where no file can be made in the same directory.
int writeInPlace(StringRef path, StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error, llvm::sys::fs::OF_None);
  if (!error) {
    os << bytes;
    os.flush();
    error = os.error();
    os.clear_error();
  }
  return error ? complain("cannot write '" + path + "': " + error.message()) : 0;
}

/// Writes the output to another file, which is then renamed. So everybody who reads it, also after
/// this process was killed, sees either the whole old file or the whole new one.
int writeOutput(StringRef path, StringRef bytes) {
  namespace fs = llvm::sys::fs;
  fs::file_status link, status;
  fs::status(path, link, /*follow=*/false);
  fs::status(path, status);
  const bool isThere = fs::is_regular_file(status);
  llvm::SmallString<128> target(path);
  if (path == "-" || (fs::exists(link) && !isThere) || (isThere && fs::real_path(path, target)) ||
      (isThere && !fs::can_write(path)))
    return writeInPlace(path, bytes);
  llvm::Expected<fs::TempFile> temporary = fs::TempFile::create(target + ".tmp-%%%%%%%%");
  if (!temporary) {
    llvm::consumeError(temporary.takeError());
    return writeInPlace(path, bytes);
  }
  std::error_code error = writeAll(temporary->FD, bytes);
  if (!error && isThere)
    error = fs::setPermissions(temporary->FD, status.permissions());
  if (error) {
    llvm::consumeError(temporary->discard());
    return complain("cannot write '" + path + "': " + error.message());
  }
  if (llvm::Error failure = temporary->keep(target))
    return complain("cannot write '" + path + "': " + llvm::toString(std::move(failure)));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  EndOnSignal endOnSignal;
  llvm::InitLLVM init(argc, argv);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << tessera::versionText() << "\n"; });
  removeOption("stop-after");
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, "Tessera's tile compiler\n");

  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
  if (!buffer)
    return complain("cannot read '" + options.input + "': " + buffer.getError().message());
  StringRef source = (*buffer)->getBuffer();

  tessera::CompileOptions compile;
  compile.target = options.target;
  if (options.emit.getNumOccurrences())
    compile.emit = options.emit;
  StringRef extension = llvm::sys::path::extension(options.output);
  if (options.listMembers)
    compile.emit = Emit::Members;
  if (!compile.emit && options.stopAfter.empty())
    compile.emit = kindOfExtension(extension, options.target);
  if (!compile.emit && options.stopAfter.empty() && isForeignExtension(extension))
    return complain("'" + options.output + "': tilec writes no " + extension +
                    " files; use .cubin, .ptx, .so, .ll, .sass, .json or .mlir, or say with --emit "
                    "what it shall be");
  if (extension == ".so" && !options.target.getNumOccurrences())
    compile.target = tessera::Target::Cpu;
  compile.stopAfter = options.stopAfter;
  compile.variants = options.variants;
  if (!options.plans.empty())
    compile.plan.clear();
  for (const std::string &option : options.plans) {
    auto plan = readPlan(option);
    if (!plan)
      return complain(
          "--plan takes given, auto, a #cta.plan<...> or a file with one; cannot read '" + option +
          "': " + plan.getError().message());
    compile.plan += (compile.plan.empty() ? "" : "\n") + *plan;
    if (options.plans.size() == 1 && option != *plan)
      compile.planName = option;
  }
  if (options.fpContract != Switch::Default)
    compile.fpContract = options.fpContract == Switch::On;
  compile.bindings = options.bindings;
  compile.sizes = options.sizes;
  if (!readMembers(options.members, compile))
    return 1;
  compile.kernels = options.kernels;
  compile.require = options.require;
  compile.optLevel = options.level;
  compile.threads = options.threads;
  compile.lineInfo = options.lineInfo;
  compile.check = options.check;
  compile.dependentLaunch = options.dependentLaunch == Switch::On;
  compile.predict = options.predict;
  compile.timeout = options.timeout;
  compile.cacheDir = options.cacheDir;
  compile.cacheLimit = options.cacheLimit;
  compile.limits.tileBytes = options.tileBytes;
  compile.limits.threadRegisters = options.threadRegisters;
  compile.saveTemps = options.saveTemps;
  compile.ptxas = options.ptxas;
  compile.disassembler = options.nvdisasm;
  compile.linker = options.linker;
  compile.cpu = options.cpu;
  compile.toolDirectories = toolDirectories(argv[0]);
  compile.sourceName = options.input == "-" ? "<stdin>" : options.input.getValue();

  // The thread that waits for signals may live longer than everything here.
  static auto &leftovers = *new tessera::Leftovers;
  endOnSignal.begin(leftovers);
  compile.leftovers = &leftovers;

  tessera::CompileResult result;
  {
    ProgressLine line;
    if (line.isShown())
      compile.progress = [&line](const tessera::CompileProgress &progress) {
        line.update(progress);
        return true;
      };
    result = tessera::compile(std::string_view(source.data(), source.size()), compile);
  }
  for (const tessera::CompileDiagnostic &diagnostic : result.diagnostics)
    llvm::errs() << (diagnostic.file.empty() ? "tilec: " : "")
                 << tessera::formatDiagnostics({diagnostic}, source, compile.sourceName);
  if (options.timing)
    printTimings(result);
  if (!result.ok) {
    if (!result.reproducer.empty() && options.saveTemps.empty())
      llvm::WithColor::note(llvm::errs()) << "--save-temps=DIR writes a reproducer\n";
    return 1;
  }
  if (options.report == ReportKind::Short)
    llvm::errs() << result.report.toSummary();
  else if (options.report == ReportKind::Full)
    llvm::errs() << result.report.toText();
  else if (options.report == ReportKind::Json)
    llvm::errs() << result.report.toJson();

  // Without -o, text is written to standard output, and an artifact to the current directory, with
  // the name of the source.
  std::string output = options.output;
  bool text = !options.stopAfter.empty() || !isBinary(result.kind);
  if (output.empty())
    output = text || options.input == "-"
                 ? "-"
                 : (llvm::sys::path::stem(options.input) + extensionOf(result.kind)).str();
  return writeOutput(output, result.artifact);
}
