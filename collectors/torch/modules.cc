// SPDX-License-Identifier: Apache-2.0
// Each module owns its ranges, by its address. What is open on the thread says within which others
// it is called.
#include "collectors/torch/modules.h"

#include <string_view>

#include "collectors/torch/module_paths.h"
#include "collectors/torch/record_function.h"
#include "inject/core/copied_names.h"
#include "inject/core/domain_marks.h"
#include "inject/core/owned_ranges.h"

namespace syncline::torch {
namespace {

constexpr Source kOfModules = SYNCLINE_SOURCE_torch;
constexpr OwnedDomain kModuleRanges = {kOfModules, kModulesDomain, (uint64_t{kOfModules} << 32) + 2,
                                       kDomainOfModules};
constexpr size_t kMostAround = 64;

uint64_t OwnerOfModule(const void* module) { return reinterpret_cast<uintptr_t>(module); }

// Modules whose calls are open on the thread, the outermost first; of more than are told, those
// behind it are left out.
size_t OpenModules(const ThreadLog& log, uint16_t domain, CalledModule* out) {
  size_t count = 0;
  for (uint32_t i = 0; i < log.depth; ++i) {
    const OpenRange& range = log.stack[i];
    if (range.domain != domain || range.source != kOfModules) continue;
    if (count == kMostAround) {
      std::memmove(out + 1, out + 2, (kMostAround - 2) * sizeof(*out));
      --count;
    }
    const bool has_path = (range.flags & kHasAttributes) != 0;
    out[count++] = {reinterpret_cast<const void*>(range.owner),  // NOLINT: as OwnerOfModule made it
                    has_path ? static_cast<uint32_t>(range.attributes.payload) : 0};
  }
  return count;
}

uint32_t NameOfClass(ThreadLog& log, const char* name) {
  const NameCacheEntry* entry = CopiedName(log, name, std::strlen(name));
  return entry == nullptr ? 0 : entry->id;
}

// While nothing is recorded: what is called within it may be.
void OpenUnnamed(ThreadLog& log, const char* name_of_class, const void* module) {
  EnterOwned(log, kModuleRanges, IdOfDomain(log, kModuleRanges), NameOfClass(log, name_of_class),
             OwnerOfModule(module), 0);
}

void OpenNamed(ThreadLog& log, const ModulePath* path, uint64_t thread, const char* name_of_class,
               const void* module) {
  if (path == nullptr) {
    CountLoss(kLoss_definition);
    return OpenUnnamed(log, name_of_class, module);
  }
  RangeAttributes attributes = {};
  attributes.payload_type = static_cast<uint32_t>(PayloadType::kModule);
  attributes.payload = path->number;
  attributes.arguments = NameOfClass(log, name_of_class);
  attributes.forward_thread = static_cast<uint32_t>(thread);
  const uint32_t name = HandleNameId(log, path, path->text, path->bytes);
  OpenRange* const range = EnterOwned(log, kModuleRanges, IdOfDomain(log, kModuleRanges), name,
                                      OwnerOfModule(module), 0);
  if (range == nullptr) return;
  range->attributes = attributes;
  // After them: whoever reads the range after a crash finds them.
  std::atomic_signal_fence(std::memory_order_release);
  range->flags |= kHasAttributes;
}

// The path is looked for outside of hooks: functions of Python's and PyTorch's are called.
void Begin(const PythonObjects& python, const void* module) {
  CalledModule around[kMostAround];
  size_t count = 0;
  const char* const name_of_class = python.class_of(module);
  {
    const HookScope scope;
    if (!scope) return;
    ThreadLog& log = scope.log();
    if (IsClosedFor(log)) return OpenUnnamed(log, name_of_class, module);
    count = OpenModules(log, IdOfDomain(log, kModuleRanges), around);
  }
  const ModulePath* const path = FindModulePath(python, around, count, module);
  const uint64_t thread = NumberOfThread();
  const HookScope scope;
  if (scope) OpenNamed(scope.log(), path, thread, name_of_class, module);
}

void End(const void* module) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) LeaveOwned(scope.log(), kOfModules, OwnerOfModule(module), end);
}

// `__call__` of each module is this function. Beside the one that it calls, whose `self` may be a
// cell, it is entered for modules that were compiled, too.
constexpr WatchedMethod kCall = {"--torch modules",
                                 "torch.nn.modules.module",
                                 "Module._wrapped_call_impl",
                                 kChildren,
                                 Begin,
                                 End};

}  // namespace

void WatchModules() { WatchMethod(kCall); }

}  // namespace syncline::torch
