// SPDX-License-Identifier: Apache-2.0
// One function for each row of got_hooks.def, with the types of the vendor's declaration: the
// real one is called once, with the arguments as they came.
#include "collectors/cuda/got_hooks.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>
#include <initializer_list>

#include "collectors/cuda/calls.h"
#include "collectors/cuda/cuda_source.h"
#include "inject/core/got_slots.h"

namespace syncline::cuda {
namespace {

enum Index : uint32_t {
#define GOT_HOOK(api, symbol, like) kCall_##symbol,
#include "collectors/cuda/got_hooks.def"
#undef GOT_HOOK
  kCalls
};

constexpr uint32_t kMaxSlots = 2048;   // of one search; PyTorch's libraries have some 500
constexpr uint32_t kMaxObjects = 128;  // with such slots
constexpr uint32_t kMaxPath = 512;

// A slot of an object that may be gone when this is read.
struct Found {
  GotSlot slot;  // without what points into the object
  uint32_t index;
  uint32_t object;
};

std::atomic<void*> g_real[kCalls];
constinit CallName g_names[kCalls] = {};
Found g_found[kMaxSlots];
uint32_t g_found_count;
char g_paths[kMaxObjects][kMaxPath];
uintptr_t g_bases[kMaxObjects];
uint32_t g_object_count;
uint32_t g_linked;
uint64_t g_loads;

template <uint32_t index, typename Function>
struct Between;
template <uint32_t index, typename Result, typename... Arguments>
struct Between<index, Result (*)(Arguments...)> {
  static Result Call(Arguments... arguments) {
    const WatchedCall call = {&g_names[index], 0};
    // Acquire: pairs with Link's release; the name was written before.
    const auto real =
        reinterpret_cast<Result (*)(Arguments...)>(g_real[index].load(std::memory_order_acquire));
    const uint64_t begun = g_calls.Begin(call);
    const Result result = real(arguments...);
    g_calls.End(call, begun, static_cast<uint32_t>(result));
    return result;
  }
};

constexpr bool kRuntime = false, kDriver = true;

struct Row {
  const char* symbol;
  void* function;
  bool driver;
};
const Row* Rows() {
  static const Row rows[kCalls] = {
#define GOT_HOOK(api, symbol, like) \
  {#symbol, reinterpret_cast<void*>(&Between<kCall_##symbol, decltype(&::like)>::Call), k##api},
#include "collectors/cuda/got_hooks.def"
#undef GOT_HOOK
  };
  return rows;
}

uint32_t IndexOf(const char* name) {
  if (std::strncmp(name, "cu", 2) != 0 && std::strncmp(name, "__cuda", 6) != 0) return kCalls;
  uint32_t index = 0;
  while (index < kCalls && std::strcmp(Rows()[index].symbol, name) != 0) ++index;
  return index;
}

bool Wants(const char* name) { return IndexOf(name) < kCalls; }

// CUDA's own libraries call each other inside the program's calls.
bool IsCuda(const char* object) {
  const char* slash = std::strrchr(object, '/');
  const char* file = slash == nullptr ? object : slash + 1;
  for (const char* own : {"libcudart.so", "libcuda.so", "libcupti.so"}) {
    if (std::strncmp(file, own, std::strlen(own)) == 0) return true;
  }
  return false;
}

// The number of the slot's object, which is that of the slot before it or a new one. kMaxObjects:
// there is no room.
uint32_t ObjectOf(const GotSlot& slot) {
  if (g_object_count != 0 && g_bases[g_object_count - 1] == slot.base) return g_object_count - 1;
  if (g_object_count == kMaxObjects || std::strlen(slot.object) >= kMaxPath) return kMaxObjects;
  g_bases[g_object_count] = slot.base;
  std::strcpy(g_paths[g_object_count], slot.object);
  return g_object_count++;
}

bool Keep(const GotSlot& slot) {
  if (IsCuda(slot.object)) return true;
  const uint32_t object = ObjectOf(slot);
  if (object == kMaxObjects) return true;
  Found& found = g_found[g_found_count++];
  found = {slot, IndexOf(slot.name), object};
  found.slot.name = found.slot.object = nullptr;
  return g_found_count < kMaxSlots;
}

// The object stays loaded from now on: its slot is about to be written.
void Link(const Found& place, void* object) {
  const uint32_t index = place.index;
  const Row& row = Rows()[index];
  void* const found = dlsym(object, row.symbol);
  if (found == nullptr || found == row.function) return;
  void* known = g_real[index].load(std::memory_order_relaxed);
  if (known == nullptr) {
    const char* text = row.symbol;
    const size_t bytes = PlainName(&text);
    g_names[index] = {text, bytes, FactsOf(text, bytes).role, 0, row.driver};
    g_real[index].store(found, std::memory_order_release);
    known = found;
  }
  // A second CUDA library in one process is left alone.
  if (known == found && *place.slot.word != row.function)
    g_linked += WriteSlot(place.slot, row.function);
}

}  // namespace

uint32_t HookCalls() {
  g_found_count = g_object_count = 0;
  FindSlots(reinterpret_cast<const void*>(&HookCalls), Wants, Keep, &g_loads);
  // Outside of the search, in which the loader may not be called. What was unloaded meanwhile is
  // not found any more, or elsewhere.
  uint32_t at = 0;
  for (uint32_t i = 0; i < g_object_count; ++i) {
    const char* path = g_paths[i];
    void* object = dlopen(*path == '\0' ? nullptr : path, RTLD_LAZY | RTLD_NOLOAD);
    const bool same = object != nullptr && static_cast<link_map*>(object)->l_addr == g_bases[i];
    for (; at < g_found_count && g_found[at].object == i; ++at) {
      if (same) Link(g_found[at], object);
    }
  }
  return g_linked;
}

}  // namespace syncline::cuda
