// SPDX-License-Identifier: Apache-2.0
// Which function an address of an ELF file lies in, by the file's symbols.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"

namespace syncline {

// Names stay in the file until they are asked for: those of a large library are 80 MB.
class ElfSymbols {
 public:
  // Adds what a table of symbols of `file` says (".symtab", ".dynsym"). False: it has none.
  bool Add(const std::shared_ptr<const ElfFile>& file, std::string_view table);
  // After all were added, before any is asked for.
  void Sort();
  // As the file writes it; "" if no function is there.
  std::string NameAt(uint64_t address) const;
  size_t size() const { return symbols_.size(); }

 private:
  struct Names {
    std::shared_ptr<const ElfFile> file;
    ElfFile::Section section;
  };
  struct Symbol {
    uint64_t begin;
    uint64_t end;   // as far as its section reaches, where the file does not say
    uint32_t name;  // where in the section of names
    uint8_t names;  // number of that
    uint8_t rank;   // lower is better known
    bool sized;
  };
  using Place = std::vector<Symbol>::const_iterator;

  std::string Name(const Symbol& symbol) const;
  std::string BestName(Place first, Place end, uint64_t address) const;

  std::vector<Names> names_;
  std::vector<Symbol> symbols_;
};

}  // namespace syncline
