// SPDX-License-Identifier: Apache-2.0
// _dl_find_object of glibc 2.35
// (https://sourceware.org/glibc/manual/latest/html_node/Dynamic-Linker-Introspection.html), else
// the loader's list.
#include "collectors/stacks/loaded_modules.h"

#include <link.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>

#include "inject/core/exported.h"
#include "inject/core/object_tables.h"
#include "inject/core/sys.h"

namespace syncline::stacks {
namespace {

// struct dl_find_object of <dlfcn.h>, which older headers lack.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  const link_map* map;
  const uint8_t* eh_frame;
  unsigned long long reserved[7];
};
using FindObject = int (*)(void* address, FoundObject* out);

std::atomic<FindObject> g_find_object;
std::atomic<int32_t> g_pid;  // that prepared
char g_program[PATH_MAX];    // written once, before g_pid

// The words of struct link_map that <link.h> promises first.
struct LinkMapHead {
  uintptr_t bias, path;
};

struct Search {
  uintptr_t address;
  LoadedModule found;
  ForeignTables memory;
};

int OnModule(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  LoadedModule module;
  module.bias = info->dlpi_addr;
  module.path = reinterpret_cast<uintptr_t>(info->dlpi_name);
  bool has = false;
  ForEachPart(*info, &search->memory, [&](const ElfW(Phdr) & header) {
    const uintptr_t at = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME) module.frame_index = at;
    if (header.p_type != PT_LOAD) return;
    if (module.begin == 0 || at < module.begin) module.begin = at;
    if (at + header.p_memsz > module.end) module.end = at + header.p_memsz;
    has = has || (search->address >= at && search->address - at < header.p_memsz);
  });
  if (!has) return 0;
  search->found = module;
  return 1;
}

constexpr size_t NoteAligned(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

size_t CopyBuildIdIn(uintptr_t note, uintptr_t end, ForeignMemory* memory, char* out, size_t room) {
  ElfW(Nhdr) head;
  while (end - note > sizeof(head)) {
    if (!memory->Read(note, &head)) return 0;
    const size_t name = NoteAligned(head.n_namesz), text = NoteAligned(head.n_descsz);
    note += sizeof(head);
    if (name > end - note || text > end - note - name) return 0;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memory->IsText(note, "GNU")) {
      const bool fits = head.n_descsz <= room && memory->Copy(note + name, out, head.n_descsz);
      return fits ? head.n_descsz : 0;
    }
    note += name + text;
  }
  return 0;
}

}  // namespace

void PrepareModules() {
  if (g_pid.load(std::memory_order_relaxed) != 0) return;
  constexpr char kName[] = "_dl_find_object";
  const void* function = Exported(ModuleThatShows(kName), kName);
  FindObject find;
  std::memcpy(&find, &function, sizeof(find));
  g_find_object.store(find, std::memory_order_relaxed);
  const long length = SysCall(SYS_readlink, AsLong("/proc/self/exe"), AsLong(g_program),
                              static_cast<long>(sizeof(g_program) - 1));
  g_program[length > 0 ? length : 0] = '\0';
  g_pid.store(SysPid(), std::memory_order_release);  // pairs with CopyPath's
}

bool IsPreparingProcess() { return g_pid.load(std::memory_order_relaxed) == SysPid(); }

bool LooksUpWithLock() { return g_find_object.load(std::memory_order_relaxed) == nullptr; }

bool FindModuleInList(uintptr_t address, LoadedModule* found) {
  if (!IsPreparingProcess()) return false;
  Search search;
  search.address = address;
  dl_iterate_phdr(OnModule, &search);
  *found = search.found;
  return found->begin != 0;
}

bool FindModule(uintptr_t address, LoadedModule* found) {
  const FindObject find = g_find_object.load(std::memory_order_relaxed);
  if (find == nullptr) return FindModuleInList(address, found);
  FoundObject object;
  // The pointer is the key of a look-up, and not followed.
  if (find(reinterpret_cast<void*>(address), &object) != 0) return false;  // NOLINT
  *found = {reinterpret_cast<uintptr_t>(object.map_start),
            reinterpret_cast<uintptr_t>(object.map_end),
            reinterpret_cast<uintptr_t>(object.eh_frame), reinterpret_cast<uintptr_t>(object.map)};
  return true;
}

bool Describe(LoadedModule* module, ForeignMemory* memory) {
  if (module->link_map == 0) return true;
  LinkMapHead head;
  if (!memory->Read(module->link_map, &head)) return false;
  module->bias = head.bias;
  module->path = head.path;
  return true;
}

size_t CopyPath(const LoadedModule& module, ForeignMemory* memory, char* out, size_t room) {
  size_t bytes = 0;
  if (module.path != 0 && !memory->CopyText(module.path, out, room, &bytes)) return bytes;
  if (bytes != 0 || g_pid.load(std::memory_order_acquire) == 0) return bytes;
  bytes = strnlen(g_program, room);
  std::memcpy(out, g_program, bytes);
  return bytes;
}

size_t CopyBuildId(const LoadedModule& module, ForeignMemory* memory, char* out, size_t room) {
  ElfW(Ehdr) file;
  const size_t all = module.end - module.begin;
  if (all < sizeof(file) || !memory->Read(module.begin, &file)) return 0;
  if (std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_phentsize != sizeof(ElfW(Phdr)) ||
      file.e_phoff > all || file.e_phnum > (all - file.e_phoff) / sizeof(ElfW(Phdr)))
    return 0;
  for (size_t i = 0; i < file.e_phnum; ++i) {
    ElfW(Phdr) header;
    if (!memory->Read(module.begin + file.e_phoff + i * sizeof(header), &header)) return 0;
    if (header.p_type != PT_NOTE) continue;
    const uintptr_t at = module.bias + header.p_vaddr;
    if (at < module.begin || at > module.end || header.p_memsz > module.end - at) continue;
    const size_t bytes = CopyBuildIdIn(at, at + header.p_memsz, memory, out, room);
    if (bytes != 0) return bytes;
  }
  return 0;
}

}  // namespace syncline::stacks
