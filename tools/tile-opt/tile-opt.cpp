// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt for Tessera: runs single passes and pipelines.
#include "../Version.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tessera/Dialect/Tile/Syntax/ParserHints.h"
#include "tessera/Dialect/Tile/Syntax/SourceLimits.h"
#include "tessera/InitAll.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

static int complain(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tile-opt") << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tessera::registerTesseraDialects(registry);
  tessera::registerTesseraPasses();
  mlir::registerTransformsPasses();
  llvm::InitLLVM init(argc, argv);
  tessera::registerVersion();
  auto [inputName, outputName] =
      mlir::registerAndParseCLIOptions(argc, argv, "Tessera's optimiser driver\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, inputName, outputName, registry));

  // This does with the files what MlirOptMain does, and also checks the source before it is parsed.
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &message);
  if (!input)
    return complain(message);
  if (!mlir::isBytecode(*input))
    if (auto problem = tessera::tile::findSourceProblem(input->getBuffer()))
      return complain(inputName + ":" + llvm::Twine(problem->line) + ":" +
                      llvm::Twine(problem->column) + ": " + problem->message);
  // What a test expects of passes and verifiers are the messages alone. Places in a part of a split
  // file count lines from its beginning, so the hints of such a part do without the text.
  const std::string source =
      config.inputSplitMarker().empty() ? input->getBuffer().str() : std::string();
  if (!config.shouldVerifyDiagnostics())
    tessera::tile::registerParserHints(registry, source);
  std::unique_ptr<llvm::ToolOutputFile> output = mlir::openOutputFile(outputName, &message);
  if (!output)
    return complain(message);
  if (failed(mlir::MlirOptMain(output->os(), std::move(input), registry, config)))
    return 1;
  output->keep();
  return 0;
}
