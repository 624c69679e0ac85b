// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/SourceNames.h"

#include "Diagnostics.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera;

SourceNames::SourceNames(StringRef text, StringRef sourceName) : sourceName(sourceName) {
  text.split(lines, '\n');
}

//===--- names in the text ------------------------------------------------------------------===//

/// The statement without its types and its region. Index tiles keep theirs, since they stand among
/// the coordinates: "tile.atomic add %x, %H[%i : tensor<8xi32>]".
static StringRef withoutTypes(StringRef statement) {
  int depth = 0;
  for (size_t i = 0; i < statement.size(); ++i) {
    depth += (statement[i] == '[') - (statement[i] == ']');
    if (!depth && statement.substr(i).starts_with(" : ")) {
      statement = statement.take_front(i);
      break;
    }
  }
  statement = statement.rtrim();
  statement.consume_back("{");
  return statement.rtrim();
}

std::string SourceNames::nameInText(FileLineColLoc file) const {
  if (!file || file.getFilename() != sourceName || !file.getLine() ||
      file.getLine() > lines.size() || !file.getColumn())
    return "";
  StringRef text = lines[file.getLine() - 1];
  // The location of an op is that of its name, which follows "%a = ".
  StringRef before = text.take_front(file.getColumn() - 1).rtrim();
  if (before.consume_back("=")) {
    before = before.rtrim();
    size_t start = before.find_last_of("{;");
    return before.drop_front(start == StringRef::npos ? 0 : start + 1).trim().str();
  }
  return withoutTypes(text.drop_front(std::min<size_t>(file.getColumn() - 1, text.size()))).str();
}

//===--- names as MLIR prints them ----------------------------------------------------------===//

/// Returns "%3", "%3:2", or for an op without results its statement, "tile.store %3, %C[%i, %j]".
static std::string nameAsPrinted(Operation *op, AsmState &state) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, state);
  StringRef printed = StringRef(text).split('\n').first.trim();
  if (op->getNumResults() && printed.starts_with("%"))
    return printed.split(" = ").first.str();
  // The printer shows a region that it leaves out as "{...}".
  return withoutTypes(printed.split(" {...}").first).str();
}

/// A location that is equal to that of no other op. It stands within calls, around what was called,
/// because calls are looked for at the outside.
static Location makeUnique(Location loc, int64_t number) {
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return CallSiteLoc::get(makeUnique(call.getCallee(), number), call.getCaller());
  Builder b(loc.getContext());
  return FusedLoc::get(
      b.getContext(), {loc},
      b.getDictionaryAttr(b.getNamedAttr("tessera.source_op", b.getI64IntegerAttr(number))));
}

void SourceNames::take(ModuleOp module) {
  SmallVector<Operation *> unnamed;
  llvm::DenseMap<Location, unsigned> uses;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module || !nameInText(findFileLoc(op->getLoc())).empty())
      return;
    unnamed.push_back(op);
    ++uses[op->getLoc()];
  });
  if (unnamed.empty())
    return;
  AsmState state(module,
                 OpPrintingFlags().skipRegions().elideLargeElementsAttrs().assumeVerified());
  std::vector<std::string> printed;
  printed.reserve(unnamed.size());
  for (Operation *op : unnamed)
    printed.push_back(nameAsPrinted(op, state));
  for (auto [number, op] : llvm::enumerate(unnamed)) {
    if (isa<UnknownLoc>(op->getLoc()) || uses[op->getLoc()] > 1)
      op->setLoc(makeUnique(op->getLoc(), static_cast<int64_t>(number)));
    names[op->getLoc()] = std::move(printed[number]);
  }
}

//===--- locations --------------------------------------------------------------------------===//

/// The part of a location that a fused location is about: the first one with a place in a file, or
/// the first one.
static Location mainPart(FusedLoc fused) {
  for (Location part : fused.getLocations())
    if (findFileLoc(part))
      return part;
  return fused.getLocations().front();
}

void SourceNames::addTo(SourceLocation &result, Location loc) const {
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    result.file = file.getFilename() == sourceName ? "" : file.getFilename().str();
    result.line = file.getLine();
    result.column = file.getColumn();
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    addTo(result, call.getCallee());
    SourceLocation caller = locate(call.getCaller());
    std::vector<SourceLocation> outer = std::move(caller.calledFrom);
    caller.calledFrom.clear();
    result.calledFrom.push_back(std::move(caller));
    llvm::append_range(result.calledFrom, outer);
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    addTo(result, named.getChildLoc());
    // Of several names the outermost is that of the op.
    if (!named.getName().empty())
      result.name = named.getName().str();
  } else if (auto opaque = dyn_cast<OpaqueLoc>(loc)) {
    addTo(result, opaque.getFallbackLocation());
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    addTo(result, mainPart(fused));
  }
  // A NameLoc further inside comes before the name by position.
  if (auto taken = names.find(loc); result.name.empty() && taken != names.end())
    result.name = taken->second;
}

SourceLocation SourceNames::locate(Location loc) const {
  SourceLocation result;
  addTo(result, loc);
  if (result.name.empty())
    result.name = nameInText(findFileLoc(loc));
  return result;
}

const void *SourceNames::identify(Location loc) const {
  if (names.contains(loc) || isa<FileLineColLoc>(loc))
    return loc.getAsOpaquePointer();
  // What was called, at this call.
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return identify(call.getCallee()) ? loc.getAsOpaquePointer() : nullptr;
  if (auto named = dyn_cast<NameLoc>(loc))
    return identify(named.getChildLoc());
  if (auto opaque = dyn_cast<OpaqueLoc>(loc))
    return identify(opaque.getFallbackLocation());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return identify(mainPart(fused));
  return nullptr;
}

//===--- text -------------------------------------------------------------------------------===//

std::string tessera::lineText(const SourceLocation &location) {
  if (!location.line)
    return "no line";
  return (location.file.empty() ? "line " : location.file + ":") + std::to_string(location.line);
}

std::string tessera::placeText(const std::string &what, const SourceLocation &location) {
  if (location.line)
    return what + " at " + lineText(location);
  return location.name.empty() ? "" : what + " " + location.name;
}
