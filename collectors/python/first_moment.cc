// SPDX-License-Identifier: Apache-2.0
// Waits in some of the interpreter's own calls of libc until Python is initialised, and leaves them
// alone again.
#include "collectors/python/first_moment.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/core/got_slots.h"
#include "inject/core/sys.h"

namespace syncline::python {
namespace {

// Py_AddPendingCall wants an interpreter that is there, and nothing tells when it is. Between that
// and the program's first line Python always opens a file or compiles a text: it then calls one of
// these. Only the interpreter's own calls pass through here, and only until then.
struct Way {
  const char* name;
  void* ours;
  void* real;
};

constexpr uint32_t kMaxPlaces = 16;

const Interpreter* g_interpreter;
void (*g_arrive)();
GotSlot g_places[kMaxPlaces];
void* g_real[kMaxPlaces];
uint32_t g_place_count;
uintptr_t g_base;
std::atomic<bool> g_waits;
bool g_arrived;  // of the interpreter's main thread

// The interpreter's main thread, with the GIL.
int Arrive(void*) {
  if (g_arrived) return 0;
  g_arrived = true;
  const ErrnoKeeper keeper;
  for (uint32_t i = 0; i < g_place_count; ++i) WriteSlot(g_places[i], g_real[i]);
  g_arrive();
  return 0;
}

// Takes no GIL: Py_AddPendingCall is made for threads that have none.
void Look() {
  // Acquire: pairs with the release in AtFirstMoment.
  if (!g_waits.load(std::memory_order_acquire) || g_interpreter->is_initialized() == 0) return;
  if (!g_waits.exchange(false, std::memory_order_relaxed)) return;
  const ErrnoKeeper keeper;
  const bool queued = g_interpreter->add_pending_call(Arrive, nullptr) == 0;
  if (!queued) g_waits.store(true, std::memory_order_release);  // the queue was full: next time
}

// The mode is only there where the flags say so; passing on what is not there harms nobody.
int Open(const char* path, int flags, mode_t mode) {
  Look();
  return open64(path, flags, mode);
}
FILE* OpenStream(const char* path, const char* mode) {
  Look();
  return fopen64(path, mode);
}
void* Allocate(size_t count, size_t bytes) {
  Look();
  return calloc(count, bytes);
}

const Way* WayOf(const char* name) {
  static const Way ways[] = {
      {"open", reinterpret_cast<void*>(Open), reinterpret_cast<void*>(open64)},
      {"open64", reinterpret_cast<void*>(Open), reinterpret_cast<void*>(open64)},
      {"fopen", reinterpret_cast<void*>(OpenStream), reinterpret_cast<void*>(fopen64)},
      {"fopen64", reinterpret_cast<void*>(OpenStream), reinterpret_cast<void*>(fopen64)},
      {"calloc", reinterpret_cast<void*>(Allocate), reinterpret_cast<void*>(calloc)},
  };
  for (const Way& way : ways) {
    if (std::strcmp(name, way.name) == 0) return &way;
  }
  return nullptr;
}

bool Wants(const char* name) { return WayOf(name) != nullptr; }

bool Take(const GotSlot& slot) {
  if (slot.base != g_base) return true;
  g_real[g_place_count] = WayOf(slot.name)->real;
  g_places[g_place_count++] = slot;
  return g_place_count < kMaxPlaces;
}

}  // namespace

bool AtFirstMoment(const Interpreter& interpreter, void (*arrive)()) {
  g_interpreter = &interpreter;
  g_arrive = arrive;
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(interpreter.add_pending_call), &info,
              reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
      map == nullptr)
    return false;
  g_base = map->l_addr;
  uint64_t loads = 0;
  FindSlots(reinterpret_cast<const void*>(&AtFirstMoment), Wants, Take, &loads);
  g_waits.store(true, std::memory_order_release);
  bool any = false;
  for (uint32_t i = 0; i < g_place_count; ++i)
    any = WriteSlot(g_places[i], WayOf(g_places[i].name)->ours) || any;
  // A library that was opened later has been initialised before us, maybe. Python is slow to notice
  // what is queued by a thread that is not its own, so that our functions go on waiting as well.
  const bool late = interpreter.is_initialized() != 0;
  if (late) interpreter.add_pending_call(Arrive, nullptr);
  return any || late;
}

}  // namespace syncline::python
