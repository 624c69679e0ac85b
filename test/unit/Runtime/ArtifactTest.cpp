// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Artifact.h"

#include "TestContract.h"

#include <gtest/gtest.h>

#include <cstring>
#include <elf.h>
#include <random>

using namespace tessera::rt;

namespace {
/// The smallest ELF file with a symbol for the contract: header, data, symbols, names, four
/// sections.
std::string makeElf(uint16_t machine, const std::string &contract) {
  std::string names = std::string("\0", 1) + contractSymbol + std::string("\0", 1);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = machine == 190 ? ET_EXEC : ET_DYN;
  header.e_machine = machine;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  Elf64_Sym symbols[2] = {};
  symbols[1].st_name = 1;
  symbols[1].st_shndx = 1;
  symbols[1].st_value = 8;
  symbols[1].st_size = contract.size();
  Elf64_Shdr sections[4] = {};
  std::string data = "padding." + contract;
  uint64_t at = sizeof(header);
  auto place = [&](Elf64_Shdr &section, uint32_t type, uint64_t size) {
    section.sh_type = type;
    section.sh_offset = at;
    section.sh_size = size;
    at += size;
  };
  place(sections[1], SHT_PROGBITS, data.size());
  place(sections[2], SHT_SYMTAB, sizeof(symbols));
  place(sections[3], SHT_STRTAB, names.size());
  sections[2].sh_link = 3;
  header.e_shoff = at;
  auto bytes = [](const void *object, size_t size) {
    return std::string(static_cast<const char *>(object), size);
  };
  return bytes(&header, sizeof(header)) + data + bytes(symbols, sizeof(symbols)) + names +
         bytes(sections, sizeof(sections));
}

std::string check(const std::string &bytes) {
  ArtifactKind kind;
  Contract contract;
  std::string error;
  bool good = readArtifact(bytes, kind, contract, error);
  EXPECT_EQ(good, error.empty());
  return error;
}

TEST(Artifact, Cubin) {
  ArtifactKind kind;
  Contract contract;
  std::string error;
  ASSERT_TRUE(readArtifact(makeElf(190, wrapContract(gemmJson)), kind, contract, error)) << error;
  EXPECT_EQ(kind, ArtifactKind::Cubin);
  EXPECT_EQ(contract.kernels[0].name, "gemm");
}

TEST(Artifact, Refusals) {
  EXPECT_EQ(check(""), "neither a cubin nor a shared object (no ELF file)");
  EXPECT_EQ(check("#!/bin/sh\n"), "neither a cubin nor a shared object (no ELF file)");
  EXPECT_EQ(check(makeElf(40, wrapContract(gemmJson))),
            "neither a cubin nor a shared object of this machine (ELF machine 40, type 3)");
  EXPECT_EQ(check(makeElf(190, "no contract")),
            "malformed contract: it does not start with TESSERA-CTR-0001");
  std::string cpu = gemmJson;
  cpu.replace(cpu.find("sm_90a"), 6, "cpu");
  EXPECT_EQ(check(makeElf(190, wrapContract(cpu))), "malformed contract: target 'cpu' in a cubin");
}

TEST(Artifact, Truncated) {
  std::string good = makeElf(190, wrapContract(gemmJson));
  ASSERT_EQ(check(good), "");
  for (size_t size = 0; size < good.size(); ++size)
    ASSERT_NE(check(good.substr(0, size)), "") << size;
}

TEST(Artifact, Damaged) {
  std::mt19937 random(11);
  std::string good = makeElf(190, wrapContract(gemmJson));
  for (int round = 0; round < 20000; ++round) {
    std::string bad = good;
    // Damages the headers and tables, which hold the offsets.
    size_t tail = 4 * sizeof(Elf64_Shdr) + 2 * sizeof(Elf64_Sym) + 20;
    for (int k = 0; k < 2; ++k) {
      size_t at = random() % (sizeof(Elf64_Ehdr) + tail);
      bad[at < sizeof(Elf64_Ehdr) ? at : bad.size() - 1 - (at - sizeof(Elf64_Ehdr))] =
          static_cast<char>(random() % 3 ? random() : 0xff);
    }
    check(bad);
  }
}
} // namespace
