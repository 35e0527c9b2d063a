// SPDX-License-Identifier: Apache-2.0
// The functions of elfutils' libdw that are called. Found at run time: neither its headers nor the
// library are needed to build.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline {

// As elfutils' <elfutils/libdw.h> declares them, the same since libdw.so.1 began (0.126).
extern "C" {
struct Dwarf;
struct Dwarf_Line_s;
struct Dwarf_Files_s;

struct DwDie {  // Dwarf_Die
  void* addr;
  void* cu;
  void* abbrev;
  long padding;
};

struct DwAttribute {  // Dwarf_Attribute
  unsigned code;
  unsigned form;
  unsigned char* value;
  void* cu;
};
}

struct Libdw {
  Dwarf* (*dwarf_begin)(int fd, int command);  // command 0: to read
  int (*dwarf_end)(Dwarf* dwarf);
  int (*dwarf_nextcu)(Dwarf* dwarf, uint64_t offset, uint64_t* next, size_t* header_bytes,
                      uint64_t* abbrev_offset, uint8_t* address_bytes, uint8_t* offset_bytes);
  DwDie* (*dwarf_offdie)(Dwarf* dwarf, uint64_t offset, DwDie* result);
  DwDie* (*dwarf_addrdie)(Dwarf* dwarf, uint64_t address, DwDie* result);
  int (*dwarf_child)(DwDie* die, DwDie* result);
  int (*dwarf_siblingof)(DwDie* die, DwDie* result);
  int (*dwarf_tag)(DwDie* die);
  const char* (*dwarf_diename)(DwDie* die);
  int (*dwarf_haspc)(DwDie* die, uint64_t address);
  ptrdiff_t (*dwarf_ranges)(DwDie* die, ptrdiff_t offset, uint64_t* base, uint64_t* begin,
                            uint64_t* end);
  DwAttribute* (*dwarf_attr)(DwDie* die, unsigned name, DwAttribute* result);
  DwAttribute* (*dwarf_attr_integrate)(DwDie* die, unsigned name, DwAttribute* result);
  const char* (*dwarf_formstring)(DwAttribute* attribute);
  int (*dwarf_formudata)(DwAttribute* attribute, uint64_t* value);
  DwDie* (*dwarf_formref_die)(DwAttribute* attribute, DwDie* result);
  int (*dwarf_getscopes_die)(DwDie* die, DwDie** scopes);  // scopes: to be freed
  Dwarf_Line_s* (*dwarf_getsrc_die)(DwDie* unit, uint64_t address);
  int (*dwarf_lineno)(Dwarf_Line_s* line, int* number);
  const char* (*dwarf_linesrc)(Dwarf_Line_s* line, uint64_t* time, uint64_t* bytes);
  int (*dwarf_getsrcfiles)(DwDie* unit, Dwarf_Files_s** files, size_t* count);
  const char* (*dwarf_filesrc)(Dwarf_Files_s* files, size_t index, uint64_t* time, uint64_t* bytes);
  // Null before 0.171.
  int (*dwarf_cu_info)(void* cu, uint16_t* version, uint8_t* type, DwDie* unit, DwDie* split,
                       uint64_t* id, uint8_t* address_bytes, uint8_t* offset_bytes);
};

// Loads it the first time. Null: it is not there, or lacks a function. Any thread.
const Libdw* FindLibdw();

}  // namespace syncline
