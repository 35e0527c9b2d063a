// SPDX-License-Identifier: Apache-2.0
// Reads the relocations of loaded objects as the loader does.
#include "inject/core/got_slots.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "inject/core/sys.h"

namespace syncline {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kJump = R_X86_64_JUMP_SLOT, kData = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr uint32_t kJump = R_AARCH64_JUMP_SLOT, kData = R_AARCH64_GLOB_DAT;
#endif

struct Search {
  const void* self;
  bool (*wants)(const char*);
  bool (*take)(const GotSlot&);
  uint64_t* loads;
};

// What the loader keeps of an object's dynamic section.
struct Dynamic {
  const char* names = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * tables[2] = {};  // of calls, and of the rest
  size_t bytes[2] = {};
};

// glibc writes addresses in there, but for the kernel's own object: offsets.
uintptr_t Address(uintptr_t base, uintptr_t value) { return value < base ? base + value : value; }

Dynamic Read(const ElfW(Dyn) * entry, uintptr_t base) {
  Dynamic found;
  for (; entry->d_tag != DT_NULL; ++entry) {
    const uintptr_t at = Address(base, entry->d_un.d_ptr);
    switch (entry->d_tag) {
      case DT_STRTAB:
        found.names = reinterpret_cast<const char*>(at);
        break;
      case DT_SYMTAB:
        found.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
        break;
      case DT_JMPREL:
        found.tables[0] = reinterpret_cast<const ElfW(Rela)*>(at);
        break;
      case DT_PLTRELSZ:
        found.bytes[0] = entry->d_un.d_val;
        break;
      case DT_RELA:
        found.tables[1] = reinterpret_cast<const ElfW(Rela)*>(at);
        break;
      case DT_RELASZ:
        found.bytes[1] = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return found;
}

bool Visit(const Search& search, const Dynamic& dynamic, uintptr_t base, GotSlot slot) {
  if (dynamic.names == nullptr || dynamic.symbols == nullptr) return true;
  for (int table = 0; table < 2; ++table) {
    const ElfW(Rela)* row = dynamic.tables[table];
    if (row == nullptr) continue;
    for (size_t i = 0; i < dynamic.bytes[table] / sizeof(*row); ++i) {
      const uint32_t type = ELF64_R_TYPE(row[i].r_info);
      if (type != kJump && type != kData) continue;
      slot.name = dynamic.names + dynamic.symbols[ELF64_R_SYM(row[i].r_info)].st_name;
      slot.word = reinterpret_cast<void**>(base + row[i].r_offset);
      if (search.wants(slot.name) && !search.take(slot)) return false;
    }
  }
  return true;
}

int OnResourceCreated(dl_phdr_info* info, size_t, void* data) {
  const auto& search = *static_cast<Search*>(data);
  if (*search.loads == info->dlpi_adds) return 1;
  const uintptr_t base = info->dlpi_addr;
  const ElfW(Dyn)* dynamic = nullptr;
  const uintptr_t page = getauxval(AT_PAGESZ);
  GotSlot slot = {nullptr, nullptr, info->dlpi_name, base, 0, 0};
  const auto self = reinterpret_cast<uintptr_t>(search.self);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t begin = base + part.p_vaddr;
    if (part.p_type == PT_LOAD && self >= begin && self < begin + part.p_memsz) return 0;
    if (part.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (part.p_type == PT_GNU_RELRO) {
      slot.relro_begin = begin & ~(page - 1);
      slot.relro_end = (begin + part.p_memsz) & ~(page - 1);  // as the loader protects it
    }
  }
  return dynamic == nullptr || Visit(search, Read(dynamic, base), base, slot) ? 0 : 1;
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
  Search search = {self, wants, take, loads};
  dl_iterate_phdr(OnResourceCreated, &search);
  *loads = now;
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
