// SPDX-License-Identifier: Apache-2.0
// By itself libdw finds units only where the compiler wrote .debug_aranges, which Clang does not,
// and walks a unit for each address: both are tabled here.
#include "symbols/dwarf_lines.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace syncline {
namespace {

// Of DWARF 5, 7.5; the names are those of the standard.
enum Tag : int {
  kClassType = 0x02,
  kLexicalBlock = 0x0b,
  kStructureType = 0x13,
  kUnionType = 0x17,
  kInlinedSubroutine = 0x1d,
  kModule = 0x1e,
  kCatchBlock = 0x25,
  kSubprogram = 0x2e,
  kTryBlock = 0x32,
  kNamespace = 0x39,
};
enum Attribute : unsigned {
  kLanguage = 0x13,
  kCompDir = 0x1b,
  kAbstractOrigin = 0x31,
  kSpecification = 0x47,
  kCallFile = 0x58,
  kCallLine = 0x59,
  kLinkageName = 0x6e,
  kMipsLinkageName = 0x2007,  // before DWARF 4
};

constexpr uint8_t kSkeletonUnit = 0x04;

constexpr size_t kLongestName = 8 << 10;
constexpr size_t kLongestPath = 4 << 10;
constexpr size_t kMostFrames = 64;
constexpr int kDeepest = 100;         // scopes in scopes
constexpr int kMostOverlapping = 16;  // pieces that one may lie in

bool IsCLanguage(uint64_t language) {  // C89, C, C99, C11, C17
  return language == 0x01 || language == 0x02 || language == 0x0c || language == 0x1d ||
         language == 0x2c;
}

bool HoldsCode(int tag) {
  return tag == kSubprogram || tag == kLexicalBlock || tag == kNamespace || tag == kModule ||
         tag == kClassType || tag == kStructureType || tag == kUnionType || tag == kTryBlock ||
         tag == kCatchBlock;
}

bool IsScope(int tag) {
  return tag == kNamespace || tag == kModule || tag == kClassType || tag == kStructureType ||
         tag == kUnionType || tag == kSubprogram;
}

// GNU writes "<lambda(int)>" where its demangler writes "{lambda(int)#1}".
std::string ScopeName(int tag, const char* name) {
  if (name == nullptr || *name == '\0')
    return tag == kNamespace ? "(anonymous namespace)" : "{unnamed}";
  const std::string_view text(name, std::min(std::string_view(name).size(), kLongestName));
  return text.starts_with("<lambda") ? "{lambda}" : std::string(text);
}

}  // namespace

DwarfLines::DwarfLines(const Libdw& dw, int fd)
    : dw_(dw), fd_(fd), dwarf_(fd < 0 ? nullptr : dw.dwarf_begin(fd, 0)) {
  if (dwarf_ != nullptr) FindUnits();
}

DwarfLines::~DwarfLines() {
  if (dwarf_ != nullptr) dw_.dwarf_end(dwarf_);
  if (fd_ >= 0) close(fd_);
}

const DwarfLines::Piece* DwarfLines::PieceAt(const std::vector<Piece>& pieces, uint64_t address) {
  auto after = std::upper_bound(pieces.begin(), pieces.end(), address,
                                [](uint64_t at, const Piece& piece) { return at < piece.begin; });
  for (int i = 0; i < kMostOverlapping && after != pieces.begin(); ++i)
    if (address < (--after)->end) return &*after;
  return nullptr;
}

// What the linker left out begins at 0, or where no code can be.
void DwarfLines::AddPieces(DwDie die, size_t index, std::vector<Piece>* pieces) const {
  uint64_t base = 0, begin = 0, end = 0;
  ptrdiff_t offset = 0;
  while ((offset = dw_.dwarf_ranges(&die, offset, &base, &begin, &end)) > 0)
    if (begin != 0 && begin < end) pieces->push_back({begin, end, index});
}

void DwarfLines::FindUnits() {
  uint64_t offset = 0, next = 0;
  size_t header = 0;
  while (dw_.dwarf_nextcu(dwarf_, offset, &next, &header, nullptr, nullptr, nullptr) == 0 &&
         next > offset) {
    DwDie die;
    if (dw_.dwarf_offdie(dwarf_, offset + header, &die) != nullptr) {
      const size_t before = pieces_.size();
      AddPieces(die, units_.size(), &pieces_);
      if (pieces_.size() != before) AddUnit(die);
    }
    offset = next;
  }
  std::sort(pieces_.begin(), pieces_.end(),
            [](const Piece& one, const Piece& other) { return one.begin < other.begin; });
}

