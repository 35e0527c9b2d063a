// SPDX-License-Identifier: Apache-2.0
// A function before the code type's own tp_dealloc. Python calls it with its lock, in
// sub-interpreters that have one of their own on several threads at once; it takes no lock and no
// memory.
#include "collectors/stacks/code_deaths.h"

#include <link.h>
#include <sys/auxv.h>

#include <utility>

#include "inject/core/object_tables.h"

namespace syncline::stacks {

constinit std::array<std::atomic<uint32_t>, kDeathSlots> g_code_deaths{};
constinit std::atomic<Dealloc> g_code_dealloc;

namespace {

// Other tools do the same, and some come and go (vmprof, Score-P, Cloud Profiler). Each function
// that is found needs one of ours of its own: the one before may be among those that it calls, and
// would call it again.
constexpr size_t kHooks = 4;
constinit std::array<std::atomic<Dealloc>, kHooks> g_before{};  // what each calls; set once

// The count comes first: who gets the memory finds it. The call comes last, as a jump: no frame of
// ours stands before what a weak reference calls.
template <size_t kNumber>
void OnDeath(void* code) {
  DeathSlot(code).fetch_add(1, std::memory_order_relaxed);
  // Acquire: pairs with OursFor's. Null only where a processor read this before it read the
  // type: then the code stays where it is, and so nobody gets its address.
  const Dealloc before = g_before[kNumber].load(std::memory_order_acquire);
  if (__builtin_expect(before != nullptr, 1)) before(code);
}

template <size_t... kNumbers>
constexpr std::array<Dealloc, kHooks> EachHook(std::index_sequence<kNumbers...>) {
  return {OnDeath<kNumbers>...};
}
constexpr std::array<Dealloc, kHooks> kOnDeath = EachHook(std::make_index_sequence<kHooks>());

// `found` itself if it is ours, else the one that calls it. Null: no more are left.
Dealloc OursFor(Dealloc found) {
  for (const Dealloc ours : kOnDeath) {
    if (found == ours) return ours;
  }
  for (size_t i = 0; found != nullptr && i < kHooks; ++i) {
    Dealloc before = nullptr;
    if (g_before[i].compare_exchange_strong(before, found, std::memory_order_acq_rel) ||
        before == found)
      return kOnDeath[i];
  }
  return nullptr;
}

struct DataSearch {
  uintptr_t begin, end;
  bool writable;
  ForeignTables memory;
};

int OnObject(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<DataSearch*>(argument);
  const uintptr_t page = getauxval(AT_PAGESZ);
  bool writable = false, made_read_only = false;
  ForEachPart(*info, &search->memory, [&](const ElfW(Phdr) & part) {
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0)
      writable = writable || (search->begin >= begin && search->end <= end);
    if (part.p_type == PT_GNU_RELRO)  // whole pages, as the loader protects them
      made_read_only = search->end > (begin & ~(page - 1)) && search->begin < (end & ~(page - 1));
  });
  search->writable = writable && !made_read_only;
  return writable ? 1 : 0;
}

}  // namespace

bool IsInWritableData(const void* type) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(type) + kDeallocOffset;
  DataSearch search;
  search.begin = begin;
  search.end = begin + sizeof(Dealloc);
  search.writable = false;
  dl_iterate_phdr(OnObject, &search);
  return search.writable;
}

// A death that was missed before this is of code in no key: who makes one looks here first, and
// then the code is in one of its frames. A thread that has the old function in hand gives back code
// that is in no frame any more. But where another tool took our function away, code of older keys
// may have died uncounted: as if all had, all are forgotten.
bool CountDeathsFromNowOn(const void* code_type) {
  auto* place = reinterpret_cast<Dealloc*>(
      const_cast<char*>(static_cast<const char*>(code_type) + kDeallocOffset));
  Dealloc found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  Dealloc ours;
  do {
    ours = OursFor(found);
    if (ours == nullptr) return false;
    for (auto& deaths : g_code_deaths) deaths.fetch_add(1, std::memory_order_relaxed);
    // Release: pairs with the acquire in CountsDeaths.
  } while (
      !__atomic_compare_exchange_n(place, &found, ours, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  g_code_dealloc.store(ours, std::memory_order_relaxed);
  return true;
}

}  // namespace syncline::stacks
