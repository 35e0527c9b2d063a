// SPDX-License-Identifier: Apache-2.0
// Keeps the switches of the activity kinds.
#include "tests/simulated_gpu/cupti/kinds.h"

namespace simgpu::cupti {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

void Kinds::Set(uint32_t kind, bool on) {
  on_[kind].store(on, kRelaxed);
  // Enabling or disabling the kind as a whole overrides what was set per call.
  if (kind != CUPTI_ACTIVITY_KIND_DRIVER && kind != CUPTI_ACTIVITY_KIND_RUNTIME) return;
  const Domain domain = kind == CUPTI_ACTIVITY_KIND_DRIVER ? Domain::kDriver : Domain::kRuntime;
  for (auto& call : calls_[Row(domain)]) call.store(on, kRelaxed);
}

void Kinds::SetForContext(uint32_t kind, uint32_t context_id, bool on) {
  std::lock_guard lock(mutex_);
  contexts_[{kind, context_id}] = on;
  any_context_.store(true, kRelaxed);
}

void Kinds::SetCall(Domain domain, uint32_t cbid, bool on) {
  calls_[Row(domain)][cbid].store(on, kRelaxed);
}

void Kinds::Clear() {
  for (auto& kind : on_) kind.store(false, kRelaxed);
  for (auto& domain : calls_) {
    for (auto& call : domain) call.store(false, kRelaxed);
  }
  std::lock_guard lock(mutex_);
  contexts_.clear();
  any_context_.store(false, kRelaxed);
}

bool Kinds::On(uint32_t kind, uint32_t context_id) const {
  if (any_context_.load(kRelaxed)) {
    std::lock_guard lock(mutex_);
    const auto found = contexts_.find({kind, context_id});
    if (found != contexts_.end()) return found->second;
  }
  return On(kind);
}

bool Kinds::OnSomewhere(uint32_t kind) const {
  if (On(kind)) return true;
  if (!any_context_.load(kRelaxed)) return false;
  std::lock_guard lock(mutex_);
  for (const auto& [key, on] : contexts_) {
    if (key.first == kind && on) return true;
  }
  return false;
}

}  // namespace simgpu::cupti
