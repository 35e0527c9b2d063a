// SPDX-License-Identifier: Apache-2.0
// Asks the kernel once a page.
#include "collectors/stacks/stack_memory.h"

#include <cerrno>

#include "inject/core/sys.h"

namespace syncline::stacks {
namespace {

constexpr uint64_t kPage = 4096;  // or a part of one

// The kernel reads the set before it looks at `how`, which is none: it changes nothing, and says
// EINVAL where it could read.
bool IsReadable(uint64_t page) {
  constexpr long kNoHow = -1;
  return SysCall(SYS_rt_sigprocmask, kNoHow, static_cast<long>(page), 0, 8) == -EINVAL;
}

}  // namespace

// Of what a sanitizer guards, a profiler reads the return addresses in between.
__attribute__((no_sanitize("address", "thread"))) uint64_t StackMemory::Load(uint64_t address) {
  return *reinterpret_cast<const uint64_t*>(address);  // NOLINT: asked for above
}

bool StackMemory::MakeSure(uint64_t address) {
  if (address % sizeof(uint64_t) != 0) return false;  // none lies across two pages
  const uint64_t page = address & ~(kPage - 1);
  if (page == 0 || !IsReadable(page)) return false;
  if (page == high_) {
    high_ += kPage;
  } else {
    low_ = page;
    high_ = page + kPage;
  }
  return true;
}

}  // namespace syncline::stacks
