// SPDX-License-Identifier: Apache-2.0
// Sums and differences.
#include "model/findings/operator_sums.h"

#include <algorithm>
#include <numeric>

namespace syncline {

double SumOf(const ByFormat& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

void AddTo(ByFormat* sums, const ByFormat& more) {
  for (size_t i = 0; i < kNumberFormats; ++i) (*sums)[i] += more[i];
}

void ComputedWork::Add(const ComputedWork& other) {
  AddTo(&flops, other.flops);
  for (size_t i = 0; i < kNumberFormats; ++i) best[i] = std::max(best[i], other.best[i]);
  device_ns += other.device_ns;
  bytes += other.bytes;
  best_bytes = std::max(best_bytes, other.best_bytes);
  bytes_known = bytes_known && other.bytes_known;
}

void OperatorWork::Add(const OperatorWork& other) {
  host_ns += other.host_ns;
  blocked_ns += other.blocked_ns;
  launched += other.launched;
  device_ns += other.device_ns;
  flops += other.flops;
  replayed_ns += other.replayed_ns;
}

OperatorWork OperatorWork::Without(const OperatorWork& part) const {
  const auto rest = [](uint64_t whole, uint64_t less) { return whole - std::min(whole, less); };
  return {rest(host_ns, part.host_ns),       rest(blocked_ns, part.blocked_ns),
          rest(launched, part.launched),     rest(device_ns, part.device_ns),
          std::max(0.0, flops - part.flops), rest(replayed_ns, part.replayed_ns)};
}

void OperatorSums::Add(const OperatorSums& other) {
  count += other.count;
  all.Add(other.all);
  own.Add(other.own);
  computed.Add(other.computed);
  AddParts(other.in_steps, &in_steps);
}

}  // namespace syncline
