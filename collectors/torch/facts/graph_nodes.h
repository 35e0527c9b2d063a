// SPDX-License-Identifier: Apache-2.0
// The nodes of a graph as the compiler prints it: the line of the program each comes from, and the
// operator it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/devices/compile_log.h"

namespace syncline::torch {

struct GraphNode {
  CompiledLine line;  // of no file: not known
  std::string op;     // "aten.add"; empty: it calls none
};

// "torch.ops.aten.add.Tensor(" is aten.add, and so is "aten.add.Tensor(". Empty: there is none.
std::string OperatorOf(std::string_view called);

class GraphNodes {
 public:
  static constexpr size_t kMost = 1 << 14;

  // The next line of what is printed.
  void Line(std::string_view line);
  const GraphNode* Of(const std::string& name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? nullptr : &found->second;
  }
  size_t size() const { return nodes_.size(); }
  uint64_t left_out() const { return left_out_; }

 private:
  std::unordered_map<std::string, GraphNode> nodes_;
  CompiledLine line_;
  uint64_t left_out_ = 0;
};

}  // namespace syncline::torch
