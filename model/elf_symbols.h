// SPDX-License-Identifier: Apache-2.0
// Which function an address of an ELF file lies in, by the file's symbols.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/elf_file.h"

namespace syncline {

// One thread.
class ElfSymbols {
 public:
  // Adds what a table of symbols of `file` says (".symtab", ".dynsym"). False: it has none.
  bool Add(const ElfFile& file, std::string_view table);
  // After all were added, before any is asked for.
  void Sort();
  // As the file writes it; "" if no function is there. Lives as long as this.
  std::string_view NameAt(uint64_t address) const;
  size_t size() const { return symbols_.size(); }

 private:
  struct Symbol {
    uint64_t begin;
    uint64_t end;   // as far as its section reaches, where the file does not say
    uint32_t name;  // where in names_
    uint8_t rank;   // lower is better known
    bool sized;
  };

  std::string_view Name(const Symbol& symbol) const { return names_.data() + symbol.name; }
  bool IsBetter(const Symbol& one, const Symbol& other) const;

  std::string names_;  // each ends with a zero
  std::vector<Symbol> symbols_;
};

}  // namespace syncline
