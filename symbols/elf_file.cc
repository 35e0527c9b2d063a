// SPDX-License-Identifier: Apache-2.0
// Every offset and size is held against the file's own size before it is used.
#include "symbols/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "inject/core/file_mark.h"

namespace syncline {
namespace {

constexpr uint64_t kLargestSection = uint64_t{512} << 20;
constexpr uint64_t kMostSections = 1 << 20;  // -ffunction-sections makes many, in objects only

bool IsInside(uint64_t offset, uint64_t bytes, uint64_t whole) {
  return offset <= whole && bytes <= whole - offset;
}

bool IsUsable(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shoff != 0;
}

constexpr uint64_t Aligned4(uint64_t bytes) { return (bytes + 3) & ~uint64_t{3}; }

// "" if these notes hold none.
std::string BuildIdIn(std::string_view notes) {
  Elf64_Nhdr note;
  while (notes.size() >= sizeof(note)) {
    std::memcpy(&note, notes.data(), sizeof(note));
    notes.remove_prefix(sizeof(note));
    const uint64_t name_bytes = Aligned4(note.n_namesz), id_bytes = Aligned4(note.n_descsz);
    if (name_bytes > notes.size() || note.n_descsz > notes.size() - name_bytes) return "";
    if (note.n_type == NT_GNU_BUILD_ID && notes.starts_with(std::string_view("GNU\0", 4)) &&
        note.n_namesz == 4)
      return std::string(notes.substr(name_bytes, note.n_descsz));
    notes.remove_prefix(std::min<uint64_t>(name_bytes + id_bytes, notes.size()));
  }
  return "";
}

// A fifo must not keep the reader waiting, nor a device be touched further. -1: it cannot be read.
int OpenRegular(const std::string& path, struct stat* facts) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && fstat(fd, facts) == 0 && S_ISREG(facts->st_mode)) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

bool IsSame(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

}  // namespace

std::unique_ptr<ElfFile> ElfFile::Open(const std::string& path) {
  std::unique_ptr<ElfFile> file(new ElfFile);
  file->path_ = path;
  file->fd_ = OpenRegular(path, &file->facts_);
  if (file->fd_ < 0) return nullptr;
  file->size_ = static_cast<uint64_t>(file->facts_.st_size);
  return file->ReadSections() ? std::move(file) : nullptr;
}

std::unique_ptr<ElfFile> ElfFile::OfBytes(std::string bytes) {
  std::unique_ptr<ElfFile> file(new ElfFile);
  file->size_ = bytes.size();
  file->bytes_ = std::move(bytes);
  return file->ReadSections() ? std::move(file) : nullptr;
}

ElfFile::~ElfFile() {
  if (fd_ >= 0) close(fd_);
}

bool ElfFile::ReadAt(uint64_t offset, void* to, size_t bytes) const {
  if (!IsInside(offset, bytes, size_)) return false;
  if (path_.empty()) {
    if (bytes != 0) std::memcpy(to, bytes_.data() + offset, bytes);
    return true;
  }
  if (fd_ >= 0) return ReadFrom(fd_, offset, to, bytes);
  struct stat facts;
  const int fd = OpenRegular(path_, &facts);
  const bool good = fd >= 0 && IsSame(facts, facts_) && ReadFrom(fd, offset, to, bytes);
  if (fd >= 0) close(fd);
  return good;
}

uint64_t ElfFile::mark() const { return path_.empty() ? 0 : FileMark(facts_); }

void ElfFile::Rest() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool ElfFile::ReadFrom(int fd, uint64_t offset, void* to, size_t bytes) const {
  auto* at = static_cast<char*>(to);
  while (bytes != 0) {
    const ssize_t got = pread(fd, at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

const ElfFile::Section* ElfFile::Find(std::string_view name) const {
  for (const Section& section : sections_)
    if (section.name == name && section.type != SHT_NOBITS) return &section;
  return nullptr;
}

std::string ElfFile::Read(const Section& section) const {
  if (section.type == SHT_NOBITS || section.size > kLargestSection ||
      !IsInside(section.offset, section.size, size_))
    return "";
  std::string bytes(section.size, '\0');
  return ReadAt(section.offset, bytes.data(), bytes.size()) ? bytes : "";
}

// What does not fit into the header stands in the first section, which is none.
bool ElfFile::ReadSections() {
  Elf64_Ehdr header;
  Elf64_Shdr first;
  if (!ReadAt(0, &header, sizeof(header)) || !IsUsable(header) ||
      !ReadAt(header.e_shoff, &first, sizeof(first)))
    return false;
  const uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  if (count > kMostSections || !IsInside(header.e_shoff, count * sizeof(Elf64_Shdr), size_))
    return false;
  std::vector<Elf64_Shdr> table(count);
  if (!ReadAt(header.e_shoff, table.data(), count * sizeof(Elf64_Shdr))) return false;
  std::vector<uint32_t> name_offsets;
  sections_.reserve(count);
  for (const Elf64_Shdr& entry : table) {
    sections_.push_back(
        {"", entry.sh_type, entry.sh_addr, entry.sh_offset, entry.sh_size, entry.sh_link});
    name_offsets.push_back(entry.sh_name);
  }
  const uint64_t names = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  if (!ReadNames(names, name_offsets)) return false;
  ReadBuildId();
  return true;
}

bool ElfFile::ReadNames(uint64_t names_section, const std::vector<uint32_t>& name_offsets) {
  constexpr size_t kLongestSectionName = 256;
  if (names_section >= sections_.size()) return false;
  const std::string names = Read(sections_[names_section]);
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (name_offsets[i] >= names.size()) continue;
    const char* name = names.data() + name_offsets[i];
    sections_[i].name.assign(
        name, strnlen(name, std::min(names.size() - name_offsets[i], kLongestSectionName)));
  }
  return true;
}

void ElfFile::ReadBuildId() {
  constexpr uint64_t kLargestNotes = 1 << 20;
  for (const Section& section : sections_) {
    if (section.type != SHT_NOTE || section.size > kLargestNotes) continue;
    build_id_ = BuildIdIn(Read(section));
    if (!build_id_.empty()) return;
  }
}

}  // namespace syncline
