// SPDX-License-Identifier: Apache-2.0
// The lines at which nodes of graphs were captured.
#pragma once

#include "model/devices/captured_nodes.h"
#include "model/run/code_location.h"
#include "model/spool/record_sink.h"

namespace syncline {

// Sink of a reading of its own, which only a spool with nodes has: stacks stand in other threads'
// rings than the work that names the node, and either may come first. `own` outlives this.
class CapturedLines : public RecordSink {
 public:
  CapturedLines(const OwnCode& own, CapturedNodes* nodes) : places_(own), nodes_(*nodes) {}

  unsigned Interests() const override { return kDevices | kStacks | kNoPlainRanges; }
  void OnGraphNode(Stream& stream, const GraphNodeRecord& node,
                   std::span<const NodeRange> /*ranges*/) override {
    if (stream.stack() != nullptr)
      nodes_.SetWhere(node.head.flags, node.node, places_.WhereOf(stream.stack()));
  }

 private:
  CodeLocations places_;
  CapturedNodes& nodes_;
};

}  // namespace syncline
