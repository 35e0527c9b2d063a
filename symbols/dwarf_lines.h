// SPDX-License-Identifier: Apache-2.0
// Functions, inlined ones too, and lines of one file's addresses, by its debug information.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/libdw.h"
#include "symbols/line_frame.h"

namespace syncline {

// Damaged information may end the process or never end.
class DwarfLines {
 public:
  // `fd` stays open as long as this, and is closed by it.
  DwarfLines(const Libdw& dw, int fd);
  ~DwarfLines();
  DwarfLines(const DwarfLines&) = delete;
  DwarfLines& operator=(const DwarfLines&) = delete;

  // The innermost first. Empty: nothing is known.
  std::vector<LineFrame> At(uint64_t address);

 private:
  struct Piece {  // of a unit or function: they may have several
    uint64_t begin;
    uint64_t end;
    size_t index;
  };
  struct Unit {
    DwDie die;
    DwDie content;  // the same, or where its functions are, in a .dwo file
    bool searched = false;
    bool scoped = true;  // a language whose functions stand in scopes
    std::vector<DwDie> functions;
    std::vector<Piece> pieces;  // of functions, sorted
  };

  static const Piece* PieceAt(const std::vector<Piece>& pieces, uint64_t address);
  void AddPieces(DwDie die, size_t index, std::vector<Piece>* pieces) const;
  void FindUnits();
  Unit* AddUnit(DwDie die);
  Unit* UnitAt(uint64_t address);
  void Search(Unit* unit);
  void SearchBelow(DwDie die, int depth, Unit* unit);
  std::vector<DwDie> ChainAt(Unit* unit, uint64_t address);
  void Name(const Unit& unit, DwDie die, LineFrame* frame);
  std::string ScopedName(DwDie die);
  void PlaceAt(Unit* unit, uint64_t address, LineFrame* frame) const;
  void CallOf(Unit* unit, DwDie inlined, LineFrame* frame) const;
  std::string FilePath(const Unit& unit, const char* file) const;
  uint64_t Number(DwDie die, unsigned attribute) const;
  const char* Text(DwDie die, unsigned attribute, bool integrate) const;

  const Libdw& dw_;
  int fd_;
  Dwarf* dwarf_;
  std::vector<Unit> units_;
  std::vector<Piece> pieces_;                           // of units, sorted
  std::unordered_map<const void*, std::string> names_;  // by where a function is declared
};

}  // namespace syncline
