// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Cache/Cache.h"

#include "Cache/CompilerBuild.h"
#include "Cache/ResultBytes.h"

#include "tessera/Target/ExternalTool.h"
#include "tessera/Target/HostObject.h"
#include "tessera/Target/Ptxas.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace tessera;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

//===--- keys -------------------------------------------------------------------------------===//

static std::string hexOf(llvm::SHA256 &hash) {
  return llvm::toHex(hash.result(), /*LowerCase=*/true);
}

namespace {
/// Hashes values with their lengths, so that no two lists of values have the same bytes.
class KeyHash {
public:
  void add(StringRef text) {
    add(static_cast<uint64_t>(text.size()));
    hash.update(text);
  }
  void add(const std::string &text) { add(StringRef(text)); }
  void add(const char *) = delete; // a bool otherwise
  void add(uint64_t number) {
    hash.update(ArrayRef(reinterpret_cast<const uint8_t *>(&number), sizeof number));
  }
  void add(const std::vector<std::string> &texts) {
    add(static_cast<uint64_t>(texts.size()));
    for (const std::string &text : texts)
      add(text);
  }
  template <typename T>
  void add(const std::optional<T> &value) {
    add(static_cast<uint64_t>(value.has_value()));
    if (value)
      add(static_cast<uint64_t>(*value));
  }
  /// A file by its path, size and time: it is not read. Returns false if it cannot be found.
  bool addFile(StringRef path) {
    fs::file_status status;
    if (fs::status(path, status))
      return false;
    add(path);
    add(status.getSize());
    add(static_cast<uint64_t>(status.getLastModificationTime().time_since_epoch().count()));
    return true;
  }
  std::string hex() { return hexOf(hash); }

private:
  llvm::SHA256 hash;
};
} // namespace

/// The program that a compilation with these options runs in the end; empty if it runs none.
static std::string programOf(const CompileOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return success(); });
  Location loc = UnknownLoc::get(&context);
  FailureOr<std::string> program = options.target == tessera::Target::Cpu
                                       ? findHostLinker(options.linker, loc)
                                       : findPtxas({options.ptxas, options.toolDirectories}, loc);
  return succeeded(program) ? *program : "";
}

/// The key of a compilation; empty if the build of the compiler is not known.
static std::string keyOf(std::string_view source, const CompileOptions &all) {
  KeyHash key;
  key.add(versionText());
  const std::optional<std::string> build = compilerBuild();
  if (!build)
    return "";
  key.add(*build);
  // A program that is not there is an error, and not kept.
  if (std::string program = programOf(all); !program.empty() && !key.addFile(program))
    return "";
  key.add(StringRef(source.data(), source.size()));
  // A list of all options: a new one does not compile here until somebody has thought about it.
  const auto &[target, emit, stopAfter, variants, plan, planName, bindings, members, memberList,
               sizes, kernels, fpContract, require, optLevel, threads, check, dependentLaunch,
               predict, lineInfo, saveTemps, tempDir, timeout, cancellation, limits, progress,
               cacheDir, cacheLimit, cacheKey, leftovers, ptxas, disassembler, linker, cpu,
               toolDirectories, registerDialects, addPasses, sourceName] = all;
  key.add(static_cast<uint64_t>(target));
  key.add(emit);
  for (const std::string &text : {stopAfter, variants, plan, planName, cpu, cacheKey, sourceName})
    key.add(text);
  if (cpu == "native") {
    key.add(llvm::sys::getHostCPUName());
    for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
      key.add(feature.first());
      key.add(static_cast<uint64_t>(feature.second));
    }
  }
  key.add(fpContract);
  key.add(require);
  key.add(bindings);
  key.add(members);
  key.add(memberList);
  key.add(sizes);
  key.add(kernels);
  for (uint64_t number :
       {uint64_t{optLevel}, uint64_t{threads}, uint64_t{check}, uint64_t{dependentLaunch},
        uint64_t{predict}, uint64_t{lineInfo}, limits.tileBytes, limits.threadRegisters})
    key.add(number);
  // These change where and when something runs, and not what comes out.
  (void)tempDir, (void)timeout, (void)cancellation, (void)progress, (void)leftovers;
  // These are not kept, or are in the key by what they find.
  (void)saveTemps, (void)registerDialects, (void)addPasses, (void)cacheDir, (void)cacheLimit;
  (void)ptxas, (void)linker, (void)toolDirectories, (void)disassembler;
  return key.hex();
}

Cache::Cache(std::string_view source, const CompileOptions &options) {
  const bool isNamed = !options.registerDialects && !options.addPasses;
  if (options.cacheDir.empty() || !options.saveTemps.empty() || options.emit == Emit::Sass ||
      (!isNamed && options.cacheKey.empty()))
    return;
  directory = options.cacheDir;
  limit = options.cacheLimit;
  key = keyOf(source, options);
}

//===--- files ------------------------------------------------------------------------------===//

/// The path of a key or a value: 256 directories keep the number of files in each small.
static std::string pathOf(const std::string &directory, StringRef kind, StringRef name) {
  SmallString<256> result(directory);
  path::append(result, kind, name.take_front(2), name.drop_front(2));
  return std::string(result);
}

static std::optional<std::string> readAll(const std::string &path) {
  auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;
  return (*buffer)->getBuffer().str();
}

