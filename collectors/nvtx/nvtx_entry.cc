// SPDX-License-Identifier: Apache-2.0
// Attaching to a copy of NVTX: writes our functions into its tables, behind the user's own tool if
// there is one.
#include "collectors/nvtx/nvtx_entry.h"

#include "collectors/nvtx/chain.h"
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/nvtx_door.h"
#include "inject/core/collector.h"
#include "inject/core/sys.h"

namespace syncline::nvtx {
namespace {

constexpr uint32_t kMaxSlots = 64;  // of one extension; NVTX has 63

// The slots of one module of a program's copy, as far as we know their numbers. Older copies have
// shorter tables.
struct Slots {
  NvtxFunctionPointer* slot[kMaxFunctions];
  NvtxFunctionPointer before[kMaxFunctions];
};

void ReadSlots(const NvtxExportTableCallbacks& callbacks, uint32_t module, Slots* out) {
  *out = {};
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks.GetModuleFunctionTable(static_cast<NvtxCallbackModule>(module), &table, &size) ==
          0 ||
      table == nullptr) {
    return;
  }
  for (uint32_t id = 1; id < size && id < kMaxFunctions; ++id) {
    out->slot[id] = table[id];
    if (table[id] != nullptr) out->before[id] = *table[id];
  }
}

// Release: other threads may read the slot already, before NVTX says that it is initialised.
template <typename Slot>
void Write(Slot* slot, Slot value) {
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

// The user's tool attaches to the program's tables themselves; what changed is its. A tool that
// refuses leaves no trace.
bool AttachTool(const char* path, NvtxGetExportTableFunc_t get_export_table, const Slots* modules) {
  const auto initialize = reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(
      EntryOf(kDoor, path, "InitializeInjectionNvtx2"));
  if (initialize == nullptr) return false;
  const bool accepted = initialize(get_export_table) != 0;
  for (uint32_t module = 1; module < kModules; ++module) {
    for (uint32_t id = 1; id < kMaxFunctions; ++id) {
      NvtxFunctionPointer* slot = modules[module].slot[id];
      if (slot == nullptr || *slot == modules[module].before[id]) continue;
      if (accepted) {
        SetNext(false, module, id, *slot);
      } else {
        Write(slot, modules[module].before[id]);
      }
    }
  }
  return accepted;
}

bool IsOfExtension(const Hook& hook, const nvtxExtModuleInfo_t& info) {
  return hook.module == info.moduleId;
}

bool AttachToolExtension(const char* path, nvtxExtModuleInfo_t* info,
                         const nvtxExtModuleSegment_t& segment) {
  const auto initialize = reinterpret_cast<NvtxExtInitializeInjectionFunc_t>(
      EntryOf(kDoor, path, "InitializeInjectionNvtxExtension"));
  if (initialize == nullptr) return false;
  intptr_t before[kMaxSlots];
  const size_t count = segment.slotCount < kMaxSlots ? segment.slotCount : kMaxSlots;
  for (size_t i = 0; i < count; ++i) before[i] = segment.functionSlots[i];
  const bool accepted = initialize(info) != 0;
  for (size_t i = 0; i < count; ++i) {
    if (segment.functionSlots[i] == before[i]) continue;
    if (!accepted) {
      Write(&segment.functionSlots[i], before[i]);
    } else if (info->moduleId < kExtensionModules && i < kMaxExtensionFunctions) {
      SetNext(true, info->moduleId, static_cast<uint32_t>(i),
              reinterpret_cast<NvtxFunctionPointer>(segment.functionSlots[i]));
    }
  }
  return accepted;
}

}  // namespace

int Attach(void* get_export_table, const char* old_injection) {
  ErrnoKeeper keeper;
  const auto get = reinterpret_cast<NvtxGetExportTableFunc_t>(get_export_table);
  if (get == nullptr) return 0;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(*callbacks) ||
      callbacks->GetModuleFunctionTable == nullptr) {
    return 0;
  }
  Slots modules[kModules];
  for (uint32_t module = 1; module < kModules; ++module)
    ReadSlots(*callbacks, module, &modules[module]);
  const bool has_tool = AttachTool(old_injection, get, modules);
  if (!CollectorEnabled("nvtx")) {
    TellLeftOut(SYNCLINE_SOURCE_nvtx);
    return has_tool ? 1 : 0;
  }
  for (size_t i = 0; i < kHookCount; ++i) {
    const Hook& hook = kHooks[i];
    NvtxFunctionPointer* slot = modules[hook.module].slot[hook.id];
    if (slot != nullptr)
      Write(slot, HasNext(false, hook.module, hook.id) ? hook.chained : hook.plain);
  }
  return 1;
}

int AttachExtension(void* module_info, const char* old_injection) {
  ErrnoKeeper keeper;
  auto* info = static_cast<nvtxExtModuleInfo_t*>(module_info);
  if (info == nullptr || info->structSize < sizeof(*info) || info->segmentsCount == 0 ||
      info->segments == nullptr || info->segments[0].functionSlots == nullptr) {
    return 0;
  }
  const nvtxExtModuleSegment_t& segment = info->segments[0];
  const bool has_tool = AttachToolExtension(old_injection, info, segment);
  if (!CollectorEnabled("nvtx")) return has_tool ? 1 : 0;
  for (size_t i = 0; i < kExtensionHookCount; ++i) {
    const Hook& hook = kExtensionHooks[i];
    if (!IsOfExtension(hook, *info) || hook.id >= segment.slotCount) continue;
    const NvtxFunctionPointer function =
        HasNext(true, hook.module, hook.id) ? hook.chained : hook.plain;
    Write(&segment.functionSlots[hook.id], reinterpret_cast<intptr_t>(function));
  }
  return 1;
}

}  // namespace syncline::nvtx
