// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks PTX as the compiler does before it runs ptxas.
#include "../Version.h"

#include "tessera/Target/PtxCheck.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;

static std::unique_ptr<llvm::MemoryBuffer> open(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (buffer)
    return std::move(*buffer);
  llvm::WithColor::error(llvm::errs(), "tile-ptx-check")
      << "cannot read '" << path << "': " << buffer.getError().message() << "\n";
  return nullptr;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tessera::registerVersion();
  cl::OptionCategory category("tile-ptx-check options");
  cl::opt<std::string> input(cl::Positional, cl::desc("<PTX, - is standard input>"), cl::init("-"),
                             cl::cat(category));
  cl::opt<std::string> contract(
      "contract",
      cl::desc("JSON of the launch contract, which says how large TMA boxes are and which launches "
               "are dependent; without it the contract in the PTX"),
      cl::value_desc("file"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Looks for hangs, races and illegal wgmma in PTX\n");

  std::unique_ptr<llvm::MemoryBuffer> text = open(input);
  if (!text)
    return 1;
  if (std::optional<std::string> why = tessera::whyNotPtx(text->getBuffer())) {
    llvm::WithColor::error(llvm::errs(), "tile-ptx-check")
        << "cannot check '" << input << "': " << *why << "\n";
    return 1;
  }
  std::vector<tessera::PtxProblem> problems;
  if (contract.empty()) {
    problems = tessera::checkPtx(text->getBuffer());
  } else {
    std::unique_ptr<llvm::MemoryBuffer> json = open(contract);
    if (!json)
      return 1;
    std::optional<tessera::LaunchPromises> promises = tessera::launchPromises(json->getBuffer());
    if (!promises) {
      llvm::WithColor::error(llvm::errs(), "tile-ptx-check")
          << "'" << contract << "' is not JSON\n";
      return 1;
    }
    problems = tessera::checkPtx(text->getBuffer(), *promises);
  }
  for (const tessera::PtxProblem &problem : problems)
    llvm::errs() << input << ":" << problem.line << ": error: in " << problem.function << ": "
                 << problem.message << "\n";
  return problems.empty() ? 0 : 1;
}
