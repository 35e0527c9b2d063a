// SPDX-License-Identifier: Apache-2.0
// dlclose as the program calls it. What it does depends on its argument alone, unlike dlopen, which
// looks at its caller.
#include "collectors/stacks/closed_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include "collectors/stacks/loaded_modules.h"
#include "inject/core/door.h"

namespace syncline::stacks {

constinit std::atomic<uint64_t> g_libraries_closed{0};

namespace {

using Close = int (*)(void*);

// Under the lock of the loader's list, so the count never goes back.
int OnFirst(dl_phdr_info* info, size_t, void*) {
  g_libraries_closed.store(info->dlpi_subs, std::memory_order_relaxed);
  return 1;
}

int CloseAndCount(void* handle) {
  static std::atomic<Close> next;
  Close close = next.load(std::memory_order_relaxed);
  if (close == nullptr) {
    close = reinterpret_cast<Close>(dlsym(RTLD_NEXT, "dlclose"));
    if (close == nullptr) return -1;
    next.store(close, std::memory_order_relaxed);
  }
  const int result = close(handle);
  if (IsPreparingProcess()) {
    dl_iterate_phdr(OnFirst, nullptr);  // most calls only count a handle down
  } else {
    g_libraries_closed.fetch_add(1, std::memory_order_relaxed);
  }
  return result;
}

}  // namespace
}  // namespace syncline::stacks

SYNCLINE_EXPORT int dlclose(void* handle) noexcept {
  return syncline::stacks::CloseAndCount(handle);
}
