// SPDX-License-Identifier: Apache-2.0
// All functions or none, but for the one that older ones lack.
#include "symbols/libdw.h"

#include <dlfcn.h>

namespace syncline {
namespace {

template <typename Function>
bool FindFunction(void* library, const char* name, Function* to) {
  *to = reinterpret_cast<Function>(dlsym(library, name));
  return *to != nullptr;
}

bool LoadLibdw(Libdw* dw) {
  void* library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
#define SYNCLINE_FIND(name) FindFunction(library, #name, &dw->name)
  SYNCLINE_FIND(dwarf_cu_info);
  return SYNCLINE_FIND(dwarf_begin) && SYNCLINE_FIND(dwarf_end) && SYNCLINE_FIND(dwarf_nextcu) &&
         SYNCLINE_FIND(dwarf_offdie) && SYNCLINE_FIND(dwarf_addrdie) &&
         SYNCLINE_FIND(dwarf_child) && SYNCLINE_FIND(dwarf_siblingof) && SYNCLINE_FIND(dwarf_tag) &&
         SYNCLINE_FIND(dwarf_diename) && SYNCLINE_FIND(dwarf_haspc) &&
         SYNCLINE_FIND(dwarf_ranges) && SYNCLINE_FIND(dwarf_attr) &&
         SYNCLINE_FIND(dwarf_attr_integrate) && SYNCLINE_FIND(dwarf_formstring) &&
         SYNCLINE_FIND(dwarf_formudata) && SYNCLINE_FIND(dwarf_formref_die) &&
         SYNCLINE_FIND(dwarf_getscopes_die) && SYNCLINE_FIND(dwarf_getsrc_die) &&
         SYNCLINE_FIND(dwarf_lineno) && SYNCLINE_FIND(dwarf_linesrc) &&
         SYNCLINE_FIND(dwarf_getsrcfiles) && SYNCLINE_FIND(dwarf_filesrc);
#undef SYNCLINE_FIND
}

}  // namespace

const Libdw* FindLibdw() {
  static Libdw dw;
  static const bool found = LoadLibdw(&dw);
  return found ? &dw : nullptr;
}

}  // namespace syncline
