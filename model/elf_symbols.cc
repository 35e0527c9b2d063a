// SPDX-License-Identifier: Apache-2.0
// Functions by their address. Of several names for one, the one that people would call it by.
#include "model/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace syncline {
namespace {

constexpr uint64_t kMostNameBytes = uint64_t{1} << 30;

bool IsFunction(const Elf64_Sym& symbol) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
         symbol.st_shndx != SHN_ABS && symbol.st_value != 0;
}

uint8_t RankOf(const Elf64_Sym& symbol) {
  switch (ELF64_ST_BIND(symbol.st_info)) {
    case STB_LOCAL:
      return 2;
    case STB_WEAK:
      return 1;
    default:
      return 0;
  }
}

size_t LeadingUnderscores(std::string_view name) {
  return name.starts_with("_Z") ? 0 : std::min(name.find_first_not_of('_'), name.size());
}

uint64_t EndOfSection(const ElfFile& file, const Elf64_Sym& symbol) {
  if (symbol.st_shndx >= file.sections().size()) return symbol.st_value;
  const ElfFile::Section& section = file.sections()[symbol.st_shndx];
  const bool inside = symbol.st_value >= section.address &&
                      symbol.st_value - section.address < section.size &&
                      section.size <= UINT64_MAX - section.address;
  return inside ? section.address + section.size : symbol.st_value;
}

}  // namespace

bool ElfSymbols::Add(const ElfFile& file, std::string_view table) {
  const ElfFile::Section* section = file.Find(table);
  if (section == nullptr || section->link >= file.sections().size()) return false;
  const std::string names = file.Read(file.sections()[section->link]);
  const std::string entries = file.Read(*section);
  const size_t base = names_.size();
  if (names.empty() || entries.empty() || names.size() > kMostNameBytes - base) return false;
  names_ += names;
  names_ += '\0';
  for (size_t at = 0; entries.size() - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
    Elf64_Sym entry;
    std::memcpy(&entry, entries.data() + at, sizeof(entry));
    if (!IsFunction(entry) || entry.st_name >= names.size() || names[entry.st_name] == '\0')
      continue;
    const bool sized = entry.st_size != 0 && entry.st_size <= UINT64_MAX - entry.st_value;
    symbols_.push_back({entry.st_value,
                        sized ? entry.st_value + entry.st_size : EndOfSection(file, entry),
                        static_cast<uint32_t>(base + entry.st_name), RankOf(entry), sized});
  }
  return true;
}

// Where all else is the same, the shorter one, then by the alphabet: the same at each reading.
bool ElfSymbols::IsBetter(const Symbol& one, const Symbol& other) const {
  const auto facts = [&](const Symbol& symbol) {
    const std::string_view name = Name(symbol);
    return std::tuple(!symbol.sized, symbol.rank == 2, LeadingUnderscores(name), symbol.rank,
                      name.size(), name);
  };
  return facts(one) < facts(other);
}

void ElfSymbols::Sort() {
  std::sort(symbols_.begin(), symbols_.end(), [&](const Symbol& one, const Symbol& other) {
    return one.begin != other.begin ? one.begin < other.begin : IsBetter(one, other);
  });
  symbols_.erase(
      std::unique(symbols_.begin(), symbols_.end(),
                  [](const Symbol& one, const Symbol& other) { return one.begin == other.begin; }),
      symbols_.end());
  for (size_t i = 0; i + 1 < symbols_.size(); ++i)
    if (!symbols_[i].sized) symbols_[i].end = std::min(symbols_[i].end, symbols_[i + 1].begin);
  symbols_.shrink_to_fit();
}

// Code in assembler marks functions inside of functions: the one that begins last may have ended.
std::string_view ElfSymbols::NameAt(uint64_t address) const {
  constexpr int kMostNested = 16;
  auto after =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](uint64_t at, const Symbol& symbol) { return at < symbol.begin; });
  for (int i = 0; i < kMostNested && after != symbols_.begin(); ++i) {
    --after;
    if (address < after->end) return Name(*after);
  }
  return "";
}

}  // namespace syncline
