// SPDX-License-Identifier: Apache-2.0
// Puts our functions into the loader's tables.
#include <atomic>
#include <string_view>

#include "collectors/level_zero/append_hooks.h"
#include "collectors/level_zero/ddi_interposer.h"
#include "collectors/level_zero/later_functions.h"
#include "collectors/level_zero/other_calls.h"
#include "inject/core/log.h"

namespace syncline::level_zero {

constinit Api g_api = {};
constinit std::atomic<uint32_t> g_version{0};

namespace {

// A second loader with other functions: handles of one must not reach the other, so its calls stay
// its own.
void TellSecondLoader() {
  static std::atomic<bool> told;
  if (told.exchange(true, std::memory_order_relaxed)) return;
  Log(LogLevel::kWarn,
      "the program uses a second Level Zero loader: calls through that one are not recorded", "");
}

template <typename Function>
void Take(Function* slot, Function* real, Function hook) {
  if (*slot == nullptr || *slot == hook) return;  // a loader may ask for its tables twice
  if (*real == nullptr) *real = *slot;
  if (*real != *slot) return TellSecondLoader();
  if (hook != nullptr) *slot = hook;
}

// The structs of ze_ddi.h.
using CommandListTable = ze_command_list_dditable_t;
using CommandQueueTable = ze_command_queue_dditable_t;
using ContextTable = ze_context_dditable_t;
using DeviceTable = ze_device_dditable_t;
using DriverTable = ze_driver_dditable_t;
using EventTable = ze_event_dditable_t;
using EventPoolTable = ze_event_pool_dditable_t;
using FenceTable = ze_fence_dditable_t;
using KernelTable = ze_kernel_dditable_t;
using MemTable = ze_mem_dditable_t;
using ModuleTable = ze_module_dditable_t;

constexpr uint32_t Version(uint32_t minor) { return 1u << 16 | minor; }

// Of functions.def, those that came after API 1.0: a slot may be touched where the program's loader
// has the version that brought it.
struct Newer {
  std::string_view name;
  uint32_t minor;
};
constexpr Newer kNewer[] = {{"GetExtensionFunctionAddress", 1},
                            {"FreeExt", 3},
                            {"PciGetPropertiesExt", 3},
                            {"AppendImageCopyToMemoryExt", 3},
                            {"AppendImageCopyFromMemoryExt", 3}};
constexpr uint32_t Since(std::string_view name) {
  for (const Newer& newer : kNewer) {
    if (newer.name == name) return Version(newer.minor);
  }
  return Version(0);
}

// What the collector lives on, whatever calls are recorded.
void TakeOurs(DdiTable table, uint32_t version, void* memory) {
#define SYNCLINE_ZE_TAKE(kind, name, hook)                                                         \
  if (table == DdiTable::k_ze##kind && version >= Since(#name))                                    \
    Take<ze_pfn##kind##name##_t>(&static_cast<kind##Table*>(memory)->pfn##name, &g_api.kind##name, \
                                 hook);
#define SYNCLINE_ZE_FUNCTION(kind, name) SYNCLINE_ZE_TAKE(kind, name, nullptr)
#define SYNCLINE_ZE_HOOK(kind, name) SYNCLINE_ZE_TAKE(kind, name, &hooks::kind##name)
#define SYNCLINE_ZE_KEEPER(kind, name) SYNCLINE_ZE_HOOK(kind, name)
#define SYNCLINE_ZE_APPEND(kind, name, role, work)                                    \
  SYNCLINE_ZE_TAKE(kind, name,                                                        \
                   (&hooks::AppendHook<"ze" #kind #name, CallRole::role, hooks::work, \
                                       ze_pfn##kind##name##_t>::InTable<&Api::kind##name>))
#include "collectors/level_zero/functions.def"
#undef SYNCLINE_ZE_APPEND
#undef SYNCLINE_ZE_KEEPER
#undef SYNCLINE_ZE_HOOK
#undef SYNCLINE_ZE_FUNCTION
#undef SYNCLINE_ZE_TAKE
}

}  // namespace

void OnTable(DdiTable kind, uint32_t version, void* table) {
  uint32_t none = 0;  // the first loader's: another one's calls stay its own
  g_version.compare_exchange_strong(none, version, std::memory_order_relaxed);
  TakeOurs(kind, version, table);
  TakeLaterFunctions(kind, version, table);
  if (WantsAllCalls()) TakeOthers(kind, version, table);
}

}  // namespace syncline::level_zero
