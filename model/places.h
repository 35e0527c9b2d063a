// SPDX-License-Identifier: Apache-2.0
// Where in the user's own code a call stands, as people write it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "model/python_stacks.h"

namespace syncline {

// Which code is the user's own.
struct OwnCode {
  std::string directory;  // paths below it are written relative to it; empty: none is
  std::string patterns;   // of such paths, separated by commas (--own); empty: all that no
                          // installation brings
  bool Has(std::string_view path) const;
};

// "train.py" of "/home/me/train.py" below /home/me; another path as it is.
std::string_view ShownPath(const OwnCode& own, std::string_view file);

// "train.py:42 step()"; "train.py:3 <module>".
std::string FrameText(const OwnCode& own, const PythonStack::Frame& frame);

struct Place {
  // The innermost frame of the user's own code; without one, the innermost. Empty: a frame before
  // it was lost.
  std::string where;
  std::string stack;  // all frames, the innermost first: "a.py:3 f() < a.py:9 <module>"
};

// The places of a reading's stacks, each worked out once. One thread.
class Places {
 public:
  explicit Places(const OwnCode& own) : own_(own) {}
  // `stack`: of Stream::stack(), not null. Lives as long as this.
  const Place& Of(const PythonStack* stack);

 private:
  const OwnCode& own_;
  std::unordered_map<const PythonStack*, Place> places_;
};

}  // namespace syncline
