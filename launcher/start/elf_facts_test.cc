// SPDX-License-Identifier: Apache-2.0
// Tests of reading executables, also damaged ones.
#include "launcher/start/elf_facts.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace syncline {
namespace {

// A small valid file: ELF header, program headers, interpreter, dynamic section, names.
struct ElfFile {
  std::string interpreter = "/lib64/ld-linux-x86-64.so.2";
  std::vector<std::string> needed;
  uint16_t machine = EM_X86_64;
  uint8_t file_class = ELFCLASS64;

  std::string Bytes() const {
    std::string names(1, '\0');
    std::vector<Elf64_Dyn> dynamic;
    for (const std::string& name : needed) {
      Elf64_Dyn entry = {};
      entry.d_tag = DT_NEEDED;
      entry.d_un.d_val = names.size();
      dynamic.push_back(entry);
      names += name + '\0';
    }
    const size_t segment_count = interpreter.empty() ? 2 : 3;
    const size_t interpreter_at = sizeof(Elf64_Ehdr) + segment_count * sizeof(Elf64_Phdr);
    const size_t names_at = (interpreter_at + interpreter.size() + 1 + 7) / 8 * 8;
    const size_t dynamic_at = (names_at + names.size() + 7) / 8 * 8;
    Elf64_Dyn entry = {};
    entry.d_tag = DT_STRTAB;
    entry.d_un.d_ptr = names_at;
    dynamic.push_back(entry);
    dynamic.push_back(Elf64_Dyn{});
    const size_t total = dynamic_at + dynamic.size() * sizeof(Elf64_Dyn);

    std::string bytes(total, '\0');
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = file_class;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_machine = machine;
    header.e_phoff = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<uint16_t>(segment_count);
    std::memcpy(bytes.data(), &header, sizeof(header));
    Elf64_Phdr segments[3] = {};
    segments[0].p_type = PT_LOAD;
    segments[0].p_filesz = total;
    segments[1].p_type = PT_DYNAMIC;
    segments[1].p_offset = dynamic_at;
    segments[1].p_filesz = dynamic.size() * sizeof(Elf64_Dyn);
    segments[2].p_type = PT_INTERP;
    segments[2].p_offset = interpreter_at;
    segments[2].p_filesz = interpreter.size() + 1;
    std::memcpy(bytes.data() + sizeof(header), segments, segment_count * sizeof(Elf64_Phdr));
    std::memcpy(bytes.data() + interpreter_at, interpreter.data(), interpreter.size());
    std::memcpy(bytes.data() + names_at, names.data(), names.size());
    std::memcpy(bytes.data() + dynamic_at, dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn));
    return bytes;
  }
};

ElfFacts Read(const std::string& bytes) {
  const int fd = memfd_create("elf", MFD_CLOEXEC);
  EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  const ElfFacts facts = ReadElfFacts(fd);
  close(fd);
  return facts;
}

TEST(ElfFactsTest, ReadsTheRunningProgram) {
  const int fd = open("/proc/self/exe", O_RDONLY);
  const ElfFacts facts = ReadElfFacts(fd);
  close(fd);
  EXPECT_EQ(facts.format, FileFormat::kElf);
  EXPECT_FALSE(facts.damaged);
  EXPECT_TRUE(facts.is_64_bit);
  EXPECT_EQ(facts.machine, OwnMachine());
  EXPECT_FALSE(facts.IsStatic());
  EXPECT_FALSE(facts.IsMusl());
  EXPECT_TRUE(facts.Needs("libc.so"));
}

TEST(ElfFactsTest, TellsStaticMuslAndAsan) {
  ElfFile file;
  file.needed = {"libasan.so.8", "libc.so.6"};
  const ElfFacts asan = Read(file.Bytes());
  EXPECT_FALSE(asan.damaged);
  EXPECT_TRUE(asan.Needs("libasan.so"));
  EXPECT_FALSE(asan.Needs("libtsan.so"));
  EXPECT_FALSE(asan.IsStatic());

  file.interpreter = "/lib/ld-musl-x86_64.so.1";
  EXPECT_TRUE(Read(file.Bytes()).IsMusl());

  file.interpreter = "";
  const ElfFacts is_static = Read(file.Bytes());
  EXPECT_TRUE(is_static.IsStatic());
  EXPECT_FALSE(is_static.damaged);

  file.machine = EM_AARCH64;
  EXPECT_EQ(Read(file.Bytes()).machine, EM_AARCH64);
}

TEST(ElfFactsTest, ReadsScripts) {
  const ElfFacts plain = Read("#!/bin/sh\necho\n");
  EXPECT_EQ(plain.format, FileFormat::kScript);
  EXPECT_EQ(plain.script_interpreter, "/bin/sh");
  EXPECT_EQ(plain.script_argument, "");
  const ElfFacts with_argument = Read("#! /usr/bin/env  python3 -u \r\n");
  EXPECT_EQ(with_argument.script_interpreter, "/usr/bin/env");
  EXPECT_EQ(with_argument.script_argument, "python3 -u");
  EXPECT_EQ(Read("#!").script_interpreter, "");
}

TEST(ElfFactsTest, OtherFilesAreOther) {
  EXPECT_EQ(Read("").format, FileFormat::kOther);
  EXPECT_EQ(Read("echo hello\n").format, FileFormat::kOther);
}

TEST(ElfFactsTest, TruncatedAtEveryByteIsNeverMisread) {
  ElfFile file;
  file.needed = {"libc.so.6"};
  const std::string whole = file.Bytes();
  for (size_t length = EI_NIDENT; length < whole.size(); ++length) {
    const ElfFacts facts = Read(whole.substr(0, length));
    EXPECT_TRUE(facts.damaged || facts.needed == std::vector<std::string>{"libc.so.6"}) << length;
  }
}

TEST(ElfFactsTest, RandomDamageIsSurvived) {
  ElfFile file;
  file.needed = {"libc.so.6", "libm.so.6"};
  const std::string whole = file.Bytes();
  std::mt19937 random(1);
  size_t read = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 8; ++i)
      bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
    const ElfFacts facts = Read(bytes);
    EXPECT_EQ(facts.format, FileFormat::kElf);
    EXPECT_LE(facts.needed.size(), 4096u);
    read += facts.damaged ? 0 : 1;
  }
  EXPECT_GT(read, 0u);  // the damage also hits what is not looked at
}

}  // namespace
}  // namespace syncline
