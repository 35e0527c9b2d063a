// SPDX-License-Identifier: Apache-2.0
// Reads the head, program headers and dynamic section of an ELF file, or the first line of a
// script.
#include "launcher/start/elf_facts.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kMaxProgramHeaders = 512;
constexpr size_t kMaxDynamicEntries = 4096;
constexpr size_t kMaxText = 4096;  // of a path or library name

class File {
 public:
  explicit File(int fd) : fd_(fd) {}

  bool Read(uint64_t offset, void* out, size_t bytes) const {
    if (offset > INT64_MAX - bytes) return false;
    return pread(fd_, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

  // Up to the NUL, the end of the file, or `limit`.
  std::string ReadText(uint64_t offset, size_t limit) const {
    char buffer[kMaxText];
    limit = std::min(limit, sizeof(buffer));
    if (offset > INT64_MAX - limit) return "";
    const ssize_t got = pread(fd_, buffer, limit, static_cast<off_t>(offset));
    if (got <= 0) return "";
    return std::string(buffer, strnlen(buffer, static_cast<size_t>(got)));
  }

 private:
  int fd_;
};

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Dynamic = Elf32_Dyn;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Dynamic = Elf64_Dyn;
};

// The place in the file of a virtual address, or UINT64_MAX.
template <typename Elf>
uint64_t FileOffset(const std::vector<typename Elf::Segment>& segments, uint64_t address) {
  for (const auto& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return UINT64_MAX;
}

template <typename Elf>
bool ReadNames(const File& file, const std::vector<typename Elf::Segment>& segments,
               const typename Elf::Segment& dynamic, ElfFacts* facts) {
  const size_t count =
      std::min<size_t>(dynamic.p_filesz / sizeof(typename Elf::Dynamic), kMaxDynamicEntries);
  std::vector<typename Elf::Dynamic> entries(count);
  if (count == 0 ||
      !file.Read(dynamic.p_offset, entries.data(), count * sizeof(typename Elf::Dynamic)))
    return false;
  uint64_t names = UINT64_MAX;
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) names = FileOffset<Elf>(segments, entry.d_un.d_ptr);
  }
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME) continue;
    if (names == UINT64_MAX) return false;
    std::string name = file.ReadText(names + entry.d_un.d_val, 256);
    if (entry.d_tag == DT_SONAME) {
      facts->soname = std::move(name);
    } else {
      facts->needed.push_back(std::move(name));
    }
  }
  return true;
}

template <typename Elf>
bool ReadTables(const File& file, ElfFacts* facts) {
  typename Elf::Header header;
  if (!file.Read(0, &header, sizeof(header))) return false;
  facts->machine = header.e_machine;
  if (header.e_phentsize != sizeof(typename Elf::Segment)) return false;
  std::vector<typename Elf::Segment> segments(std::min<size_t>(header.e_phnum, kMaxProgramHeaders));
  if (!file.Read(header.e_phoff, segments.data(), segments.size() * sizeof(typename Elf::Segment)))
    return false;
  bool good = true;
  for (const auto& segment : segments) {
    if (segment.p_type == PT_INTERP) {
      facts->interpreter =
          file.ReadText(segment.p_offset, std::min<uint64_t>(segment.p_filesz, kMaxText));
      good = good && !facts->interpreter.empty();
    }
    if (segment.p_type == PT_DYNAMIC) good = ReadNames<Elf>(file, segments, segment, facts) && good;
  }
  return good;
}

void ReadScript(const File& file, ElfFacts* facts) {
  facts->format = FileFormat::kScript;
  std::string line = file.ReadText(2, 255);  // the kernel reads 256 bytes
  line.resize(std::min(line.size(), line.find('\n')));
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return;
  const size_t end = line.find_first_of(" \t", begin);
  facts->script_interpreter = line.substr(begin, end - begin);
  if (end == std::string::npos) return;
  const size_t argument = line.find_first_not_of(" \t", end);
  if (argument == std::string::npos) return;
  facts->script_argument = line.substr(argument, line.find_last_not_of(" \t\r") + 1 - argument);
}

}  // namespace

bool ElfFacts::IsMusl() const { return interpreter.find("/ld-musl-") != std::string::npos; }

bool ElfFacts::Needs(const char* library_prefix) const {
  return std::any_of(needed.begin(), needed.end(),
                     [&](const std::string& name) { return name.starts_with(library_prefix); });
}

ElfFacts ReadElfFacts(int fd) {
  ElfFacts facts;
  const File file(fd);
  char script[2];
  if (file.Read(0, script, sizeof(script)) && script[0] == '#' && script[1] == '!') {
    ReadScript(file, &facts);
    return facts;
  }
  unsigned char identity[EI_NIDENT];
  if (!file.Read(0, identity, sizeof(identity)) || std::memcmp(identity, ELFMAG, SELFMAG) != 0)
    return facts;
  facts.format = FileFormat::kElf;
  facts.is_64_bit = identity[EI_CLASS] == ELFCLASS64;
  facts.little_endian = identity[EI_DATA] == ELFDATA2LSB;
  if (!facts.little_endian) return facts;  // not a machine of ours: nothing more is needed
  facts.damaged =
      !(facts.is_64_bit ? ReadTables<Elf64>(file, &facts) : ReadTables<Elf32>(file, &facts));
  return facts;
}

uint16_t OwnMachine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#else
  return EM_NONE;
#endif
}

}  // namespace syncline
