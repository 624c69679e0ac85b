// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Artifact.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <sys/stat.h>

namespace tessera::rt {

namespace {
constexpr uint16_t machineCuda = 190; // EM_CUDA

/// Reads parts of an ELF file and checks that they lie inside it.
class ElfFile {
public:
  ElfFile(std::string_view bytes, std::string &error) : bytes(bytes), error(error) {}

  bool readHeader(ArtifactKind &kind);
  bool checkComplete();
  /// Finds the bytes from the symbol's address to the end of its section.
  bool findSymbol(std::string_view name, std::string_view &data);

private:
  bool fail(const std::string &message) {
    error = message;
    return false;
  }
  bool inside(uint64_t offset, uint64_t size) const {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  }
  template <typename T>
  bool read(uint64_t offset, T &out) const {
    if (!inside(offset, sizeof(T)))
      return false;
    std::memcpy(&out, bytes.data() + offset, sizeof(T));
    return true;
  }
  bool section(uint64_t index, Elf64_Shdr &out) const {
    return index < header.e_shnum && read(header.e_shoff + index * sizeof(Elf64_Shdr), out);
  }

  std::string_view bytes;
  std::string &error;
  Elf64_Ehdr header = {};
};

bool ElfFile::readHeader(ArtifactKind &kind) {
  if (bytes.size() < 4 || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return fail("neither a cubin nor a shared object (no ELF file)");
  if (!read(0, header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return fail("neither a cubin nor a shared object (no 64-bit little-endian ELF file)");
#if defined(__x86_64__)
  constexpr uint16_t host = EM_X86_64;
#elif defined(__aarch64__)
  constexpr uint16_t host = EM_AARCH64;
#else
  constexpr uint16_t host = EM_NONE;
#endif
  if (header.e_machine == machineCuda)
    kind = ArtifactKind::Cubin;
  else if (header.e_machine == host && header.e_type == ET_DYN)
    kind = ArtifactKind::SharedObject;
  else
    return fail("neither a cubin nor a shared object of this machine (ELF machine " +
                std::to_string(header.e_machine) + ", type " + std::to_string(header.e_type) + ")");
  return true;
}

bool ElfFile::checkComplete() {
  auto truncated = [&] { return fail("the file is truncated or damaged"); };
  if ((header.e_phnum && header.e_phentsize != sizeof(Elf64_Phdr)) ||
      !inside(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)))
    return truncated();
  if ((header.e_shnum && header.e_shentsize != sizeof(Elf64_Shdr)) ||
      !inside(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
    return truncated();
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read(header.e_phoff + i * sizeof(segment), segment) ||
        !inside(segment.p_offset, segment.p_filesz))
      return truncated();
  }
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr entry;
    if (!section(i, entry) ||
        (entry.sh_type != SHT_NOBITS && !inside(entry.sh_offset, entry.sh_size)))
      return truncated();
  }
  return true;
}

bool ElfFile::findSymbol(std::string_view name, std::string_view &data) {
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, strings;
    if (!section(i, table) || (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) ||
        !section(table.sh_link, strings) || strings.sh_type != SHT_STRTAB)
      continue;
    std::string_view names = bytes.substr(strings.sh_offset, strings.sh_size);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!read(table.sh_offset + at, symbol) || symbol.st_name >= names.size())
        continue;
      std::string_view rest = names.substr(symbol.st_name);
      if (rest.substr(0, rest.find('\0')) != name || symbol.st_shndx == SHN_UNDEF)
        continue;
      Elf64_Shdr home;
      if (!section(symbol.st_shndx, home) || home.sh_type == SHT_NOBITS)
        continue;
      // Sections of a cubin have no address, and st_value is an offset in the section.
      uint64_t offset = symbol.st_value - home.sh_addr;
      if (offset > home.sh_size)
        continue;
      data = bytes.substr(home.sh_offset + offset, home.sh_size - offset);
      return true;
    }
  }
  return fail("it carries no launch contract (no symbol " + std::string(name) +
              "): was it built by tilec?");
}
} // namespace

bool readArtifact(std::string_view bytes, ArtifactKind &kind, Contract &contract,
                  std::string &error) {
  ElfFile elf(bytes, error);
  std::string_view data;
  if (!elf.readHeader(kind) || !elf.checkComplete() || !elf.findSymbol(contractSymbol, data) ||
      !parseContract(data, contract, error))
    return false;
  if (contract.isCpu() != (kind == ArtifactKind::SharedObject)) {
    error = "malformed contract: target '" + contract.target + "' in a " +
            (kind == ArtifactKind::Cubin ? "cubin" : "shared object");
    return false;
  }
  return true;
}

bool readFile(const std::string &path, std::string &bytes, std::string &error) {
  bytes.clear();
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) {
    error = "cannot open '" + path + "': " + std::strerror(errno);
    return false;
  }
  struct stat info = {};
  if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
    std::fclose(file);
    error = "cannot read '" + path + "': it is a directory";
    return false;
  }
  if (info.st_size > 0)
    bytes.reserve(static_cast<size_t>(info.st_size));
  static constexpr size_t chunk = size_t{1} << 20;
  for (;;) {
    size_t old = bytes.size();
    bytes.resize(old + chunk);
    size_t got = std::fread(bytes.data() + old, 1, chunk, file);
    bytes.resize(old + got);
    if (got < chunk)
      break;
  }
  bool bad = std::ferror(file);
  std::fclose(file);
  if (bad) {
    error = "cannot read '" + path + "'";
    return false;
  }
  return true;
}

} // namespace tessera::rt
