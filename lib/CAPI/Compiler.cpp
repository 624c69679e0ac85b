// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Handles.h"

#include "tessera/Pipelines.h"

#include <charconv>
#include <limits>
#include <optional>

using namespace tessera;

namespace {

template <typename T>
struct Named {
  const char *name;
  T value;
};

constexpr Named<Target> kTargets[] = {{"sm_90a", Target::Sm90a}, {"cpu", Target::Cpu}};
constexpr Named<Emit> kKinds[] = {{"tile", Emit::Tile},
                                  {"raw", Emit::Raw},
                                  {"placed", Emit::Placed},
                                  {"planned", Emit::Planned},
                                  {"scheduled", Emit::Scheduled},
                                  {"specialized", Emit::Specialized},
                                  {"allocated", Emit::Allocated},
                                  {"cta", Emit::Cta},
                                  {"nvvm", Emit::Nvvm},
                                  {"llvm", Emit::Llvm},
                                  {"ptx", Emit::Ptx},
                                  {"sass", Emit::Sass},
                                  {"cubin", Emit::Cubin},
                                  {"so", Emit::SharedObject},
                                  {"json", Emit::Json},
                                  {"contract", Emit::Contract},
                                  {"members", Emit::Members}};
constexpr Named<bool> kSwitches[] = {{"on", true}, {"off", false}};

/// Writes the value with that name to `to`. Returns false if no value has this name.
template <typename T, size_t N, typename U>
bool choose(const Named<T> (&table)[N], std::string_view name, U &to) {
  for (const Named<T> &entry : table)
    if (name == entry.name) {
      to = entry.value;
      return true;
    }
  return false;
}

/// Reads a whole number or, for a double, a decimal one. Returns false if the text is another one
/// or the number does not fit.
template <typename T>
bool readNumber(std::string_view text, T &number) {
  const char *end = text.data() + text.size();
  auto [read, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && read == end && !text.empty();
}

constexpr Named<std::string CompileOptions::*> kTexts[] = {
    {"plan", &CompileOptions::plan},
    {"save-temps", &CompileOptions::saveTemps},
    {"cache-dir", &CompileOptions::cacheDir},
    {"cache-key", &CompileOptions::cacheKey},
    {"temp-dir", &CompileOptions::tempDir},
    {"ptxas", &CompileOptions::ptxas},
    {"nvdisasm", &CompileOptions::disassembler},
    {"linker", &CompileOptions::linker},
    {"mcpu", &CompileOptions::cpu},
    {"source-name", &CompileOptions::sourceName}};
constexpr Named<std::vector<std::string> CompileOptions::*> kLists[] = {
    {"require", &CompileOptions::require},
    {"define", &CompileOptions::bindings},
    {"sizes", &CompileOptions::sizes},
    {"kernel", &CompileOptions::kernels},
    {"tool-dir", &CompileOptions::toolDirectories}};

/// Returns whether the option may have that value; nothing if there is no such option.
std::optional<bool> set(CompileOptions &options, std::string_view name, std::string_view value) {
  if (name == "target")
    return choose(kTargets, value, options.target);
  if (name == "emit")
    return choose(kKinds, value, options.emit);
  if (name == "fp-contract")
    return choose(kSwitches, value, options.fpContract);
  if (name == "lineinfo")
    return choose(kSwitches, value, options.lineInfo);
  if (name == "check")
    return choose(kSwitches, value, options.check);
  if (name == "dependent-launch")
    return choose(kSwitches, value, options.dependentLaunch);
  if (name == "predict")
    return choose(kSwitches, value, options.predict);
  if (name == "opt-level") {
    if (value.size() != 1 || value[0] < '0' || value[0] > '3')
      return false;
    options.optLevel = value[0] - '0';
    return true;
  }
  if (name == "members")
    return readNumber(value, options.members);
  if (name == "member") {
    options.memberList.push_back(std::string(value));
    return true;
  }
  if (name == "threads")
    return readNumber(value, options.threads) && options.threads <= kMaxThreads;
  if (name == "timeout")
    return readNumber(value, options.timeout) && options.timeout >= 0 &&
           options.timeout <= std::numeric_limits<double>::max();
  if (name == "cache-limit")
    return readNumber(value, options.cacheLimit);
  if (name == "tile-bytes")
    return readNumber(value, options.limits.tileBytes);
  if (name == "thread-registers")
    return readNumber(value, options.limits.threadRegisters);
  if (name == "variants") {
    options.variants = value;
    return isVariantChoice(value);
  }
  if (name == "require" && !isRequirement(value))
    return false;
  if (name == "stop-after") {
    options.stopAfter = value;
    return value.empty() || parsePhase(value);
  }
  std::string CompileOptions::*text;
  if (choose(kTexts, name, text)) {
    options.*text = value;
    return true;
  }
  std::vector<std::string> CompileOptions::*list;
  if (choose(kLists, name, list)) {
    (options.*list).emplace_back(value);
    return true;
  }
  return std::nullopt;
}

} // namespace

const char *tessera_version(void) {
  static const std::string text = versionText();
  return text.c_str();
}

int tessera_api_version(void) { return TESSERA_API_VERSION; }

tessera_options *tessera_options_create(void) { return new tessera_options; }
void tessera_options_destroy(tessera_options *options) { delete options; }

int tessera_options_set(tessera_options *options, const char *name, const char *value) {
  if (!options || !name || !value)
    return 1;
  CompileOptions changed = options->options;
  const std::optional<bool> isSet = set(changed, name, value);
  if (isSet == true) {
    options->options = std::move(changed);
    options->error.clear();
    return 0;
  }
  options->error = isSet ? std::string("the option '") + name + "' cannot be '" + value + "'"
                         : std::string("there is no option '") + name + "'";
  options->error += "; tessera-c/Compiler.h lists the options and their values";
  return 1;
}

const char *tessera_options_error(const tessera_options *options) {
  return options ? options->error.c_str() : "";
}

void tessera_options_set_progress(tessera_options *options,
                                  int (*callback)(void *, const tessera_progress *), void *user) {
  if (!options)
    return;
  options->progress = callback;
  options->progressUser = user;
}

tessera_cancellation *tessera_cancellation_create(void) { return new tessera_cancellation; }
void tessera_cancellation_cancel(tessera_cancellation *cancellation) {
  if (cancellation)
    cancellation->cancellation.cancel();
}
void tessera_cancellation_destroy(tessera_cancellation *cancellation) { delete cancellation; }

void tessera_options_set_cancellation(tessera_options *options,
                                      const tessera_cancellation *cancellation) {
  if (options)
    options->options.cancellation = cancellation ? &cancellation->cancellation : nullptr;
}

tessera_result *tessera::makeResult(CompileResult compiled, std::string_view source,
                                    std::string_view sourceName) {
  auto *result = new tessera_result;
  result->result = std::move(compiled);
  result->diagnostics = formatDiagnostics(result->result.diagnostics, source, sourceName);
  for (const CompileDiagnostic &diagnostic : result->result.diagnostics)
    if (diagnostic.severity == CompileDiagnostic::Severity::Error)
      result->errors.push_back(&diagnostic);
  result->report = result->result.report.toText();
  result->reportJson = result->result.report.toJson();
  return result;
}

CompileOptions tessera::optionsOf(const tessera_options *options) {
  CompileOptions compileOptions = options ? options->options : CompileOptions();
  if (options && options->progress)
    compileOptions.progress = [options](const CompileProgress &progress) {
      const std::string phase(progress.phase), kernel(progress.kernel), variant(progress.variant);
      const tessera_progress now = {sizeof(tessera_progress), phase.c_str(), kernel.c_str(),
                                    variant.c_str(), progress.seconds};
      return options->progress(options->progressUser, &now) == 0;
    };
  return compileOptions;
}

tessera_result *tessera_compile(const char *source, size_t size, const tessera_options *options) {
  CompileOptions compileOptions = optionsOf(options);
  std::string_view text(source ? source : "", source ? size : 0);
  return makeResult(compile(text, compileOptions), text, compileOptions.sourceName);
}

void tessera_result_destroy(tessera_result *result) { delete result; }

// A result that is NULL means that compilation failed without a message.
int tessera_result_ok(const tessera_result *result) { return result && result->result.ok; }
tessera_status tessera_result_status(const tessera_result *result) {
  if (!result)
    return TESSERA_ERROR;
  switch (result->result.stopped) {
  case StopCondition::Reason::Cancelled:
    return TESSERA_CANCELLED;
  case StopCondition::Reason::TimedOut:
    return TESSERA_TIMED_OUT;
  case StopCondition::Reason::None:
    break;
  }
  return result->result.ok ? TESSERA_OK : TESSERA_ERROR;
}

int tessera_result_cached(const tessera_result *result) { return result && result->result.cached; }

size_t tessera_result_diagnostic_count(const tessera_result *result) {
  return result ? result->result.diagnostics.size() : 0;
}

/// Writes to a struct of the host, which may be older and smaller than ours. Fields after
/// `note_count` are later than version 1, and are written only where the struct has them.
static int fill(tessera_diagnostic *to, const CompileDiagnostic &from) {
  constexpr size_t smallest = offsetof(tessera_diagnostic, note_count) + sizeof(to->note_count);
  if (!to || to->struct_size < smallest)
    return 1;
  static_assert(static_cast<int>(CompileDiagnostic::Severity::Error) == TESSERA_SEVERITY_ERROR);
  static_assert(static_cast<int>(CompileDiagnostic::Severity::Warning) == TESSERA_SEVERITY_WARNING);
  static_assert(static_cast<int>(CompileDiagnostic::Severity::Remark) == TESSERA_SEVERITY_REMARK);
  static_assert(static_cast<int>(CompileDiagnostic::Severity::Note) == TESSERA_SEVERITY_NOTE);
  to->severity = static_cast<tessera_severity>(from.severity);
  to->file = from.file.c_str();
  to->line = from.line;
  to->column = from.column;
  to->message = from.message.c_str();
  to->note_count = from.notes.size();
  return 0;
}

int tessera_result_diagnostic(const tessera_result *result, size_t index,
                              tessera_diagnostic *diagnostic) {
  if (index >= tessera_result_diagnostic_count(result))
    return 1;
  return fill(diagnostic, result->result.diagnostics[index]);
}

int tessera_result_note(const tessera_result *result, size_t index, size_t note,
                        tessera_diagnostic *diagnostic) {
  if (index >= tessera_result_diagnostic_count(result) ||
      note >= result->result.diagnostics[index].notes.size())
    return 1;
  return fill(diagnostic, result->result.diagnostics[index].notes[note]);
}

size_t tessera_result_timing_count(const tessera_result *result) {
  return result ? result->result.timings.size() : 0;
}
const char *tessera_result_timing(const tessera_result *result, size_t index, double *seconds) {
  const bool isOne = index < tessera_result_timing_count(result);
  if (seconds)
    *seconds = isOne ? result->result.timings[index].second : 0;
  return isOne ? result->result.timings[index].first.c_str() : "";
}
const void *tessera_result_artifact(const tessera_result *result) {
  return result ? result->result.artifact.c_str() : "";
}
size_t tessera_result_artifact_size(const tessera_result *result) {
  return result ? result->result.artifact.size() : 0;
}
const char *tessera_result_diagnostics(const tessera_result *result) {
  return result ? result->diagnostics.c_str() : "";
}
size_t tessera_result_error_count(const tessera_result *result) {
  return result ? result->errors.size() : 0;
}

const char *tessera_result_error(const tessera_result *result, size_t index, unsigned *line,
                                 unsigned *column) {
  const bool isOne = result && index < result->errors.size();
  if (line)
    *line = isOne ? result->errors[index]->line : 0;
  if (column)
    *column = isOne ? result->errors[index]->column : 0;
  return isOne ? result->errors[index]->message.c_str() : "";
}

const char *tessera_result_report(const tessera_result *result) {
  return result ? result->report.c_str() : "";
}
const char *tessera_result_report_json(const tessera_result *result) {
  return result ? result->reportJson.c_str() : "";
}
const char *tessera_result_reproducer(const tessera_result *result) {
  return result ? result->result.reproducer.c_str() : "";
}
