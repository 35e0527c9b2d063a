// SPDX-License-Identifier: Apache-2.0
// /proc/PID/maps, and the tables of symbols of the files that stand there.
#include "sampler/mapped_files.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "base/text.h"
#include "symbols/elf_file.h"

namespace syncline {
namespace {

constexpr size_t kMostFiles = 16;
constexpr size_t kMostSegments = 64;

std::string ProgramOf(int pid) {
  char path[4096];
  const ssize_t bytes = readlink(Text("/proc/", pid, "/exe").c_str(), path, sizeof(path));
  return bytes <= 0 ? "" : std::string(path, static_cast<size_t>(bytes));
}

bool MayHavePython(const std::string& path, const std::string& program) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.starts_with("python") || name.starts_with("libpython") || path == program;
}

// What an address of the file has to be moved by; false: no segment of it is mapped there.
bool FindBias(const ElfFile& elf, const MappedFile& file, uint64_t* bias) {
  Elf64_Ehdr head;
  if (!elf.ReadAt(0, &head, sizeof(head)) || head.e_phentsize != sizeof(Elf64_Phdr)) return false;
  for (size_t i = 0; i < std::min<size_t>(head.e_phnum, kMostSegments); ++i) {
    Elf64_Phdr segment;
    if (!elf.ReadAt(head.e_phoff + i * sizeof(segment), &segment, sizeof(segment))) return false;
    if (segment.p_type != PT_LOAD || segment.p_offset < file.offset) continue;
    *bias = file.begin - (segment.p_vaddr - (segment.p_offset - file.offset));
    return true;
  }
  return false;
}

void AddSymbols(const ElfFile& elf, const char* table, const char* texts, uint64_t bias,
                const std::vector<std::string>& names, std::vector<uint64_t>* found) {
  const ElfFile::Section* symbols = elf.Find(table);
  const ElfFile::Section* strings = elf.Find(texts);
  if (symbols == nullptr || strings == nullptr) return;
  const std::string rows = elf.Read(*symbols), text = elf.Read(*strings);
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= rows.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, rows.data() + at, sizeof(symbol));
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= text.size()) continue;
    const char* name = text.c_str() + symbol.st_name;
    for (size_t i = 0; i < names.size(); ++i) {
      if ((*found)[i] == 0 && names[i] == name) (*found)[i] = symbol.st_value + bias;
    }
  }
}

}  // namespace

std::vector<MappedFile> MappedInterpreters(int pid) {
  std::vector<MappedFile> files;
  const std::string program = ProgramOf(pid);
  std::ifstream maps(Text("/proc/", pid, "/maps"));
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, offset = 0;
    int place = 0;
    if (std::sscanf(line.c_str(), "%lx-%*x %*s %lx %*s %*s %n", &begin, &offset, &place) < 2 ||
        place <= 0)
      continue;
    std::string name = line.substr(std::min(static_cast<size_t>(place), line.size()));
    if (!name.starts_with('/')) continue;
    const bool known = std::any_of(files.begin(), files.end(),
                                   [&name](const MappedFile& file) { return file.path == name; });
    if (known || !MayHavePython(name, program)) continue;
    files.push_back({std::move(name), begin, offset});
    if (files.size() == kMostFiles) break;
  }
  return files;
}

std::vector<uint64_t> SymbolsIn(int pid, const MappedFile& file,
                                const std::vector<std::string>& names) {
  auto elf = ElfFile::Open(Text("/proc/", pid, "/root", file.path));
  if (elf == nullptr) elf = ElfFile::Open(file.path);
  uint64_t bias = 0;
  if (elf == nullptr || !FindBias(*elf, file, &bias)) return {};
  std::vector<uint64_t> found(names.size());
  AddSymbols(*elf, ".dynsym", ".dynstr", bias, names, &found);
  if (std::find(found.begin(), found.end(), 0u) != found.end())
    AddSymbols(*elf, ".symtab", ".strtab", bias, names, &found);
  return found;
}

}  // namespace syncline
