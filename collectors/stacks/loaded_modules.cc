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

#include "collectors/stacks/exported.h"
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

struct Search {
  uintptr_t address;
  LoadedModule found;
};

int OnModule(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  LoadedModule module;
  module.bias = info->dlpi_addr;
  module.path = info->dlpi_name;
  bool has = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t at = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME) module.frame_index = reinterpret_cast<const uint8_t*>(at);
    if (header.p_type != PT_LOAD) continue;
    if (module.begin == 0 || at < module.begin) module.begin = at;
    if (at + header.p_memsz > module.end) module.end = at + header.p_memsz;
    has = has || (search->address >= at && search->address - at < header.p_memsz);
  }
  if (!has) return 0;
  search->found = module;
  return 1;
}

constexpr size_t NoteAligned(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

const uint8_t* BuildIdIn(const uint8_t* note, const uint8_t* end, size_t* bytes) {
  ElfW(Nhdr) head;
  while (static_cast<size_t>(end - note) > sizeof(head)) {
    std::memcpy(&head, note, sizeof(head));
    const size_t name = NoteAligned(head.n_namesz), text = NoteAligned(head.n_descsz);
    note += sizeof(head);
    if (name > static_cast<size_t>(end - note) || text > static_cast<size_t>(end - note) - name)
      return nullptr;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(note, "GNU", 4) == 0) {
      *bytes = head.n_descsz;
      return note + name;
    }
    note += name + text;
  }
  return nullptr;
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
  g_pid.store(SysPid(), std::memory_order_release);  // pairs with PathOf's
}

bool LooksUpWithLock() { return g_find_object.load(std::memory_order_relaxed) == nullptr; }

bool FindModuleInList(uintptr_t address, LoadedModule* found) {
  if (g_pid.load(std::memory_order_relaxed) != SysPid()) return false;
  Search search = {address, {}};
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
            reinterpret_cast<uintptr_t>(object.map_end), object.map->l_addr, object.map->l_name,
            object.eh_frame};
  return true;
}

const char* PathOf(const LoadedModule& module) {
  if (module.path != nullptr && module.path[0] != '\0') return module.path;
  return g_pid.load(std::memory_order_acquire) == 0 ? "" : g_program;
}

const uint8_t* BuildIdOf(const LoadedModule& module, size_t* bytes) {
  ElfW(Ehdr) file;
  const size_t all = module.end - module.begin;
  if (all < sizeof(file)) return nullptr;
  const auto* begin = reinterpret_cast<const uint8_t*>(module.begin);
  std::memcpy(&file, begin, sizeof(file));
  if (std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_phentsize != sizeof(ElfW(Phdr)) ||
      file.e_phoff > all || file.e_phnum > (all - file.e_phoff) / sizeof(ElfW(Phdr)))
    return nullptr;
  for (size_t i = 0; i < file.e_phnum; ++i) {
    ElfW(Phdr) header;
    std::memcpy(&header, begin + file.e_phoff + i * sizeof(header), sizeof(header));
    if (header.p_type != PT_NOTE) continue;
    const uintptr_t at = module.bias + header.p_vaddr;
    if (at < module.begin || at > module.end || header.p_memsz > module.end - at) continue;
    const auto* note = reinterpret_cast<const uint8_t*>(at);
    const uint8_t* id = BuildIdIn(note, note + header.p_memsz, bytes);
    if (id != nullptr) return id;
  }
  return nullptr;
}

}  // namespace syncline::stacks
