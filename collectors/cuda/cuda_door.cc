// SPDX-License-Identifier: Apache-2.0
// The function that the driver calls, inside cuInit, in the library of CUDA_INJECTION64_PATH.
#include "collectors/cuda/cuda_door.h"

#include "collectors/cuda/cuda_entry.h"
#include "inject/core/collector.h"
#include "inject/core/sys.h"

SYNCLINE_EXPORT int InitializeInjection() {
  using syncline::cuda::kDoor;
  syncline::ErrnoKeeper keeper;
  // The user's own tool first: CUPTI has one client, and it shall be the one that he asked for.
  const auto initialize = reinterpret_cast<int (*)()>(
      syncline::EntryOf(kDoor, syncline::UsersLibrary(kDoor), "InitializeInjection"));
  const int result = initialize == nullptr ? 1 : initialize();
  if (syncline::RecordingAllowed()) syncline::cuda::Arm();
  return result;
}