// A unit may not say what it holds; the file's table of addresses may.
DwarfLines::Unit* DwarfLines::UnitAt(uint64_t address) {
  if (const Piece* piece = PieceAt(pieces_, address)) return &units_[piece->index];
  DwDie die;
  if (dw_.dwarf_addrdie(dwarf_, address, &die) == nullptr) return nullptr;
  for (Unit& unit : units_)
    if (unit.die.addr == die.addr) return &unit;
  return AddUnit(die);
}

DwarfLines::Unit* DwarfLines::AddUnit(DwDie die) {
  units_.push_back({});
  units_.back().die = units_.back().content = die;
  return &units_.back();
}

void DwarfLines::Search(Unit* unit) {
  unit->searched = true;
  uint8_t type = 0;
  DwDie split = {};
  if (dw_.dwarf_cu_info != nullptr &&
      dw_.dwarf_cu_info(unit->die.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr) ==
          0 &&
      type == kSkeletonUnit && split.addr != nullptr)
    unit->content = split;
  unit->scoped = !IsCLanguage(Number(unit->content, kLanguage));
  SearchBelow(unit->content, 0, unit);
  std::sort(unit->pieces.begin(), unit->pieces.end(),
            [](const Piece& one, const Piece& other) { return one.begin < other.begin; });
}

void DwarfLines::SearchBelow(DwDie die, int depth, Unit* unit) {
  DwDie child;
  if (depth > kDeepest || dw_.dwarf_child(&die, &child) != 0) return;
  do {
    const int tag = dw_.dwarf_tag(&child);
    if (tag == kSubprogram) {
      const size_t before = unit->pieces.size();
      AddPieces(child, unit->functions.size(), &unit->pieces);
      if (unit->pieces.size() != before) unit->functions.push_back(child);
    }
    if (HoldsCode(tag)) SearchBelow(child, depth + 1, unit);
  } while (dw_.dwarf_siblingof(&child, &child) == 0);
}

// The function, then what is inlined there, the innermost last.
std::vector<DwDie> DwarfLines::ChainAt(Unit* unit, uint64_t address) {
  if (!unit->searched) Search(unit);
  const Piece* piece = PieceAt(unit->pieces, address);
  if (piece == nullptr) return {};
  std::vector<DwDie> chain = {unit->functions[piece->index]};
  DwDie scope = chain[0], child;
  for (int depth = 0; depth < kDeepest && chain.size() < kMostFrames; ++depth) {
    if (dw_.dwarf_child(&scope, &child) != 0) break;
    int tag = 0;
    bool inside = false;
    do {
      tag = dw_.dwarf_tag(&child);
      inside = (tag == kInlinedSubroutine || tag == kLexicalBlock || tag == kTryBlock ||
                tag == kCatchBlock) &&
               dw_.dwarf_haspc(&child, address) > 0;
    } while (!inside && dw_.dwarf_siblingof(&child, &child) == 0);
    if (!inside) break;
    scope = child;
    if (tag == kInlinedSubroutine) chain.push_back(child);
  }
  return chain;
}

std::vector<LineFrame> DwarfLines::At(uint64_t address) {
  Unit* unit = dwarf_ == nullptr ? nullptr : UnitAt(address);
  if (unit == nullptr) return {};
  const std::vector<DwDie> chain = ChainAt(unit, address);
  std::vector<LineFrame> frames(std::max<size_t>(chain.size(), 1));
  PlaceAt(unit, address, &frames[0]);
  for (size_t i = 0; i < chain.size(); ++i) {
    Name(*unit, chain[chain.size() - 1 - i], &frames[i]);
    if (i != 0) CallOf(unit, chain[chain.size() - i], &frames[i]);
  }
  if (chain.empty() && frames[0].line == 0) return {};
  return frames;
}

