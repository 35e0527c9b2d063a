// SPDX-License-Identifier: Apache-2.0
// CUPTI starts its worker by pthread_create, through its linkage table: a function of ours stands
// there.
#include "collectors/cuda/cupti_threads.h"

#include <cstring>

#include "inject/core/got_slots.h"
#include "inject/core/own_thread.h"

namespace syncline::cuda {
namespace {

bool IsCreate(const char* name) { return std::strcmp(name, "pthread_create") == 0; }

bool Replace(const GotSlot& slot) {
  (void)WriteSlot(slot, reinterpret_cast<void*>(&CreateUncounted));
  return true;
}

}  // namespace

void UncountThreadsOf(const void* library) { FindSlotsOf(library, IsCreate, Replace); }

}  // namespace syncline::cuda
