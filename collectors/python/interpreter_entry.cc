// SPDX-License-Identifier: Apache-2.0
// Waits in some of the interpreter's own calls of libc until Python is initialised, and leaves them
// alone again.
#include "collectors/python/interpreter_entry.h"

#include <link.h>
#include <sys/types.h>

#include <atomic>
#include <cstring>

#include "inject/core/got_slots.h"
#include "inject/core/object_tables.h"
#include "inject/core/sys.h"

namespace syncline::python {
namespace {

// Py_AddPendingCall wants an interpreter that is there, and nothing tells when it is. Between that
// and the program's first line Python always opens a file or compiles a text, for which it takes
// memory: it then calls one of these. Only the interpreter's own calls pass through here, and only
// until then.
enum Call : uint32_t { kOpen, kOpen64, kFopen, kFopen64, kCalloc, kMalloc, kCalls };

struct Place {
  GotSlot slot;
  // What stood there: the function that the loader chose for this interpreter, or, before the first
  // call of one that is bound late, the interpreter's own way to it.
  std::atomic<void*> real;
};

const Interpreter* g_awaited;
void (*g_arrive)();
uintptr_t g_base;
constinit Place g_places[kCalls] = {};
std::atomic<bool> g_waits;
bool g_arrived;  // of the interpreter's main thread

// The interpreter's main thread, with the GIL.
int Arrive(void*) {
  if (g_arrived) return 0;
  g_arrived = true;
  const ErrnoKeeper keeper;
  for (const Place& place : g_places) {
    if (place.slot.word != nullptr)
      WriteSlot(place.slot, place.real.load(std::memory_order_relaxed));
  }
  g_arrive();
  return 0;
}

// Takes no GIL: Py_AddPendingCall is made for threads that have none.
void Look() {
  // Acquire: pairs with the release in AtFirstMoment.
  if (!g_waits.load(std::memory_order_acquire) || g_awaited->is_initialized() == 0) return;
  if (!g_waits.exchange(false, std::memory_order_relaxed)) return;
  const ErrnoKeeper keeper;
  const bool queued = g_awaited->add_pending_call(Arrive, nullptr) == 0;
  if (!queued) g_waits.store(true, std::memory_order_release);  // the queue was full: next time
}

template <Call kCall, typename Result, typename... Arguments>
Result Between(Arguments... arguments) {
  Look();
  Place& place = g_places[kCall];
  const auto ours = reinterpret_cast<void*>(&Between<kCall, Result, Arguments...>);
  const auto real =
      reinterpret_cast<Result (*)(Arguments...)>(place.real.load(std::memory_order_relaxed));
  const Result result = real(arguments...);
  // The first call of a function that is bound late puts the function itself where we stood. Where
  // another thread arrives meanwhile, we stay, and pass on.
  void* const now = __atomic_load_n(place.slot.word, __ATOMIC_RELAXED);
  if (__builtin_expect(now != ours, 0) && g_waits.load(std::memory_order_relaxed)) {
    const ErrnoKeeper keeper;
    place.real.store(now, std::memory_order_relaxed);
    WriteSlot(place.slot, ours);
  }
  return result;
}

// The mode of an open is there only where the flags say so; passing on what is not there harms
// nobody. The type of a stream is not needed to pass it on.
struct Row {
  const char* name;
  void* ours;
};
constexpr auto kOpenBy = &Between<kOpen, int, const char*, int, mode_t>;
constexpr auto kOpen64By = &Between<kOpen64, int, const char*, int, mode_t>;
constexpr auto kFopenBy = &Between<kFopen, void*, const char*, const char*>;
constexpr auto kFopen64By = &Between<kFopen64, void*, const char*, const char*>;
constexpr auto kCallocBy = &Between<kCalloc, void*, size_t, size_t>;
constexpr auto kMallocBy = &Between<kMalloc, void*, size_t>;

Row RowOf(uint32_t call) {
  switch (call) {
    case kOpen:
      return {"open", reinterpret_cast<void*>(kOpenBy)};
    case kOpen64:
      return {"open64", reinterpret_cast<void*>(kOpen64By)};
    case kFopen:
      return {"fopen", reinterpret_cast<void*>(kFopenBy)};
    case kFopen64:
      return {"fopen64", reinterpret_cast<void*>(kFopen64By)};
    case kCalloc:
      return {"calloc", reinterpret_cast<void*>(kCallocBy)};
    case kMalloc:
      return {"malloc", reinterpret_cast<void*>(kMallocBy)};
    default:
      return {nullptr, nullptr};
  }
}

uint32_t CallOf(const char* name) {
  uint32_t call = 0;
  while (call < kCalls && std::strcmp(name, RowOf(call).name) != 0) ++call;
  return call;
}

bool Wants(const char* name) { return CallOf(name) < kCalls; }

// The first word of a name: those through which it is called come before those that hold its
// address.
bool Take(const GotSlot& slot) {
  Place& place = g_places[CallOf(slot.name)];
  if (slot.base == g_base && place.slot.word == nullptr) place.slot = slot;
  return true;
}

// Where the loader put the interpreter's file; dladdr1 would say it, which musl lacks.
int OnModule(dl_phdr_info* info, size_t, void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  bool found = false;
  ForeignTables memory;
  ForEachPart(*info, &memory, [&](const ElfW(Phdr) & part) {
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    found = found || (part.p_type == PT_LOAD && wanted >= begin && wanted - begin < part.p_memsz);
  });
  if (found) g_base = info->dlpi_addr;
  return found ? 1 : 0;
}

bool FindBase(const Interpreter& interpreter) {
  return dl_iterate_phdr(OnModule, reinterpret_cast<void*>(interpreter.add_pending_call)) != 0;
}

}  // namespace

bool AtFirstMoment(const Interpreter& interpreter, void (*arrive)()) {
  g_awaited = &interpreter;
  g_arrive = arrive;
  if (!FindBase(interpreter)) return false;
  uint64_t loads = 0;
  FindSlots(reinterpret_cast<const void*>(&AtFirstMoment), Wants, Take, &loads);
  for (Place& place : g_places) {
    if (place.slot.word != nullptr) place.real.store(*place.slot.word, std::memory_order_relaxed);
  }
  g_waits.store(true, std::memory_order_release);
  bool any = false;
  for (uint32_t call = 0; call < kCalls; ++call) {
    const GotSlot& slot = g_places[call].slot;
    any = (slot.word != nullptr && WriteSlot(slot, RowOf(call).ours)) || any;
  }
  // A library that was opened later has been initialised before us, maybe. Python is slow to notice
  // what is queued by a thread that is not its own, so that our functions go on waiting as well.
  const bool late = interpreter.is_initialized() != 0;
  if (late) interpreter.add_pending_call(Arrive, nullptr);
  return any || late;
}

}  // namespace syncline::python
