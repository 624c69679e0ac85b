// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/ReadProgram.h"

#include "tessera/Dialect/Tile/Syntax/ParserHints.h"
#include "tessera/Dialect/Tile/Syntax/SourceLimits.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace mlir;
using namespace tessera;

/// Runs the verifier of each op by itself, so that an error does not hide those of other ops. An op
/// whose regions hold an error is not asked about its regions. Nothing is checked that concerns
/// several ops (dominance, terminators).
static LogicalResult verifyEachOp(Operation *op) {
  const std::optional<RegisteredOperationName> name = op->getRegisteredInfo();
  if (!name)
    return success();
  LogicalResult result = name->verifyInvariants(op);
  bool failedInside = false;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        failedInside |= failed(verifyEachOp(&inner));
  if (failedInside || failed(result))
    return failure();
  return name->verifyRegionInvariants(op);
}

/// Verifies a module. If it is invalid, reports the error at which MLIR's verifier stops, and those
/// of all ops after it.
static LogicalResult verifyAll(ModuleOp module) {
  MLIRContext *context = module.getContext();
  std::vector<Diagnostic> first, all;
  auto collect = [&](std::vector<Diagnostic> &into, auto &&verifyModule) {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      into.push_back(std::move(diagnostic));
      return success();
    });
    return verifyModule();
  };
  if (succeeded(collect(first, [&] { return verify(module); })))
    return success();
  (void)collect(all, [&] { return verifyEachOp(module); });
  auto isSaid = [&](const Diagnostic &diagnostic) {
    return llvm::any_of(all, [&](const Diagnostic &other) {
      return other.getLocation() == diagnostic.getLocation() && other.str() == diagnostic.str();
    });
  };
  // What only MLIR's verifier finds comes before the rest.
  for (Diagnostic &diagnostic : first)
    if (!isSaid(diagnostic))
      context->getDiagEngine().emit(std::move(diagnostic));
  for (Diagnostic &diagnostic : all)
    context->getDiagEngine().emit(std::move(diagnostic));
  return failure();
}

OwningOpRef<ModuleOp> tessera::readProgram(StringRef source, StringRef name, MLIRContext &context) {
  const bool isBinary = isBytecode(llvm::MemoryBufferRef(source, name));
  if (!isBinary && failed(tile::checkSourceText(source, name, &context)))
    return {};
  tile::ParserHints hints(&context, isBinary ? "" : source);
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, config, name);
  if (!module || (isBinary && failed(tile::checkNesting(*module))) || failed(verifyAll(*module)))
    return {};
  return module;
}
