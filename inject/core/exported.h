// SPDX-License-Identifier: Apache-2.0
// Symbols that a loaded program or library shows, read from its own tables: dlsym would take memory
// of the program's heap for what it does not find, and leave its message for the program's dlerror.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline {

// Where the tables of one module are. It may be closed meanwhile.
struct Module {
  uintptr_t base = 0;
  uintptr_t symbols = 0;
  uintptr_t names = 0;
  uintptr_t hashes = 0;  // DT_GNU_HASH
  uintptr_t dynamic = 0;
};

// The first module, in the order of loading, that shows a function or variable of this name. No
// symbols: none. Takes the loader's lock.
Module ModuleThatShows(const char* name);

// The same without this library.
Module OtherModuleThatShows(const char* name);

// The first module, in the order of loading, whose file's name, without its folder, begins so. No
// symbols: none. `path`: where that file lies, as the loader found it; "": it does not fit. Takes
// the loader's lock.
Module ModuleOfFile(const char* beginning, char* path, size_t bytes);

// Null: the module does not show it, or is gone.
const void* Exported(const Module& module, const char* name);

// The function of this name that the program would call if this library did not show it. Looks only
// at what the program began with. No lock, no heap, no system call, little stack: also in a child
// of a fork or vfork, and in a signal's handler. Null: none.
const void* NextExported(const char* name);

// Whether a file whose name, without its folder, begins so is among those that are loaded. Takes no
// lock of the loader's, and memory that it has given back is not touched. Not in a hook.
bool HasLoadedFile(const char* beginning);

}  // namespace syncline
