// SPDX-License-Identifier: Apache-2.0
// What threads did in a framework's operators of one name.
#pragma once

#include <cstdint>

namespace syncline {

// The host's time, and what was given to devices in it.
struct OperatorWork {
  uint64_t host_ns = 0;
  uint64_t blocked_ns = 0;   // of it: the thread waited for devices
  uint64_t launched = 0;     // operations of devices that were submitted
  uint64_t device_ns = 0;    // how long those ran, added up, and what replays ran
  uint64_t replayed_ns = 0;  // of it: what had been captured into graphs in it, each time they ran

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

  void Add(const OperatorSums& other);
  bool operator==(const OperatorSums&) const = default;
};

}  // namespace syncline
