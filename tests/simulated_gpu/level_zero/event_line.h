// SPDX-License-Identifier: Apache-2.0
// The states of one event (or fence) over time, as far as they are known: signals and resets of the
// future stand in it already. Guarded by the engine lock.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace simgpu::level_zero {

struct Signal {
  uint64_t ns = 0;  // when the event becomes signaled
  uint64_t by = 0;  // id of the operation that ended last before it; 0: the host signaled
  // What zeEventQueryKernelTimestamp tells; only where `timed`.
  bool timed = false;
  uint64_t start_ns = 0, end_ns = 0;
  uint32_t device = 0;  // whose clock they are in
};

class EventLine {
 public:
  void SignalAt(const Signal& signal) { Insert({signal.ns, true, signal}); }
  void ResetAt(uint64_t ns) { Insert({ns, false, {}}); }

  // The signal that lets someone pass who looks from `ns` on: the one that holds at `ns`, or the
  // next one. Nothing: no signal is known.
  std::optional<Signal> SignaledFrom(uint64_t ns) const;
  bool SignaledAt(uint64_t ns) const;

  // The last timed signal up to `ns`. A reset does not take it away.
  std::optional<Signal> TimesAt(uint64_t ns) const;

  // Nobody will ask for a time before `ns`.
  void Forget(uint64_t ns);

 private:
  struct Change {
    uint64_t ns;
    bool signaled;
    Signal signal;
  };
  void Insert(const Change& change);

  std::vector<Change> changes_;  // by time; of one time in the order in which they were made known
  std::optional<Signal> times_;  // of changes that were forgotten
};

}  // namespace simgpu::level_zero