void DwarfLines::Name(const Unit& unit, DwDie die, LineFrame* frame) {
  const char* linkage = Text(die, kLinkageName, true);
  if (linkage == nullptr) linkage = Text(die, kMipsLinkageName, true);
  if (linkage != nullptr && std::string_view(linkage).size() <= kLongestName) {
    frame->function = linkage;
    frame->mangled = true;
    return;
  }
  if (unit.scoped) {
    frame->function = ScopedName(die);
  } else if (const char* name = dw_.dwarf_diename(&die); name != nullptr) {
    frame->function.assign(name, std::min(std::string_view(name).size(), kLongestName));
  }
}

// An instance refers to what is inlined, and a definition to the declaration in its class.
std::string DwarfLines::ScopedName(DwDie die) {
  for (int i = 0; i < kDeepest; ++i) {
    DwAttribute attribute;
    DwDie origin;
    if (dw_.dwarf_attr(&die, kAbstractOrigin, &attribute) == nullptr &&
        dw_.dwarf_attr(&die, kSpecification, &attribute) == nullptr)
      break;
    if (dw_.dwarf_formref_die(&attribute, &origin) == nullptr) break;
    die = origin;
  }
  const auto [entry, is_new] = names_.try_emplace(die.addr);
  if (!is_new) return entry->second;
  const char* own = dw_.dwarf_diename(&die);
  if (own == nullptr) return "";
  std::string name = ScopeName(kSubprogram, own);
  DwDie* scopes = nullptr;
  const int count = dw_.dwarf_getscopes_die(&die, &scopes);
  for (int i = 1; i < count && name.size() < kLongestName; ++i) {
    const int tag = dw_.dwarf_tag(&scopes[i]);
    if (IsScope(tag)) name = ScopeName(tag, dw_.dwarf_diename(&scopes[i])) + "::" + name;
  }
  std::free(scopes);
  if (name.ends_with("{lambda}::operator()")) name.resize(name.rfind("::"));
  name.resize(std::min(name.size(), kLongestName));
  return entry->second = name;
}

void DwarfLines::PlaceAt(Unit* unit, uint64_t address, LineFrame* frame) const {
  Dwarf_Line_s* line = dw_.dwarf_getsrc_die(&unit->die, address);
  int number = 0;
  if (line == nullptr || dw_.dwarf_lineno(line, &number) != 0 || number <= 0) return;
  frame->file = FilePath(*unit, dw_.dwarf_linesrc(line, nullptr, nullptr));
  frame->line = frame->file.empty() ? 0 : static_cast<uint32_t>(number);
}

void DwarfLines::CallOf(Unit* unit, DwDie inlined, LineFrame* frame) const {
  Dwarf_Files_s* files = nullptr;
  size_t count = 0;
  const uint64_t file = Number(inlined, kCallFile), line = Number(inlined, kCallLine);
  if (line == 0 || line > UINT32_MAX ||
      dw_.dwarf_getsrcfiles(&unit->content, &files, &count) != 0 || file >= count)
    return;
  frame->file = FilePath(*unit, dw_.dwarf_filesrc(files, file, nullptr, nullptr));
  frame->line = frame->file.empty() ? 0 : static_cast<uint32_t>(line);
}

// Compilers write "../src/a.cc" below the directory that they ran in. Where that is relative itself
// ("./malloc" in Debian's glibc) libdw may have it before the file already.
std::string DwarfLines::FilePath(const Unit& unit, const char* file) const {
  if (file == nullptr || *file == '\0') return "";
  std::filesystem::path path(file);
  const char* directory = path.is_relative() ? Text(unit.die, kCompDir, false) : nullptr;
  if (directory != nullptr && !std::string_view(file).starts_with(directory))
    path = std::filesystem::path(directory) / path;
  const std::string text = path.lexically_normal().string();
  return text.size() > kLongestPath || text.ends_with("???") ? "" : text;
}

uint64_t DwarfLines::Number(DwDie die, unsigned attribute) const {
  DwAttribute found;
  uint64_t value = 0;
  const bool good = dw_.dwarf_attr(&die, attribute, &found) != nullptr &&
                    dw_.dwarf_formudata(&found, &value) == 0;
  return good ? value : 0;
}

const char* DwarfLines::Text(DwDie die, unsigned attribute, bool integrate) const {
  DwAttribute found;
  const auto find = integrate ? dw_.dwarf_attr_integrate : dw_.dwarf_attr;
  return find(&die, attribute, &found) == nullptr ? nullptr : dw_.dwarf_formstring(&found);
}

}  // namespace syncline
