// SPDX-License-Identifier: Apache-2.0
// Which activity kinds are on: for the process, per context, and per call for the two kinds of API
// records.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "tests/simulated_gpu/engine/observer.h"

namespace simgpu::cupti {

// Read on every operation and call (relaxed: a switch takes effect from some call on), written by
// the client's few calls.
class Kinds {
 public:
  static constexpr uint32_t kMost = 64;

  void Set(uint32_t kind, bool on);
  void SetForContext(uint32_t kind, uint32_t context_id, bool on);
  void SetCall(Domain domain, uint32_t cbid, bool on);
  void Clear();

  bool On(uint32_t kind) const { return on_[kind].load(std::memory_order_relaxed); }
  // A context's own setting goes before the process's.
  bool On(uint32_t kind, uint32_t context_id) const;
  bool CallOn(Domain domain, uint32_t cbid) const {
    return cbid < kMostCbids && calls_[Row(domain)][cbid].load(std::memory_order_relaxed);
  }
  // On anywhere: what the engine has to be asked for.
  bool OnSomewhere(uint32_t kind) const;

 private:
  static int Row(Domain domain) { return domain == Domain::kDriver ? 0 : 1; }

  std::atomic<bool> on_[kMost] = {};
  std::atomic<bool> calls_[2][kMostCbids] = {};
  std::atomic<bool> any_context_{false};
  mutable std::mutex mutex_;
  std::map<std::pair<uint32_t, uint32_t>, bool> contexts_;  // (kind, context id)
};

}  // namespace simgpu::cupti
