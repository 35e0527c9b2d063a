// SPDX-License-Identifier: Apache-2.0
// A table that only grows: a program that makes a kernel a million times has one name.
#include "collectors/level_zero/kernel_names.h"

#include <atomic>
#include <cstring>

#include "inject/core/arena.h"
#include "inject/core/thread_log.h"

namespace syncline::level_zero {
namespace {

constexpr uint32_t kSlots = 16384;
constexpr uint32_t kNearby = 64;

constinit std::atomic<const char*> g_names[kSlots] = {};

uint64_t HashOf(const char* name) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *name != '\0'; ++name)
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3ull;
  return hash;
}

}  // namespace

KernelName KeepKernelName(const char* name) {
  if (name == nullptr) return {};
  const size_t bytes = std::strlen(name);
  const uint64_t hash = HashOf(name);
  const char* copy = nullptr;
  for (uint32_t i = 0; i < kNearby; ++i) {
    std::atomic<const char*>& slot = g_names[(hash + i) % kSlots];
    const char* here = slot.load(std::memory_order_acquire);
    if (here == nullptr) {
      if (copy == nullptr) copy = ArenaCopy(name, bytes);
      if (copy == nullptr) break;
      if (slot.compare_exchange_strong(here, copy, std::memory_order_acq_rel))
        return {copy, static_cast<uint32_t>(bytes)};
    }
    if (std::strcmp(here, name) == 0) return {here, static_cast<uint32_t>(bytes)};
  }
  CountLoss(kLoss_definition);
  return {};
}

}  // namespace syncline::level_zero
