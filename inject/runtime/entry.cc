// SPDX-License-Identifier: Apache-2.0
// The three doors: LD_PRELOAD's constructor, CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH. Nothing
// throws past them.
#include <dlfcn.h>

#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/process_facts.h"
#include "inject/core/rank.h"
#include "inject/core/sys.h"
#include "inject/runtime/in_process_consumer.h"
#include "inject/runtime/session.h"

namespace syncline::nvtx {
// collectors/nvtx/nvtx_entry.h; weak, because a build without NVTX headers has no such collector.
__attribute__((weak, visibility("hidden"))) int Attach(void* get_export_table,
                                                       const char* user_injection);
__attribute__((weak, visibility("hidden"))) int AttachExtension(void* module_info,
                                                                const char* user_injection);
}  // namespace syncline::nvtx

namespace syncline::cuda {
// collectors/cuda/cuda_entry.h; weak, because the folder can be taken out.
__attribute__((weak, visibility("hidden"))) void Arm();
}  // namespace syncline::cuda

namespace syncline {
namespace {

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"  // the one that is meant
#endif
// Does nothing visible: shells and helpers of every kind run it. One message to the launcher if the
// process has a rank.
__attribute__((constructor)) void Load() {
  ErrnoKeeper keeper;
  LogRememberStderr();
  RememberLoadingProcess();
  if (RecordingAllowed() && FindRank(Environment).rank >= 0) SendStartNote();
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// The user's own CUDA injection, which ours took the place of.
int CallUserInjection(const char* path) {
  if (*path == '\0') return 1;
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  auto* initialize = library == nullptr
                         ? nullptr
                         : reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize != nullptr) return initialize();
  Log(LogLevel::kWarn, "could not load the CUDA injection that was set before ours:", path);
  return 1;
}

// Recording is off for this program, or has no NVTX: the user's own NVTX injection gets the client
// as it would alone.
int CallUserNvtx(const char* entry, void* argument) {
  const char* path = VariableText(Variable::kOldNvtx);
  if (*path == '\0') return 0;
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  auto* initialize =
      library == nullptr ? nullptr : reinterpret_cast<int (*)(void*)>(dlsym(library, entry));
  return initialize == nullptr ? 0 : initialize(argument);
}

}  // namespace
}  // namespace syncline

#define SYNCLINE_EXPORT extern "C" __attribute__((visibility("default")))

SYNCLINE_EXPORT int InitializeInjection() {
  syncline::ErrnoKeeper keeper;
  // The user's own tool first: CUPTI has one client, and it shall be the one that he asked for.
  const int result =
      syncline::CallUserInjection(syncline::VariableText(syncline::Variable::kOldCuda));
  if (syncline::cuda::Arm != nullptr && syncline::RecordingAllowed()) syncline::cuda::Arm();
  return result;
}

SYNCLINE_EXPORT int InitializeInjectionNvtx2(void* get_export_table) {
  syncline::ErrnoKeeper keeper;
  if (syncline::nvtx::Attach == nullptr || !syncline::RecordingAllowed()) {
    return syncline::CallUserNvtx("InitializeInjectionNvtx2", get_export_table);
  }
  return syncline::nvtx::Attach(get_export_table,
                                syncline::VariableText(syncline::Variable::kOldNvtx));
}

SYNCLINE_EXPORT int InitializeInjectionNvtxExtension(void* module_info) {
  syncline::ErrnoKeeper keeper;
  if (syncline::nvtx::AttachExtension == nullptr || !syncline::RecordingAllowed()) {
    return syncline::CallUserNvtx("InitializeInjectionNvtxExtension", module_info);
  }
  return syncline::nvtx::AttachExtension(module_info,
                                         syncline::VariableText(syncline::Variable::kOldNvtx));
}
