// SPDX-License-Identifier: Apache-2.0
// The functions that a program's copy of NVTX calls in the library of NVTX_INJECTION64_PATH. Where
// we do not record, the user's own library gets the program as it would alone.
#include "collectors/nvtx/nvtx_door.h"

#include "collectors/nvtx/nvtx_entry.h"
#include "inject/core/collector.h"
#include "inject/core/sys.h"

namespace syncline::nvtx {

int CallUsers(const char* entry, void* argument) {
  const auto initialize =
      reinterpret_cast<int (*)(void*)>(EntryOf(kDoor, UsersLibrary(kDoor), entry));
  return initialize == nullptr ? 0 : initialize(argument);
}

}  // namespace syncline::nvtx

using syncline::nvtx::kDoor;

SYNCLINE_EXPORT int InitializeInjectionNvtx2(void* get_export_table) {
  syncline::ErrnoKeeper keeper;
  if (!syncline::RecordingAllowed())
    return syncline::nvtx::CallUsers("InitializeInjectionNvtx2", get_export_table);
  return syncline::nvtx::Attach(get_export_table, syncline::UsersLibrary(kDoor));
}

SYNCLINE_EXPORT int InitializeInjectionNvtxExtension(void* module_info) {
  syncline::ErrnoKeeper keeper;
  if (!syncline::RecordingAllowed())
    return syncline::nvtx::CallUsers("InitializeInjectionNvtxExtension", module_info);
  return syncline::nvtx::AttachExtension(module_info, syncline::UsersLibrary(kDoor));
}
