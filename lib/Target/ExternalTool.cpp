// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/ExternalTool.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <thread>

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

/// Fails if the process ignores the end of its children: the system then forgets their exit codes.
static LogicalResult checkChildSignal(Location loc) {
  struct sigaction action;
  if (sigaction(SIGCHLD, nullptr, &action) != 0 ||
      (action.sa_handler != SIG_IGN && !(action.sa_flags & SA_NOCLDWAIT)))
    return success();
  return emitError(loc, "this process ignores SIGCHLD, so the exit code of a program such as ptxas "
                        "would be lost; set the signal to SIG_DFL, without SA_NOCLDWAIT");
}

LogicalResult tessera::checkEnvironment(const ToolEnvironment &environment, Location loc) {
  if (failed(checkChildSignal(loc)))
    return failure();
  return TemporaryDirectory::create(environment, loc);
}

FailureOr<TemporaryDirectory> TemporaryDirectory::create(const ToolEnvironment &environment,
                                                         Location loc) {
  SmallString<128> prefix(environment.tempDir);
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
  Leftovers *leftovers = environment.leftovers;
  std::string path = leftovers ? leftovers->addDirectory(make) : make();
  if (error)
    return emitError(loc, "cannot make a temporary directory '")
               << prefix << "-…': " << error.message()
               << (environment.tempDir.empty() ? "; TMPDIR, or the option for temporary files, "
                                                 "names the directory to use"
                                               : ""),
           failure();
  return TemporaryDirectory(std::move(path), environment);
}

TemporaryDirectory::~TemporaryDirectory() {
  if (directory.empty())
    return;
  if (environment.leftovers)
    environment.leftovers->removeDirectory(directory);
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

/// Waits until the program has ended. Kills it if the compilation must stop. This does not use
/// llvm::sys::Wait, which takes the process's SIGALRM and its alarm when it polls.
static void waitFor(pid_t program, const StopCondition *stop, ToolRun &run) {
  using namespace std::chrono_literals;
  int status = 0;
  // Short programs end within the first pauses, and nobody waits longer than the last one.
  for (auto pause = 200us;; pause = std::min(2 * pause, std::chrono::microseconds(5ms))) {
    const pid_t ended = waitpid(program, &status, stop ? WNOHANG : 0);
    if (ended == program)
      break;
    if (ended < 0 && errno != EINTR) {
      // Another part of the process may have waited for all children.
      run.error = std::string("its exit code is lost: ") + strerror(errno);
      run.exitCode = -1;
      return;
    }
    if (!stop)
      continue;
    if (!run.stopped && stop->shouldStop()) {
      run.stopped = true;
      kill(program, SIGKILL);
    }
    std::this_thread::sleep_for(pause);
  }
  if (WIFEXITED(status)) {
    run.exitCode = WEXITSTATUS(status);
    return;
  }
  run.exitCode = -1;
  run.error = strsignal(WTERMSIG(status));
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
  const ToolEnvironment &environment = directory.getEnvironment();
  Leftovers *leftovers = environment.leftovers;
  if ((leftovers ? leftovers->addProgram(start) : start()) == 0)
    return run;
  waitFor(process.Pid, environment.stop, run);
  if (leftovers)
    leftovers->removeProgram(process.Pid);
  if (auto buffer = llvm::MemoryBuffer::getFile(output))
    run.output = (*buffer)->getBuffer().str();
  return run;
}
