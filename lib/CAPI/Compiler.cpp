// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera-c/Compiler.h"

#include "tessera/Compiler.h"

#include <charconv>

using namespace tessera;

struct tessera_options {
  CompileOptions options;
};

struct tessera_result {
  CompileResult result;
  std::string diagnostics, report, reportJson;
  std::vector<const CompileDiagnostic *> errors;
};

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
                                  {"json", Emit::Json}};
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

constexpr Named<std::string CompileOptions::*> kTexts[] = {
    {"stop-after", &CompileOptions::stopAfter},
    {"plan", &CompileOptions::plan},
    {"variants", &CompileOptions::variants},
    {"save-temps", &CompileOptions::saveTemps},
    {"temp-dir", &CompileOptions::tempDir},
    {"ptxas", &CompileOptions::ptxas},
    {"nvdisasm", &CompileOptions::disassembler},
    {"linker", &CompileOptions::linker},
    {"mcpu", &CompileOptions::cpu},
    {"source-name", &CompileOptions::sourceName}};
constexpr Named<std::vector<std::string> CompileOptions::*> kLists[] = {
    {"require", &CompileOptions::require}, {"tool-dir", &CompileOptions::toolDirectories}};

bool set(CompileOptions &options, std::string_view name, std::string_view value) {
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
  if (name == "opt-level") {
    if (value.size() != 1 || value[0] < '0' || value[0] > '3')
      return false;
    options.optLevel = value[0] - '0';
    return true;
  }
  if (name == "threads")
    return std::from_chars(value.data(), value.data() + value.size(), options.threads).ptr ==
               value.data() + value.size() &&
           !value.empty();
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
  return false;
}

} // namespace

const char *tessera_version(void) {
  static const std::string text = versionText();
  return text.c_str();
}

tessera_options *tessera_options_create(void) { return new tessera_options; }
void tessera_options_destroy(tessera_options *options) { delete options; }

int tessera_options_set(tessera_options *options, const char *name, const char *value) {
  return options && name && value && set(options->options, name, value) ? 0 : 1;
}

tessera_result *tessera_compile(const char *source, size_t size, const tessera_options *options) {
  auto *result = new tessera_result;
  CompileOptions compileOptions = options ? options->options : CompileOptions();
  std::string_view text(source ? source : "", source ? size : 0);
  result->result = compile(text, compileOptions);
  result->diagnostics =
      formatDiagnostics(result->result.diagnostics, text, compileOptions.sourceName);
  for (const CompileDiagnostic &diagnostic : result->result.diagnostics)
    if (diagnostic.severity == CompileDiagnostic::Severity::Error)
      result->errors.push_back(&diagnostic);
  result->report = result->result.report.toText();
  result->reportJson = result->result.report.toJson();
  return result;
}

void tessera_result_destroy(tessera_result *result) { delete result; }

// A result that is NULL means that compilation failed without a message.
int tessera_result_ok(const tessera_result *result) { return result && result->result.ok; }
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
