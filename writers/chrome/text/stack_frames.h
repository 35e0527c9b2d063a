// SPDX-License-Identifier: Apache-2.0
// The stacks of a trace as Chrome's format has them: frames that know their callers, each once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/run/code_location.h"

namespace syncline {

// Of one trace. One thread.
class StackFrames {
 public:
  explicit StackFrames(const OwnCode& own) : own_(own) {}

  // The frame that stands for the whole stack: the innermost. 0: too many are known already.
  uint32_t Add(const CodeStack& stack);
  uint64_t left_out() const { return left_out_; }  // stacks
  bool empty() const { return frames_.empty(); }

  // The object of `stackFrames`: by number as a text, `category`, `name` and, but for the
  // outermost, `parent`.
  std::string Json() const;

 private:
  static constexpr size_t kMostFrames = 1 << 20;

  OwnCode own_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> numbers_;  // by parent (0: none) and text
  struct Frame {
    uint32_t parent;
    bool is_native;
    const std::string* name;  // in numbers_
  };
  std::vector<Frame> frames_;  // by number, from 1
  uint64_t left_out_ = 0;
};

}  // namespace syncline
