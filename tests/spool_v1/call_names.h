// SPDX-License-Identifier: Apache-2.0
// What a spool of version 1 says of the names that its calls bear.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/spool_v1/spool_walk.h"

namespace syncline::spool_v1 {

// Calls told of their number themselves, and of their role nothing; names stand before their calls.
// So a spool is read once for its names before it is converted.
class CallNames {
 public:
  CallNames(std::vector<char>* file, const Blocks& blocks);

  // The number of the first call that bears the name, 0: no call does.
  uint16_t NumberOf(uint64_t stream, uint32_t name) const;
  // CallRecord::role, 0 where the name is lost.
  uint8_t RoleOf(uint64_t stream, uint32_t name) const;

 private:
  struct Name {
    std::string text;
    uint8_t role = 0;
    bool has_call = false;
    uint16_t number = 0;
  };

  void OnRecord(uint64_t stream, const char* record, uint64_t bytes);
  void OnCall(uint64_t stream, const char* record);
  const Name* Find(uint64_t stream, uint32_t name) const;

  std::map<std::pair<uint64_t, uint32_t>, Name> names_;  // by stream and id
};

}  // namespace syncline::spool_v1
