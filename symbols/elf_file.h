// SPDX-License-Identifier: Apache-2.0
// The sections of an ELF file, from any bytes.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

// A file is read, not mapped: one that is cut meanwhile would end the process.
class ElfFile {
 public:
  struct Section {
    std::string name;
    uint32_t type = 0;  // SHT_* of <elf.h>
    uint64_t address = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint32_t link = 0;  // number of the section that goes with it
  };

  // Null: not there, no regular file, no 64-bit little-endian ELF file, or its sections cannot be
  // read.
  static std::unique_ptr<ElfFile> Open(const std::string& path);
  // The same of a file's bytes.
  static std::unique_ptr<ElfFile> OfBytes(std::string bytes);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  const std::vector<Section>& sections() const { return sections_; }
  // The first of that name with contents in the file. Null: none.
  const Section* Find(std::string_view name) const;
  // "": it has no contents in the file, is cut, or larger than 512 MiB.
  std::string Read(const Section& section) const;
  // The bytes of its GNU build id; "" if it has none.
  const std::string& build_id() const { return build_id_; }
  uint64_t size() const { return size_; }
  uint64_t mark() const;  // FileMark; 0: of bytes
  // False: not all of it can be read.
  bool ReadAt(uint64_t offset, void* to, size_t bytes) const;
  // Gives the descriptor back. Later reads open the file for themselves, if it is the same still.
  void Rest();

 private:
  ElfFile() = default;
  bool ReadSections();
  bool ReadNames(uint64_t names_section, const std::vector<uint32_t>& name_offsets);
  void ReadBuildId();

  bool ReadFrom(int fd, uint64_t offset, void* to, size_t bytes) const;

  int fd_ = -1;
  std::string path_;   // empty: of bytes
  struct stat facts_;  // of the file
  std::string bytes_;  // without a file
  uint64_t size_ = 0;
  std::vector<Section> sections_;
  std::string build_id_;
};

}  // namespace syncline
