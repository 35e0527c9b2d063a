// SPDX-License-Identifier: Apache-2.0
// The code that the compiler (Inductor) made of one graph: its kernels, and what it calls instead
// of any.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/torch/facts/compile_text.h"
#include "collectors/torch/facts/graph_nodes.h"
#include "model/devices/compile_log.h"

namespace syncline::torch {

// Reads the code line by line, and then tells its parts.
class GraphCode {
 public:
  static constexpr size_t kMostParts = 4096;

  void Line(std::string_view line);
  // What the compiler tells of where kernels come from, if it was asked to (INDUCTOR_PROVENANCE):
  // stacks of the program, and nodes of the last graph, by "kernel:number".
  void TakeStacks(const CompileJson& stacks);
  void TakeNodes(const CompileJson& nodes, const GraphNodes& last_graph);
  // `graph`: of the program, as it was traced. `last_graph`: of which the code was made.
  std::vector<CompiledPart> Parts(const GraphNodes* graph, const GraphNodes* last_graph) const;

  // "backward" of '1_backward'; "inference" and "forward" too.
  const std::string& pass() const { return pass_; }
  uint64_t left_out() const { return left_out_; }

 private:
  // What a comment says of the code below it.
  struct Origin {
    std::vector<std::string> operators;
    std::vector<std::string> nodes;  // of the graph as it was traced, or of the last one
    std::map<std::string, std::vector<std::string>> made;  // of these: nodes of the last graph
  };
  struct Part {
    CompiledKind kind;
    std::string name;
    Origin origin;
    std::vector<CompiledLine> lines;  // from stacks
  };
  void Comment(std::string_view line);
  void Statement(std::string_view line);
  void Add(CompiledKind kind, std::string_view name);
  std::vector<Part*> PartsNamed(std::string_view name);
  void AddLines(const Origin& origin, const GraphNodes* graph, const GraphNodes* last_graph,
                std::vector<CompiledLine>* lines) const;

  std::string pass_;
  bool in_source_ = false;  // of a kernel
  Origin origin_;
  std::vector<Part> parts_;
  uint64_t left_out_ = 0;
};

}  // namespace syncline::torch
