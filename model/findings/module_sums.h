// SPDX-License-Identifier: Apache-2.0
// What threads did in the modules of a model that stand at one path.
#pragma once

#include <cstdint>
#include <string>

#include "model/findings/operator_sums.h"

namespace syncline {

// Autograd goes back through a module's operators, not through its calls: only what is its own is
// known of that.
struct ModuleSums {
  uint64_t count = 0;    // calls
  OperatorWork all;      // with modules that are called within
  OperatorWork own;      // in none within
  OperatorWork back;     // backward, own
  std::string of_class;  // of one of them

  void Add(const ModuleSums& other) {
    count += other.count;
    all.Add(other.all);
    own.Add(other.own);
    back.Add(other.back);
    if (of_class.empty()) of_class = other.of_class;
  }
  bool operator==(const ModuleSums&) const = default;
};

}  // namespace syncline
