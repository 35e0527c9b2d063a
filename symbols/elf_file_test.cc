// SPDX-License-Identifier: Apache-2.0
// Files that are none, or damaged: whatever they say, they are survived.
#include "symbols/elf_file.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <random>

#include "model/testing/scratch.h"
#include "symbols/debug_files.h"
#include "symbols/elf_symbols.h"
#include "symbols/testing/native_victims.h"
#include "symbols/xz.h"

namespace syncline {
namespace {

using testing::BytesOf;
using testing::Scratch;
using testing::VictimCalls;
using testing::VictimPath;
using testing::WriteBytes;

// All that is done with a file; the count of symbols, so that nothing is left out.
size_t ReadAll(std::string bytes) {
  const std::shared_ptr<const ElfFile> file = ElfFile::OfBytes(std::move(bytes));
  if (file == nullptr) return 0;
  size_t count = 0;
  for (const char* table : {".symtab", ".dynsym"}) {
    ElfSymbols symbols;
    symbols.Add(file, table);
    symbols.Sort();
    for (const uint64_t address : {uint64_t{0}, uint64_t{0x1139}, UINT64_MAX})
      count += symbols.NameAt(address).size();
    count += symbols.size();
  }
  FindDebugFile(file.get(), "/proc/self/exe", file->build_id(), "/nowhere");
  PackedDebugFile(*file);
  return count;
}

TEST(ElfFile, OnlyRegularFilesAreRead) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo((scratch / "fifo").c_str(), 0600), 0);
  for (const std::string& path :
       {scratch / "fifo", scratch.path(), scratch / "none", std::string("/dev/zero"), std::string(),
        std::string("/proc/self/mem")})
    EXPECT_EQ(ElfFile::Open(path), nullptr) << path;
  WriteBytes(scratch / "text", std::string(10'000, 'x'));
  EXPECT_EQ(ElfFile::Open(scratch / "text"), nullptr);
  WriteBytes(scratch / "empty", "");
  EXPECT_EQ(ElfFile::Open(scratch / "empty"), nullptr);
  EXPECT_NE(ElfFile::Open(VictimPath("whole.so")), nullptr);
}

TEST(ElfFile, OnlyOfSixtyFourBitsWithTheLowByteFirst) {
  std::string bytes = BytesOf(VictimPath("whole.so"));
  ASSERT_GT(ReadAll(bytes), 4u);
  bytes[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(ElfFile::OfBytes(bytes), nullptr);
  bytes[EI_CLASS] = ELFCLASS64;
  bytes[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(ElfFile::OfBytes(bytes), nullptr);
}

TEST(ElfFile, ACutFileIsNotReadBeyondItsEnd) {
  const std::string bytes = BytesOf(VictimPath("whole.so"));
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 64)
    EXPECT_EQ(ReadAll(bytes.substr(0, size)), 0u) << size << ": the sections are listed at the end";
}

// The file may be cut while it is read.
TEST(ElfFile, WhatIsCutLaterIsMissing) {
  const Scratch scratch;
  WriteBytes(scratch / "a.so", BytesOf(VictimPath("whole.so")));
  const std::unique_ptr<ElfFile> file = ElfFile::Open(scratch / "a.so");
  ASSERT_NE(file, nullptr);
  ASSERT_NE(file->Find(".symtab"), nullptr);
  EXPECT_FALSE(file->Read(*file->Find(".symtab")).empty());
  WriteBytes(scratch / "a.so", "");
  EXPECT_TRUE(file->Read(*file->Find(".symtab")).empty());
}

TEST(ElfFile, SectionsThatClaimAnythingAreSurvived) {
  const std::string good = BytesOf(VictimPath("whole.so"));
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof(header));
  for (unsigned section = 0; section < header.e_shnum; ++section) {
    for (const uint64_t claim :
         {uint64_t{0}, uint64_t{1}, good.size(), uint64_t{1} << 40, UINT64_MAX - 7, UINT64_MAX}) {
      for (const size_t field : {offsetof(Elf64_Shdr, sh_addr), offsetof(Elf64_Shdr, sh_offset),
                                 offsetof(Elf64_Shdr, sh_size), offsetof(Elf64_Shdr, sh_link)}) {
        std::string bytes = good;
        std::memcpy(bytes.data() + header.e_shoff + section * sizeof(Elf64_Shdr) + field, &claim,
                    field == offsetof(Elf64_Shdr, sh_link) ? 4 : 8);
        ReadAll(std::move(bytes));
      }
    }
  }
}

TEST(ElfFile, DamagedBytesAreSurvived) {
  const std::string good = BytesOf(
      VictimPath(ElfFile::Open(VictimPath("packed.so")) != nullptr ? "packed.so" : "whole.so"));
  ASSERT_FALSE(good.empty());
  std::minstd_rand random(7);
  size_t read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 8; flips > 0; --flips) {
      // Half of them where the file is described: at its begin, and in the table at its end.
      const size_t ends[] = {random() % 64, bytes.size() - 1 - random() % 2048};
      const size_t at = random() % 2 == 0 ? ends[random() % 2] : random() % bytes.size();
      bytes[at] = static_cast<char>(random());
    }
    read += ReadAll(std::move(bytes)) != 0 ? 1 : 0;
  }
  EXPECT_GT(read, 1000u) << "too few got far enough to test anything";
}

TEST(ElfSymbols, OfSeveralNamesTheKnownOneIsSaid) {
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  void* write = libc == nullptr ? nullptr : dlsym(libc, "write");
  Dl_info found = {};
  if (write == nullptr || dladdr(write, &found) == 0) GTEST_SKIP() << "another C library";
  const std::shared_ptr<const ElfFile> file = ElfFile::Open(found.dli_fname);
  ASSERT_NE(file, nullptr) << found.dli_fname;
  ElfSymbols symbols;
  ASSERT_TRUE(symbols.Add(file, ".dynsym"));
  symbols.Sort();
  const auto address =
      reinterpret_cast<uint64_t>(write) - reinterpret_cast<uint64_t>(found.dli_fbase);
  EXPECT_EQ(symbols.NameAt(address), "write") << "it is __write too";
  EXPECT_EQ(symbols.NameAt(address + 1), "write");
  EXPECT_EQ(symbols.NameAt(1), "");
}

TEST(UnpackXz, OfDamagedBytesIsNothing) {
  EXPECT_EQ(UnpackXz(""), "");
  EXPECT_EQ(UnpackXz("no xz"), "");
  EXPECT_EQ(UnpackXz(std::string("\xfd"
                                 "7zXZ\0",
                                 6)),
            "");
}

}  // namespace
}  // namespace syncline
