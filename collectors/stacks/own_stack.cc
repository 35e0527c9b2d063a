// SPDX-License-Identifier: Apache-2.0
// pthread_getattr_np would say it, and takes a lock, memory of the heap and a file for that.
#include "collectors/stacks/own_stack.h"

#include <pthread.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstddef>

#include "inject/core/sys.h"

namespace syncline::stacks {
namespace {

constexpr uint64_t kPage = 4096;

// glibc puts its struct pthread at the upper end of the stack of each thread that it starts, also
// of one that the program gave it, and keeps in it where the whole begins and how long it is. The
// place in the struct is not told, but nothing else in there is a pair of a begin and a length of
// what the struct itself ends.
__attribute__((no_sanitize("address", "thread"))) StackPart PartOfThread() {
  constexpr size_t kWords = 256;  // the struct has 288 from glibc 2.17 on
  constexpr uint64_t kLongest = uint64_t{1} << 40;
  constexpr uint64_t kMostBehind = 64 << 10;  // the struct, and what aligns it
  const auto self = static_cast<uint64_t>(pthread_self());
  const auto* words = reinterpret_cast<const uint64_t*>(self);  // NOLINT: lives as the thread does
  for (size_t i = 0; i + 1 < kWords; ++i) {
    const uint64_t begin = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
    const uint64_t bytes = __atomic_load_n(&words[i + 1], __ATOMIC_RELAXED);
    if (begin >= self || begin % sizeof(uint64_t) != 0 || bytes > kLongest) continue;
    const uint64_t end = begin + bytes;
    if (end > self && end - self <= kMostBehind) return {begin, self - begin};
  }
  return {};
}

// The kernel keeps a gap below the first thread's stack: what is mapped without a hole up to its
// top is this stack.
bool IsWithoutHole(uint64_t low, uint64_t high) {
  constexpr uint64_t kPages = 256;
  unsigned char in_memory[kPages];
  for (uint64_t at = low; at < high; at += kPages * kPage) {
    const uint64_t bytes = std::min(high - at, kPages * kPage);
    if (SysCall(SYS_mincore, static_cast<long>(at), static_cast<long>(bytes), AsLong(in_memory)) !=
        0)
      return false;
  }
  return true;
}

}  // namespace

void OwnStack::Begin() {
  const StackPart part = PartOfThread();
  low_ = part.low;
  high_ = part.low + part.bytes;
  grows_ = part.bytes == 0 && static_cast<int32_t>(SysTid()) == SysPid();
  if (!grows_) return;
  // What the kernel wrote at the top, for the program's first instruction. Frames may begin in the
  // same page.
  high_ = getauxval(AT_RANDOM) & ~(sizeof(uint64_t) - 1);
  low_ = high_ & ~(kPage - 1);
}

bool OwnStack::GrowTo(uint64_t place) {
  constexpr uint64_t kMost = 64 << 20;  // the kernel maps nothing of its own choice that near
  const uint64_t low = place & ~(kPage - 1);
  if (high_ - low > kMost || !IsWithoutHole(low, low_)) return false;
  low_ = low;
  return true;
}

}  // namespace syncline::stacks
