// SPDX-License-Identifier: Apache-2.0
// Functions by their address. Of several names for one, the one that people would call it by.
#include "symbols/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kLongestSymbol = 64 << 10;
constexpr int kMostAliases = 64;  // of one address, whose names are looked at

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

bool ElfSymbols::Add(const std::shared_ptr<const ElfFile>& file, std::string_view table) {
  const ElfFile::Section* section = file->Find(table);
  if (section == nullptr || section->link >= file->sections().size() || names_.size() > UINT8_MAX)
    return false;
  const ElfFile::Section& names = file->sections()[section->link];
  const std::string entries = file->Read(*section);
  if (names.size == 0 || entries.empty()) return false;
  for (size_t at = 0; entries.size() - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
    Elf64_Sym entry;
    std::memcpy(&entry, entries.data() + at, sizeof(entry));
    if (!IsFunction(entry) || entry.st_name == 0 || entry.st_name >= names.size) continue;
    const bool sized = entry.st_size != 0 && entry.st_size <= UINT64_MAX - entry.st_value;
    symbols_.push_back({entry.st_value,
                        sized ? entry.st_value + entry.st_size : EndOfSection(*file, entry),
                        entry.st_name, static_cast<uint8_t>(names_.size()), RankOf(entry), sized});
  }
  names_.push_back({file, names});
  return true;
}

// One without a size ends where the next one begins.
void ElfSymbols::Sort() {
  std::sort(symbols_.begin(), symbols_.end(),
            [](const Symbol& one, const Symbol& other) { return one.begin < other.begin; });
  symbols_.shrink_to_fit();
  uint64_t next = UINT64_MAX, begin = UINT64_MAX;
  for (size_t i = symbols_.size(); i-- > 0;) {
    Symbol& symbol = symbols_[i];
    if (symbol.begin != begin) {
      next = begin;
      begin = symbol.begin;
    }
    if (!symbol.sized) symbol.end = std::min(symbol.end, next);
  }
}

std::string ElfSymbols::Name(const Symbol& symbol) const {
  const auto& [file, section] = names_[symbol.names];
  const uint64_t most = std::min<uint64_t>(kLongestSymbol, section.size - symbol.name);
  if (section.offset > file->size()) return "";
  std::string name;
  for (uint64_t bytes = 256; name.size() < most; bytes *= 4) {
    name.resize(std::min(bytes, most));
    if (!file->ReadAt(section.offset + symbol.name, name.data(), name.size())) return "";
    const size_t end = name.find('\0');
    if (end != std::string::npos) return name.substr(0, end);
  }
  return "";  // it does not end
}

// Of names that are as good the shorter one, then by the alphabet: the same at each reading.
std::string ElfSymbols::BestName(Place first, Place end, uint64_t address) const {
  using Facts = std::tuple<bool, bool, size_t, uint8_t, size_t>;
  std::string best;
  Facts best_facts;
  for (int looked = 0; first != end && looked < kMostAliases; ++first) {
    if (address >= first->end) continue;
    ++looked;
    std::string name = Name(*first);
    const Facts facts(!first->sized, first->rank == 2, LeadingUnderscores(name), first->rank,
                      name.size());
    if (name.empty() || (!best.empty() && std::tie(best_facts, best) <= std::tie(facts, name)))
      continue;
    best = std::move(name);
    best_facts = facts;
  }
  return best;
}

// Code in assembler marks functions inside of functions: the one that begins last may have ended.
std::string ElfSymbols::NameAt(uint64_t address) const {
  constexpr int kMostNested = 16;
  const auto begins_behind = [](uint64_t at, const Symbol& symbol) { return at < symbol.begin; };
  const auto begins_before = [](const Symbol& symbol, uint64_t at) { return symbol.begin < at; };
  Place end = std::upper_bound(symbols_.begin(), symbols_.end(), address, begins_behind);
  for (int i = 0; i < kMostNested && end != symbols_.begin(); ++i) {
    const Place first =
        std::lower_bound(symbols_.begin(), end, std::prev(end)->begin, begins_before);
    std::string name = BestName(first, end, address);
    if (!name.empty()) return name;
    end = first;
  }
  return "";
}

}  // namespace syncline
