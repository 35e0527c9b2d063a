// SPDX-License-Identifier: Apache-2.0
// A source's calls in one process, as they are judged; all times in nanoseconds on one line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

// Calls without a correlation id cannot be ordered with the work of devices: those are looked at
// only where nothing of devices is asked.
struct SourceCall {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint32_t correlation = 0;
  uint32_t tid = 0;
  uint16_t name = 0;        // CallRecords::CallName
  uint16_t result = 0;      // 0: success
  bool inner : 1 = false;   // made inside another recorded call: never judged, the outer one is
  bool open : 1 = false;    // had not returned when the process ended, which is its end_ns
  uint8_t queried : 6 = 0;  // of a query: two numbers are two events or streams; 0: unknown
  uint8_t role = 0;         // as in CallRecord
  uint16_t queries = 1;     // of one object, one after the other, that it stands for
};
static_assert(sizeof(SourceCall) == 32);

struct CallRecords {
  std::vector<SourceCall> calls;

  // The number of a call's name. At most 65535 names: the rest share one that is no call's.
  uint16_t CallName(std::string_view name);
  const std::vector<std::string>& call_names() const { return call_names_; }

 private:
  std::vector<std::string> call_names_{""};  // 0: unknown
  std::map<std::string, uint16_t, std::less<>> call_ids_;
};

}  // namespace syncline
