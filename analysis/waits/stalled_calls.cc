// SPDX-License-Identifier: Apache-2.0
// The three rules.
#include "analysis/waits/stalled_calls.h"

#include <algorithm>
#include <bit>

namespace syncline {
namespace {

constexpr uint64_t kWakeNs = 100'000;
constexpr uint64_t kExceptionNs = 20'000;

size_t BucketOf(uint64_t ns) {
  if (ns < 4) return ns;
  const auto power = static_cast<size_t>(std::bit_width(ns) - 1);
  return power * 4 + (ns >> (power - 2) & 3);
}

uint64_t LengthOf(size_t bucket) {
  if (bucket < 8) return bucket;
  return (4 + bucket % 4) << (bucket / 4 - 2);
}

}  // namespace

bool StalledCalls::IsWithin(const SourceCall& call, uint64_t entry_ns, uint64_t at_ns) const {
  return at_ns > entry_ns + error_ns_ && at_ns <= call.end_ns + error_ns_;
}

bool StalledCalls::MayBeHeld(const SourceCall& call, uint64_t entry_ns, const GpuOp* work) {
  if (work != nullptr && IsWithin(call, entry_ns, work->end_ns)) return true;
  Learn(call);
  return false;
}

void StalledCalls::Learn(const SourceCall& call) {
  if (call.name >= lengths_.size()) lengths_.resize(size_t{call.name} + 1);
  ++lengths_[call.name][BucketOf(call.end_ns - call.begin_ns)];
}

uint64_t StalledCalls::UsualLength(uint16_t name) const {
  if (name >= lengths_.size()) return 0;
  uint64_t total = 0;
  for (const uint32_t count : lengths_[name]) total += count;
  uint64_t below = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    below += lengths_[name][bucket];
    if (below * 2 > total) return LengthOf(bucket);
  }
  return 0;
}

bool StalledCalls::Explained(const SourceCall& call, uint64_t released_ns) const {
  const uint64_t released = std::clamp(released_ns, call.begin_ns, call.end_ns);
  const uint64_t usual = UsualLength(call.name);
  const uint64_t before = released - call.begin_ns;
  const uint64_t after = call.end_ns - released;
  return after <= std::max({before, usual, kWakeNs}) &&
         before + after >= std::max(4 * usual, usual + kExceptionNs);
}

}  // namespace syncline
