// SPDX-License-Identifier: Apache-2.0
// Judges a Chrome trace as its strictest readers do: schema, order of keys, nesting of slices on
// each row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace syncline::testing {

struct TraceCheck {
  std::vector<std::string> faults;  // at most 20; empty: the trace is good
  nlohmann::ordered_json trace;

  // Events with that "ph" and, if given, name.
  std::vector<nlohmann::ordered_json> Events(const std::string& ph,
                                             const std::string& name = "") const;
  std::string Faults() const;
};

TraceCheck CheckTrace(std::string_view text);

// A `ts` or `dur` as nanoseconds.
int64_t Nanoseconds(const nlohmann::ordered_json& microseconds);

// Reads a file; unpacks all members of a .gz. `members`, if wanted, gets the text of each.
std::string ReadTrace(const std::string& path, std::vector<std::string>* members = nullptr);

}  // namespace syncline::testing
