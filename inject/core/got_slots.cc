// SPDX-License-Identifier: Apache-2.0
// Reads the relocations of loaded objects as the loader does.
#include "inject/core/got_slots.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "inject/core/object_tables.h"
#include "inject/core/sys.h"

namespace syncline {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kJump = R_X86_64_JUMP_SLOT, kData = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr uint32_t kJump = R_AARCH64_JUMP_SLOT, kData = R_AARCH64_GLOB_DAT;
#endif

// Names of functions that anybody wants are shorter.
constexpr size_t kMostNameBytes = 128;

struct SlotSearch {
  const void* self;    // in the object that is left out
  const void* inside;  // in the only one that is searched; null: in any
  bool (*wants)(const char*);
  bool (*take)(const GotSlot&);
  uint64_t* loads;
  ForeignWindows<1024, 8> memory;  // of the rows, the symbols and the names
};

// What the loader keeps of an object's dynamic section.
struct Dynamic {
  uintptr_t names = 0;
  uintptr_t symbols = 0;
  uintptr_t tables[2] = {};  // of calls, and of the rest
  size_t bytes[2] = {};
};

Dynamic Read(uintptr_t dynamic, uintptr_t base, ForeignMemory* memory) {
  Dynamic found;
  ForEachEntry(dynamic, base, memory, [&](auto tag, uintptr_t value, uintptr_t at) {
    if (tag == DT_STRTAB) found.names = at;
    if (tag == DT_SYMTAB) found.symbols = at;
    if (tag == DT_JMPREL) found.tables[0] = at;
    if (tag == DT_PLTRELSZ) found.bytes[0] = value;
    if (tag == DT_RELA) found.tables[1] = at;
    if (tag == DT_RELASZ) found.bytes[1] = value;
  });
  return found;
}

// False: it has none, or a long one.
bool ReadName(const Dynamic& dynamic, uint64_t symbol, ForeignMemory* memory, char* name) {
  ElfW(Sym) entry;
  size_t bytes;
  return memory->Read(dynamic.symbols + symbol * sizeof(entry), &entry) &&
         memory->CopyText(dynamic.names + entry.st_name, name, kMostNameBytes, &bytes);
}

bool Visit(SlotSearch* search, const Dynamic& dynamic, uintptr_t base, GotSlot slot) {
  if (dynamic.names == 0 || dynamic.symbols == 0) return true;
  char name[kMostNameBytes];
  slot.name = name;
  for (int table = 0; table < 2; ++table) {
    ElfW(Rela) row;
    const size_t rows = dynamic.tables[table] == 0 ? 0 : dynamic.bytes[table] / sizeof(row);
    for (size_t i = 0; i < rows; ++i) {
      if (!search->memory.Read(dynamic.tables[table] + i * sizeof(row), &row)) break;
      const uint32_t type = ELF64_R_TYPE(row.r_info);
      if (type != kJump && type != kData) continue;
      if (!ReadName(dynamic, ELF64_R_SYM(row.r_info), &search->memory, name)) continue;
      slot.word = reinterpret_cast<void**>(base + row.r_offset);
      if (search->wants(name) && !search->take(slot)) return false;
    }
  }
  return true;
}

int OnObject(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<SlotSearch*>(data);
  if (*search->loads == info->dlpi_adds) return 1;
  const uintptr_t base = info->dlpi_addr;
  uintptr_t dynamic = 0;
  const uintptr_t page = getauxval(AT_PAGESZ);
  GotSlot slot = {nullptr, nullptr, info->dlpi_name, base, 0, 0};
  const auto self = reinterpret_cast<uintptr_t>(search->self);
  const auto inside = reinterpret_cast<uintptr_t>(search->inside);
  bool is_self = false, is_asked = search->inside == nullptr;
  ForEachPart(*info, &search->memory, [&](const ElfW(Phdr) & part) {
    const uintptr_t begin = base + part.p_vaddr;
    if (part.p_type == PT_LOAD) {
      is_self = is_self || self - begin < part.p_memsz;
      is_asked = is_asked || inside - begin < part.p_memsz;
    }
    if (part.p_type == PT_DYNAMIC) dynamic = begin;
    if (part.p_type == PT_GNU_RELRO) {
      slot.relro_begin = begin & ~(page - 1);
      slot.relro_end = (begin + part.p_memsz) & ~(page - 1);  // as the loader protects it
    }
  });
  if (is_self || !is_asked || dynamic == 0) return 0;
  return Visit(search, Read(dynamic, base, &search->memory), base, slot) ? 0 : 1;
}

int OnFirst(dl_phdr_info* info, size_t, void* data) {
  *static_cast<uint64_t*>(data) = info->dlpi_adds;
  return 1;
}

}  // namespace

void FindSlots(const void* self, bool (*wants)(const char* name), bool (*take)(const GotSlot&),
               uint64_t* loads) {
  uint64_t now = 0;
  dl_iterate_phdr(OnFirst, &now);  // what is loaded while the search goes on is found by the next
  SlotSearch search{self, nullptr, wants, take, loads, {}};
  dl_iterate_phdr(OnObject, &search);
  *loads = now;
}

void FindSlotsOf(const void* inside, bool (*wants)(const char* name),
                 bool (*take)(const GotSlot&)) {
  uint64_t never = 0;  // as many loads: none
  SlotSearch search{nullptr, inside, wants, take, &never, {}};
  dl_iterate_phdr(OnObject, &search);
}

bool WriteSlot(const GotSlot& slot, void* function) {
  const auto at = reinterpret_cast<uintptr_t>(slot.word);
  const bool read_only = at >= slot.relro_begin && at < slot.relro_end;
  const uintptr_t bytes = getauxval(AT_PAGESZ);
  const auto protect = [at, bytes](int protection) {
    return SysCall(SYS_mprotect, static_cast<long>(at & ~(bytes - 1)), static_cast<long>(bytes),
                   protection) >= 0;
  };
  if (read_only && !protect(PROT_READ | PROT_WRITE)) return false;
  __atomic_store_n(slot.word, function, __ATOMIC_RELEASE);
  if (read_only) protect(PROT_READ);
  return true;
}

}  // namespace syncline
