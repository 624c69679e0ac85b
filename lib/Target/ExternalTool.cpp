// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/ExternalTool.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string joinPath(StringRef directory, StringRef name) {
  SmallString<128> result(directory);
  path::append(result, name);
  return std::string(result);
}

FailureOr<std::string> tessera::findTool(StringRef name, const ToolSearch &search, Location loc,
                                         StringRef hint) {
  if (!search.path.empty()) {
    std::string candidate =
        fs::is_directory(search.path) ? joinPath(search.path, name) : search.path;
    if (fs::can_execute(candidate))
      return candidate;
    return emitError(loc, "'") << candidate
                               << "' is not a program that can be run, but was given as " << name,
           failure();
  }
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
    return *found;
  std::string looked = "the directories of PATH";
  for (const std::string &directory : search.directories) {
    if (directory.empty()) // an empty entry would mean the current directory
      continue;
    std::string candidate = joinPath(directory, name);
    if (fs::can_execute(candidate) && !fs::is_directory(candidate))
      return candidate;
    looked += ", '" + directory + "'";
  }
  return emitError(loc, "cannot find the program ") << name << " in " << looked << "; " << hint,
         failure();
}

FailureOr<TemporaryDirectory> TemporaryDirectory::create(StringRef parent, Leftovers *leftovers,
                                                         Location loc) {
  SmallString<128> prefix(parent);
  if (prefix.empty())
    path::system_temp_directory(/*ErasedOnReboot=*/true, prefix);
  else if (std::error_code error = fs::create_directories(prefix))
    return emitError(loc, "cannot make the directory '")
               << prefix << "' for temporary files: " << error.message(),
           failure();
  path::append(prefix, "tessera");
  std::error_code error;
  auto make = [&] {
    SmallString<128> path;
    error = fs::createUniqueDirectory(prefix, path);
    return error ? std::string() : std::string(path);
  };
  std::string path = leftovers ? leftovers->addDirectory(make) : make();
  if (error)
    return emitError(loc, "cannot make a temporary directory '")
               << prefix << "-…': " << error.message(),
           failure();
  return TemporaryDirectory(std::move(path), leftovers);
}

TemporaryDirectory::~TemporaryDirectory() {
  if (directory.empty())
    return;
  if (leftovers)
    leftovers->removeDirectory(directory);
  else
    fs::remove_directories(directory);
}

std::string TemporaryDirectory::file(StringRef name) const { return joinPath(directory, name); }

LogicalResult tessera::writeFile(StringRef path, StringRef bytes, Location loc) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return emitError(loc, "cannot write '") << path << "': " << error.message();
  return success();
}

FailureOr<std::string> tessera::readFile(StringRef path, Location loc) {
  auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(loc, "cannot read '") << path << "': " << buffer.getError().message(),
           failure();
  return (*buffer)->getBuffer().str();
}

ToolRun tessera::runTool(StringRef program, ArrayRef<StringRef> arguments,
                         const TemporaryDirectory &directory) {
  SmallVector<StringRef> words{program};
  words.append(arguments.begin(), arguments.end());
  std::string output = directory.file("output.txt");
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(output), StringRef(output)};
  ToolRun run;
  llvm::sys::ProcessInfo process;
  auto start = [&] {
    process = llvm::sys::ExecuteNoWait(program, words, std::nullopt, redirects, 0, &run.error);
    return static_cast<int>(process.Pid);
  };
  Leftovers *leftovers = directory.getLeftovers();
  if ((leftovers ? leftovers->addProgram(start) : start()) == 0)
    return run;
  run.exitCode = llvm::sys::Wait(process, /*SecondsToWait=*/std::nullopt, &run.error).ReturnCode;
  if (leftovers)
    leftovers->removeProgram(process.Pid);
  if (auto buffer = llvm::MemoryBuffer::getFile(output))
    run.output = (*buffer)->getBuffer().str();
  return run;
}
