// SPDX-License-Identifier: Apache-2.0
// Where an operator was called, in the arguments of its event.
#pragma once

#include <string>
#include <unordered_map>

#include "model/run/code_location.h"

namespace syncline {

class OperatorStacks {
 public:
  explicit OperatorStacks(const OwnCode& own) : places_(own) {}

  // `, "where": "a.py:3 f()", "Call stack": "/home/me/a.py(3): f;..."`, as PyTorch's profiler
  // writes it: the innermost frame first, Python's where there are some. Lives until the next call.
  const std::string& Members(const CodeStack* stack);

 private:
  CodeLocations places_;
  std::unordered_map<const CodeStack*, std::string> texts_;
  size_t bytes_ = 0;  // of these
};

}  // namespace syncline
