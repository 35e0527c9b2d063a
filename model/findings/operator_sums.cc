// SPDX-License-Identifier: Apache-2.0
// Sums and differences.
#include "model/findings/operator_sums.h"

#include <algorithm>

namespace syncline {

void OperatorWork::Add(const OperatorWork& other) {
  host_ns += other.host_ns;
  blocked_ns += other.blocked_ns;
  launched += other.launched;
  device_ns += other.device_ns;
  replayed_ns += other.replayed_ns;
}

OperatorWork OperatorWork::Without(const OperatorWork& part) const {
  const auto rest = [](uint64_t whole, uint64_t less) { return whole - std::min(whole, less); };
  return {rest(host_ns, part.host_ns), rest(blocked_ns, part.blocked_ns),
          rest(launched, part.launched), rest(device_ns, part.device_ns),
          rest(replayed_ns, part.replayed_ns)};
}

void OperatorSums::Add(const OperatorSums& other) {
  count += other.count;
  all.Add(other.all);
  own.Add(other.own);
}

}  // namespace syncline
