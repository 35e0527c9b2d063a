// SPDX-License-Identifier: Apache-2.0
// What `syncline doctor` looks at: each check is one row, none changes anything.
#pragma once

#include <string>
#include <vector>

namespace syncline {

enum class Health { kGood, kLimited, kBad };

struct CheckResult {
  std::string name;
  Health health;
  std::string text;    // what was found
  std::string remedy;  // what to do, "" if nothing
};

// The machine, its limits and this installation, then each collector.
std::vector<CheckResult> RunChecks();

}  // namespace syncline
