// SPDX-License-Identifier: Apache-2.0
// Puts our functions into the loader's tables.
#include <atomic>

#include "collectors/level_zero/api.h"
#include "collectors/level_zero/ddi_interposer.h"
#include "collectors/level_zero/hooks.h"
#include "inject/core/log.h"

namespace syncline::level_zero {

constinit Api g_api = {};

namespace {

// Tables only grow, at their end: level-zero v1.32, include/ze_ddi.h. A slot may be touched where
// the program's loader has the version that brought it.
constexpr size_t kHostSynchronizeSlot = 28;
constexpr size_t kLaunchWithParametersSlot = 36;
constexpr size_t kLaunchWithArgumentsSlot = 37;
constexpr size_t kImmediateAppendListsSlot = 1;  // of the table of experimental functions

constexpr uint32_t Version(uint32_t minor) { return 1u << 16 | minor; }

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

template <typename Function>
void TakeAt(void* table, size_t slot, Function* real, Function hook) {
  Take(static_cast<Function*>(table) + slot, real, hook);
}

void TakeLaterFunctions(uint32_t version, void* table) {
  if (version >= Version(6))
    TakeAt(table, kHostSynchronizeSlot, &g_api.CommandListHostSynchronize,
           &hooks::CommandListHostSynchronize);
  if (version < Version(14)) return;
  TakeAt(table, kLaunchWithParametersSlot, &g_api.CommandListAppendLaunchKernelWithParameters,
         &hooks::CommandListAppendLaunchKernelWithParameters);
  TakeAt(table, kLaunchWithArgumentsSlot, &g_api.CommandListAppendLaunchKernelWithArguments,
         &hooks::CommandListAppendLaunchKernelWithArguments);
}

// One struct for each table, with the functions that are of it.
struct CommandList {
  using Table = ze_command_list_dditable_t;
};
struct CommandQueue {
  using Table = ze_command_queue_dditable_t;
};
struct Context {
  using Table = ze_context_dditable_t;
};
struct Device {
  using Table = ze_device_dditable_t;
};
struct Driver {
  using Table = ze_driver_dditable_t;
};
struct Event {
  using Table = ze_event_dditable_t;
};
struct EventPool {
  using Table = ze_event_pool_dditable_t;
};
struct Fence {
  using Table = ze_fence_dditable_t;
};
struct Kernel {
  using Table = ze_kernel_dditable_t;
};
struct Mem {
  using Table = ze_mem_dditable_t;
};
struct Module {
  using Table = ze_module_dditable_t;
};

// zeMemFreeExt, the one function of functions.def that came after API 1.0.
constexpr uint32_t Since(const char* name) {
  constexpr char kFreeExt[] = "FreeExt";
  for (size_t i = 0; i < sizeof(kFreeExt); ++i) {
    if (name[i] != kFreeExt[i]) return Version(0);
  }
  return Version(3);
}

template <typename Kind>
void TakeTable(uint32_t version, void* memory) {
#define SYNCLINE_ZE_FUNCTION(kind, name)                                        \
  if constexpr (std::is_same_v<Kind, kind>) {                                   \
    auto* table = static_cast<typename Kind::Table*>(memory);                   \
    if (version >= Since(#name))                                                \
      Take(&table->pfn##name, &g_api.kind##name, decltype(g_api.kind##name){}); \
  }
#define SYNCLINE_ZE_HOOK(kind, name)                                                             \
  if constexpr (std::is_same_v<Kind, kind>) {                                                    \
    auto* table = static_cast<typename Kind::Table*>(memory);                                    \
    if (version >= Since(#name)) Take(&table->pfn##name, &g_api.kind##name, &hooks::kind##name); \
  }
#include "collectors/level_zero/functions.def"
#undef SYNCLINE_ZE_HOOK
#undef SYNCLINE_ZE_FUNCTION
}

}  // namespace

void OnTable(DdiTable kind, uint32_t version, void* table) {
  switch (kind) {
    case DdiTable::kCommandList:
      TakeTable<CommandList>(version, table);
      return TakeLaterFunctions(version, table);
    case DdiTable::kCommandListExp:
      if (version >= Version(9))
        TakeAt(table, kImmediateAppendListsSlot, &g_api.CommandListImmediateAppendCommandLists,
               &hooks::CommandListImmediateAppendCommandLists);
      return;
    case DdiTable::kCommandQueue:
      return TakeTable<CommandQueue>(version, table);
    case DdiTable::kContext:
      return TakeTable<Context>(version, table);
    case DdiTable::kDevice:
      return TakeTable<Device>(version, table);
    case DdiTable::kDriver:
      return TakeTable<Driver>(version, table);
    case DdiTable::kEvent:
      return TakeTable<Event>(version, table);
    case DdiTable::kEventPool:
      return TakeTable<EventPool>(version, table);
    case DdiTable::kFence:
      return TakeTable<Fence>(version, table);
    case DdiTable::kKernel:
      return TakeTable<Kernel>(version, table);
    case DdiTable::kMem:
      return TakeTable<Mem>(version, table);
    case DdiTable::kModule:
      return TakeTable<Module>(version, table);
  }
}

}  // namespace syncline::level_zero
