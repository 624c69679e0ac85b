// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera;

FileLineColLoc tessera::findFileLoc(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findFileLoc(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(loc))
    return findFileLoc(name.getChildLoc());
  if (auto opaque = dyn_cast<OpaqueLoc>(loc))
    return findFileLoc(opaque.getFallbackLocation());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc found = findFileLoc(part))
        return found;
  return nullptr;
}

static CompileDiagnostic makeDiagnostic(CompileDiagnostic::Severity severity, Location loc,
                                        std::string message) {
  CompileDiagnostic result;
  result.severity = severity;
  result.message = std::move(message);
  if (FileLineColLoc file = findFileLoc(loc)) {
    result.file = file.getFilename().str();
    result.line = file.getLine();
    result.column = file.getColumn();
  }
  return result;
}

static CompileDiagnostic::Severity convertSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return CompileDiagnostic::Severity::Error;
  case DiagnosticSeverity::Warning:
    return CompileDiagnostic::Severity::Warning;
  case DiagnosticSeverity::Remark:
    return CompileDiagnostic::Severity::Remark;
  case DiagnosticSeverity::Note:
    break;
  }
  return CompileDiagnostic::Severity::Note;
}

/// The call in a location, around which there may be names; or null.
static CallSiteLoc findCall(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return findCall(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (findFileLoc(part))
        return findCall(part);
  return dyn_cast<CallSiteLoc>(loc);
}

/// Adds a note for each call through which inlining has brought the location here.
static void addCallers(Location loc, std::vector<CompileDiagnostic> &notes) {
  if (CallSiteLoc call = findCall(loc)) {
    notes.push_back(
        makeDiagnostic(CompileDiagnostic::Severity::Note, call.getCaller(), "called from here"));
    addCallers(call.getCaller(), notes);
  }
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, std::vector<CompileDiagnostic> &into)
    : handler(context, [&into](mlir::Diagnostic &diagnostic) {
        CompileDiagnostic result = makeDiagnostic(convertSeverity(diagnostic.getSeverity()),
                                                  diagnostic.getLocation(), diagnostic.str());
        for (mlir::Diagnostic &note : diagnostic.getNotes()) {
          std::string text = note.str();
          // A list of dialects of MLIR helps nobody: a hint says which ops a tile program has.
          if (!StringRef(text).starts_with("Available dialects: "))
            result.notes.push_back(makeDiagnostic(CompileDiagnostic::Severity::Note,
                                                  note.getLocation(), std::move(text)));
        }
        addCallers(diagnostic.getLocation(), result.notes);
        into.push_back(std::move(result));
        return success();
      }) {}

//===--- printing ---------------------------------------------------------------------------===//

static StringRef severityText(CompileDiagnostic::Severity severity) {
  switch (severity) {
  case CompileDiagnostic::Severity::Error:
    return "error";
  case CompileDiagnostic::Severity::Warning:
    return "warning";
  case CompileDiagnostic::Severity::Remark:
    return "remark";
  case CompileDiagnostic::Severity::Note:
    break;
  }
  return "note";
}

static StringRef lineOf(StringRef text, unsigned number) {
  for (unsigned i = 1; i < number; ++i)
    text = text.split('\n').second;
  return text.split('\n').first.rtrim('\r');
}

/// `shown` is the diagnostic to which this is a note, whose line is printed already; or null.
static void print(llvm::raw_ostream &os, const CompileDiagnostic &diagnostic, StringRef source,
                  StringRef sourceName, const CompileDiagnostic *shown = nullptr) {
  if (!diagnostic.file.empty())
    os << diagnostic.file << ":" << diagnostic.line << ":" << diagnostic.column << ": ";
  os << severityText(diagnostic.severity) << ": " << diagnostic.message << "\n";
  const bool isShown = shown && shown->file == diagnostic.file && shown->line == diagnostic.line &&
                       shown->column == diagnostic.column;
  if (diagnostic.file == sourceName && diagnostic.line && !isShown) {
    StringRef line = lineOf(source, diagnostic.line);
    // There is nothing to show if the source is bytecode, or is not the text that the location is
    // about.
    if (!line.empty() && llvm::none_of(line, [](char c) { return c == '\0'; })) {
      os << line << "\n";
      unsigned column = std::max(diagnostic.column, 1u);
      if (column <= line.size() + 1) {
        for (char c : line.take_front(column - 1))
          os << (c == '\t' ? '\t' : ' ');
        os << "^\n";
      }
    }
  }
  for (const CompileDiagnostic &note : diagnostic.notes)
    print(os, note, source, sourceName, &diagnostic);
}

std::string tessera::formatDiagnostics(const std::vector<CompileDiagnostic> &diagnostics,
                                       std::string_view source, std::string_view sourceName) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const CompileDiagnostic &diagnostic : diagnostics)
    print(os, diagnostic, source, sourceName);
  return text;
}
