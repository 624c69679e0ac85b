// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Cache/CompilerBuild.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/Host.h"

#include <cstring>
#include <link.h>

using namespace tessera;
namespace fs = llvm::sys::fs;

namespace {
/// What dl_iterate_phdr is to find: the loaded file that holds an address.
struct Search {
  uintptr_t address = 0;
  bool found = false;
  llvm::StringRef path, buildId;
};
} // namespace

/// The build ID among the notes of a segment; empty if there is none (the ELF specification,
/// "Note Section": sizes of name and description, type, both padded to the segment's alignment).
static llvm::StringRef buildIdIn(const char *notes, size_t size, llvm::Align align) {
  const llvm::StringRef gnu("GNU\0", 4);
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = sizeof note, desc = name + llvm::alignTo(note.n_namesz, align);
    const size_t next = desc + llvm::alignTo(note.n_descsz, align);
    if (next > size)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && llvm::StringRef(notes + name, note.n_namesz) == gnu)
      return {notes + desc, note.n_descsz};
    notes += next;
    size -= next;
  }
  return "";
}

static int visit(dl_phdr_info *file, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  llvm::StringRef buildId;
  bool holds = false;
  for (const ElfW(Phdr) &segment : llvm::ArrayRef(file->dlpi_phdr, file->dlpi_phnum)) {
    const uintptr_t begin = file->dlpi_addr + segment.p_vaddr;
    holds |= segment.p_type == PT_LOAD && search.address - begin < segment.p_memsz;
    if (segment.p_type == PT_NOTE && buildId.empty())
      buildId = buildIdIn(reinterpret_cast<const char *>(begin), segment.p_memsz,
                          llvm::Align(segment.p_align == 8 ? 8 : 4));
  }
  if (!holds)
    return 0;
  search.found = true;
  search.buildId = buildId;
  // The program itself has no name in this list.
  search.path = file->dlpi_name && *file->dlpi_name ? file->dlpi_name : "/proc/self/exe";
  return 1;
}

static bool addFileOf(const void *address, std::string &text) {
  Search search;
  search.address = reinterpret_cast<uintptr_t>(address);
  dl_iterate_phdr(visit, &search);
  if (!search.found)
    return false;
  if (!search.buildId.empty()) {
    text += search.buildId;
    return true;
  }
  llvm::SmallString<256> path;
  fs::file_status status;
  if (fs::real_path(search.path, path) || fs::status(path, status))
    return false;
  text += path;
  text += "," + std::to_string(status.getSize()) + "," +
          std::to_string(status.getLastModificationTime().time_since_epoch().count());
  return true;
}

std::optional<std::string> tessera::compilerBuild() {
  std::string text;
  for (const void *code :
       {reinterpret_cast<const void *>(&compilerBuild),
        reinterpret_cast<const void *>(
            static_cast<llvm::LogicalResult (*)(mlir::Operation *, bool)>(&mlir::verify)),
        reinterpret_cast<const void *>(&llvm::sys::getHostCPUName)}) {
    if (!addFileOf(code, text))
      return std::nullopt;
    text += ";";
  }
  return text;
}
