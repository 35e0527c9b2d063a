// SPDX-License-Identifier: Apache-2.0
// What threads did in a framework's operators of one name.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "model/devices/number_format.h"
#include "model/findings/name_keys.h"
#include "model/findings/step_parts.h"

namespace syncline {

// A number for each NumberFormat. Sums of FLOPs do not fit into whole numbers: a day of one device
// has 10^20.
using ByFormat = std::array<double, kNumberFormats>;
double SumOf(const ByFormat& numbers);
void AddTo(ByFormat* sums, const ByFormat& more);

// What devices computed of which it is known what it had to be: of operators without such ones
// within.
struct ComputedWork {
  ByFormat flops{};
  ByFormat best{};          // the most FLOP/s of one call
  uint64_t device_ns = 0;   // of what was submitted in these calls, added up
  double bytes = 0;         // inputs read once, outputs written once
  double best_bytes = 0;    // the most of them a second, of one call
  bool bytes_known = true;  // false: of a call they are not

  void Add(const ComputedWork& other);
  bool operator==(const ComputedWork&) const = default;
};

// What steps computed, from the first steady one on.
struct StepWork {
  ByFormat flops{};      // on devices
  double all_flops = 0;  // also elsewhere
  uint64_t steps = 0;    // 0: not known
  uint64_t total_ns = 0;
  bool operator==(const StepWork&) const = default;
};

// The host's time, and what was given to devices in it.
struct OperatorWork {
  uint64_t host_ns = 0;
  uint64_t blocked_ns = 0;   // of it: the thread waited for devices
  uint64_t launched = 0;     // operations of devices that were submitted
  uint64_t device_ns = 0;    // how long those ran, added up
  double flops = 0;          // that are known, on devices and elsewhere
  uint64_t replayed_ns = 0;  // what had been captured into graphs in it, when they ran

  void Add(const OperatorWork& other);
  // What is left without `part`; never less than nothing.
  OperatorWork Without(const OperatorWork& part) const;
  bool operator==(const OperatorWork&) const = default;
};

// An operator within one of the same name counts as well as that: each call is one.
struct OperatorSums {
  uint64_t count = 0;
  OperatorWork all;  // with operators within
  OperatorWork own;  // in none within
  ComputedWork computed{};
  StepParts in_steps{};  // of `own`; of sums by name alone

  void Add(const OperatorSums& other);
  bool operator==(const OperatorSums&) const = default;
};

// Operators of one name with inputs of the same sizes, or that were called at the same line.
struct OperatorGroup {
  RangeKey of;
  std::string by;  // "[[8, 16], [16, 4]]"; "train.py:12 step()", empty: not known
  auto operator<=>(const OperatorGroup&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace syncline
