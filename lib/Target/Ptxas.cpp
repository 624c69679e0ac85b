// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/Ptxas.h"

#include "tessera/Target/DiagnosedKernel.h"
#include "tessera/Target/SpillPlaces.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tessera;

FailureOr<std::string> tessera::findPtxas(const ToolSearch &search, Location loc) {
  return findTool("ptxas", search, loc,
                  "it comes with NVIDIA's CUDA toolkit and with the Python package "
                  "nvidia-cuda-nvcc; put it on PATH or "
                  "name it (tilec --ptxas=PATH, CompileOptions::ptxas)");
}

std::string tessera::ptxasVersion(StringRef program, const TemporaryDirectory &directory) {
  ToolRun run = runTool(program, {"--version"}, directory);
  // The line is "Cuda compilation tools, release 13.0, V13.0.88".
  size_t at = StringRef(run.output).find(", V");
  if (run.exitCode != 0 || at == StringRef::npos)
    return "";
  return StringRef(run.output)
      .drop_front(at + 3)
      .take_while([](char c) { return llvm::isDigit(c) || c == '.'; })
      .str();
}

const PtxasFunction *PtxasLog::lookup(StringRef name) const {
  for (const PtxasFunction &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

//===--- the log ----------------------------------------------------------------------------===//

/// The number before `unit` in `line` (for "40 bytes spill stores", 40), or 0.
static int64_t numberBefore(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef head = line.take_front(at).rtrim();
  StringRef digits = head.take_back(head.size() - (head.find_last_not_of("0123456789") + 1));
  int64_t value = 0;
  return digits.getAsInteger(10, value) ? 0 : value;
}

/// The text between the first quotes after `marker`.
static StringRef quotedAfter(StringRef line, StringRef marker) {
  size_t at = line.find(marker);
  if (at == StringRef::npos)
    return "";
  return line.drop_front(at + marker.size()).split('\'').second.split('\'').first;
}

/// Parses "ptxas info    : text" and "ptxas FILE, line 5; error   : text".
static std::optional<PtxasMessage> parseMessage(StringRef line) {
  if (!line.consume_front("ptxas"))
    return std::nullopt;
  PtxasMessage message;
  size_t colon = line.find(" : ");
  if (colon == StringRef::npos)
    return std::nullopt;
  StringRef head = line.take_front(colon).trim(), text = line.drop_front(colon + 3).trim();
  if (size_t at = head.find(", line "); at != StringRef::npos) {
    StringRef rest = head.drop_front(at + 7);
    if (rest.consumeInteger(10, message.line))
      message.line = 0;
    head = rest.split(';').second.trim();
  }
  if (head == "info")
    message.severity = PtxasMessage::Severity::Info;
  else if (head == "warning")
    message.severity = PtxasMessage::Severity::Warning;
  else if (head == "error" || head == "fatal")
    message.severity = PtxasMessage::Severity::Error;
  else
    return std::nullopt;
  if (text.starts_with("(C")) {
    message.code = text.drop_front(1).split(')').first.str();
    text = text.split(')').second.ltrim();
  }
  message.text = text.str();
  message.function = quotedAfter(text, "function").str();
  return message;
}

PtxasLog tessera::parsePtxasLog(StringRef text) {
  PtxasLog log;
  PtxasFunction *current = nullptr;
  auto select = [&](StringRef name) {
    for (PtxasFunction &function : log.functions)
      if (function.name == name)
        return current = &function;
    log.functions.emplace_back();
    log.functions.back().name = name.str();
    return current = &log.functions.back();
  };
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (line.contains("bytes stack frame") && current) {
      current->stackBytes = numberBefore(line, " bytes stack frame");
      current->spillStoreBytes = numberBefore(line, " bytes spill stores");
      current->spillLoadBytes = numberBefore(line, " bytes spill loads");
      continue;
    }
    std::optional<PtxasMessage> message = parseMessage(line);
    if (!message)
      continue;
    StringRef said = message->text;
    if (said.starts_with("Compiling entry function")) {
      select(quotedAfter(said, "Compiling entry function"));
    } else if (said.consume_front("Function properties for ")) {
      select(said.trim());
    } else if (said.starts_with("Used ") && current) {
      current->registers = numberBefore(said, " registers");
      current->barriers = numberBefore(said, " barriers");
      current->staticSharedBytes = numberBefore(said, " bytes smem");
      current->constantBytes = numberBefore(said, " bytes cmem[0]");
    } else if (!said.starts_with("Compile time =") && !said.contains(" bytes gmem")) {
      log.messages.push_back(std::move(*message));
    }
  }
  return log;
}

//===--- running ----------------------------------------------------------------------------===//

/// The text of line `number` of the PTX, for an error.
static StringRef lineOf(StringRef text, unsigned number) {
  for (unsigned i = 1; i < number; ++i)
    text = text.split('\n').second;
  return text.split('\n').first.trim();
}

static void noteKernelOf(InFlightDiagnostic &error, const PtxasPolicy &policy, Location loc) {
  if (!policy.kernel.empty())
    noteKernel(*error.getUnderlyingDiagnostic(), StringAttr::get(loc.getContext(), policy.kernel));
}

FailureOr<PtxasResult> tessera::runPtxas(StringRef ptx, const PtxasOptions &options, Location loc) {
  PtxasResult result;
  FailureOr<std::string> program = findPtxas(options.search, loc);
  if (failed(program))
    return failure();
  result.program = *program;
  FailureOr<TemporaryDirectory> directory = TemporaryDirectory::create(options.environment, loc);
  if (failed(directory))
    return failure();
  std::string input = directory->file("kernel.ptx"), output = directory->file("kernel.cubin");
  if (failed(writeFile(input, ptx, loc)))
    return failure();
  std::string arch = "-arch=" + options.chip, level = "-O" + std::to_string(options.optLevel);
  // ptxas optimises the functions of a module concurrently. A kernel has as many functions as
  // variants and launches.
  std::string split = "-split-compile=" + std::to_string(options.threads);
  SmallVector<StringRef> words{arch, level, "-v", split};
  if (options.lineInfo)
    words.push_back("-lineinfo");
  words.append({input, "-o", output});
  ToolRun run = runTool(*program, words, *directory);
  result.logText = std::move(run.output);
  result.log = parsePtxasLog(result.logText);
  if (run.exitCode != 0) {
    bool reported = false;
    for (const PtxasMessage &message : result.log.messages) {
      if (message.severity != PtxasMessage::Severity::Error || (reported && !message.line))
        continue;
      const PtxasPolicy *policy = nullptr;
      if (options.policies)
        if (auto it = options.policies->find(message.function); it != options.policies->end())
          policy = &it->second;
      InFlightDiagnostic diag = emitError(policy ? policy->loc.value_or(loc) : loc, "ptxas");
      if (policy)
        noteKernelOf(diag, *policy, loc);
      if (message.line)
        diag << ", PTX line " << message.line;
      diag << ": " << message.text;
      if (message.line)
        diag.attachNote() << lineOf(ptx, message.line);
      reported = true;
    }
    if (!reported)
      emitError(loc, "'") << *program << "' failed"
                          << (run.exitCode < 0 ? ": " + run.error
                                               : " with exit code " + std::to_string(run.exitCode))
                          << "; its output: " << StringRef(result.logText).take_front(2000);
    return failure();
  }
  FailureOr<std::string> cubin = readFile(output, loc);
  if (failed(cubin))
    return failure();
  result.cubin = std::move(*cubin);
  for (PtxasFunction &function : result.log.functions)
    if (function.spillStoreBytes || function.spillLoadBytes)
      function.spillsInProductLoops = maySpillInProductLoops(result.cubin, function.name);
  return result;
}

/// A few registers that are spilled outside of loops with matrix products, or in functions without
/// these, cost no measurable time. The report has them, but there is no warning.
static constexpr int64_t kToleratedSpillBytes = 32;
/// The same outside of the main loops of functions with matrix products: 32 numbers that are read
/// once for each output tile, which takes thousands of cycles.
static constexpr int64_t kToleratedBesideProducts = 128;

SpillVerdict tessera::judgeSpill(const PtxasFunction &function, const PtxasPolicy &policy) {
  if (!function.spillStoreBytes && !function.spillLoadBytes)
    return SpillVerdict::None;
  if (policy.requireNoSpills)
    return SpillVerdict::Error;
  if (policy.losses == PtxasLosses::Expected)
    return SpillVerdict::None;
  // A warning is for the variant that most launches use. The report has the spills of all variants.
  if (policy.isFallback)
    return SpillVerdict::None;
  if (policy.onTensorPath) {
    if (!function.spillsInProductLoops && function.spillStoreBytes <= kToleratedBesideProducts)
      return SpillVerdict::None;
    return policy.losses == PtxasLosses::Warnings ? SpillVerdict::Warning : SpillVerdict::Error;
  }
  return function.spillStoreBytes > kToleratedSpillBytes ? SpillVerdict::Warning
                                                         : SpillVerdict::None;
}

LogicalResult tessera::judgePtxas(const PtxasLog &log,
                                  const std::map<std::string, PtxasPolicy> &policies,
                                  Location loc) {
  auto policyOf = [&](const std::string &function) {
    auto it = policies.find(function);
    return it == policies.end() ? PtxasPolicy() : it->second;
  };
  bool bad = false;
  for (const PtxasMessage &message : log.messages) {
    const PtxasPolicy policy = policyOf(message.function);
    Location at = policy.loc.value_or(loc);
    if (message.isPerformanceLoss()) {
      if (policy.losses == PtxasLosses::Expected)
        continue;
      const bool isError = policy.losses == PtxasLosses::Errors;
      bad |= isError;
      InFlightDiagnostic diag = isError ? emitError(at) : emitWarning(at);
      noteKernelOf(diag, policy, loc);
      diag << "ptxas (" << message.code << "): " << message.text;
      if (!isError)
        diag << "; no other plan is left: use smaller tiles";
    } else if (message.severity == PtxasMessage::Severity::Warning) {
      emitWarning(at, "ptxas: ") << message.text;
    }
  }
  for (const PtxasFunction &function : log.functions) {
    PtxasPolicy policy = policyOf(function.name);
    SpillVerdict verdict = judgeSpill(function, policy);
    if (verdict == SpillVerdict::None)
      continue;
    bool isError = verdict == SpillVerdict::Error;
    bad |= isError;
    Location at = policy.loc.value_or(loc);
    InFlightDiagnostic diag = isError ? emitError(at) : emitWarning(at);
    noteKernelOf(diag, policy, loc);
    diag << "'" << function.name << "' spills registers (" << function.spillStoreBytes
         << " bytes stored, " << function.spillLoadBytes << " loaded, with " << function.registers
         << " registers a thread), ";
    if (policy.requireNoSpills)
      diag << "which the kernel refuses by `require`";
    else if (policy.onTensorPath)
      diag << "which costs much around matrix products";
    else
      diag << "which costs time in every block";
    diag << ": use smaller tiles or more warpgroups";
    if (policy.losses == PtxasLosses::Warnings)
      diag << "; no other plan is left";
    if (policy.plannedBlocks > 1)
      diag << ", or plan blocks_per_sm = 1 instead of " << policy.plannedBlocks;
  }
  return failure(bad);
}