/// Writes a file whole or not at all.
static std::error_code writeAtomically(const std::string &directory, const std::string &path,
                                       StringRef bytes) {
  SmallString<256> temporary(directory);
  path::append(temporary, "tmp");
  for (StringRef parent : {StringRef(temporary), path::parent_path(path)})
    if (std::error_code error = fs::create_directories(parent))
      return error;
  path::append(temporary, "%%%%%%%%%%%%");
  SmallString<256> made;
  int descriptor;
  if (std::error_code error = fs::createUniqueFile(temporary, descriptor, made))
    return error;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << bytes;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error)
    error = fs::rename(made, path);
  if (error)
    fs::remove(made);
  return error;
}

static CompileDiagnostic warning(std::string message) {
  CompileDiagnostic result;
  result.severity = CompileDiagnostic::Severity::Warning;
  result.message = std::move(message);
  return result;
}

static std::string hashOf(StringRef bytes) {
  llvm::SHA256 hash;
  hash.update(bytes);
  return hexOf(hash);
}

/// Notes that the file was used now: what was used longest ago is removed first.
static void touch(const std::string &path) {
  int descriptor;
  if (fs::openFileForReadWrite(path, descriptor, fs::CD_OpenExisting, fs::OF_None))
    return;
  fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
  llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
}

//===--- finding and keeping ----------------------------------------------------------------===//

std::optional<CompileResult> Cache::find(std::vector<CompileDiagnostic> &warnings) const {
  if (key.empty())
    return std::nullopt;
  const std::string keyPath = pathOf(directory, "keys", key);
  std::optional<std::string> name = readAll(keyPath);
  if (!name)
    return std::nullopt;
  auto damaged = [&](const std::string &path, const char *what) -> std::optional<CompileResult> {
    fs::remove(keyPath);
    fs::remove(path);
    warnings.push_back(warning("the cache file '" + path + "' " + what +
                               "; it was removed, and the program is compiled again"));
    return std::nullopt;
  };
  const std::string hash = StringRef(*name).rtrim('\n').str();
  if (hash.size() != 64 || !llvm::all_of(hash, llvm::isHexDigit))
    return damaged(keyPath, "is damaged");
  const std::string valuePath = pathOf(directory, "values", hash);
  std::optional<std::string> value = readAll(valuePath);
  // It may have been removed because the cache was full.
  if (!value)
    return std::nullopt;
  if (hashOf(*value) != hash)
    return damaged(valuePath, "does not hold the bytes that its name says");
  StringRef bytes(*value);
  if (!bytes.consume_front(key))
    return damaged(keyPath, "names the result of another compilation");
  std::optional<CompileResult> result = readResult(std::string_view(bytes.data(), bytes.size()));
  if (!result)
    return damaged(valuePath, "holds something that this compiler has not written");
  touch(valuePath);
  result->cached = true;
  return result;
}

namespace {
struct CacheFile {
  std::string path;
  uint64_t bytes;
  llvm::sys::TimePoint<> time;
};
} // namespace

static std::vector<CacheFile> listFiles(const std::string &directory, StringRef kind) {
  SmallString<256> root(directory);
  path::append(root, kind);
  std::vector<CacheFile> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; it != end && !error;
       it.increment(error)) {
    if (llvm::ErrorOr<fs::basic_file_status> status = it->status();
        status && status->type() == fs::file_type::regular_file)
      files.push_back({it->path(), status->getSize(), status->getLastModificationTime()});
    // Another process may have removed it meanwhile.
    if (error == std::errc::no_such_file_or_directory)
      error.clear();
  }
  return files;
}

/// Removes what processes that were killed have left.
static void sweep(const std::string &directory) {
  const auto old = std::chrono::system_clock::now() - std::chrono::hours(1);
  for (const CacheFile &file : listFiles(directory, "tmp"))
    if (file.time < old)
      fs::remove(file.path);
}

/// Removes what was used longest ago until a tenth of the limit is free.
static void shrink(const std::string &directory, uint64_t limit) {
  std::vector<CacheFile> values = listFiles(directory, "values");
  uint64_t total = 0;
  for (const CacheFile &file : values)
    total += file.bytes;
  if (total <= limit)
    return;
  llvm::sort(values, [](const CacheFile &a, const CacheFile &b) { return a.time < b.time; });
  for (const CacheFile &file : values) {
    if (total <= limit - limit / 10)
      break;
    if (!fs::remove(file.path))
      total -= file.bytes;
  }
  // A key whose value is gone finds nothing.
  for (const CacheFile &file : listFiles(directory, "keys")) {
    std::optional<std::string> name = readAll(file.path);
    if (!name || name->size() < 64 ||
        !fs::exists(pathOf(directory, "values", StringRef(*name).take_front(64))))
      fs::remove(file.path);
  }
}

void Cache::keep(CompileResult &result) const {
  if (key.empty() || !result.ok)
    return;
  const std::string value = key + writeResult(result);
  if (limit && value.size() > limit)
    return;
  const std::string hash = hashOf(value);
  std::error_code error = writeAtomically(directory, pathOf(directory, "values", hash), value);
  if (!error)
    error = writeAtomically(directory, pathOf(directory, "keys", key), hash + "\n");
  if (error)
    result.diagnostics.push_back(
        warning("the result cannot be kept in the cache '" + directory + "': " + error.message()));
  sweep(directory);
  if (!error && limit)
    shrink(directory, limit);
}
