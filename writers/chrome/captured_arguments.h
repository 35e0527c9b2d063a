// SPDX-License-Identifier: Apache-2.0
// What a replayed kernel says of its capture.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "model/devices/captured_nodes.h"
#include "model/run/code_location.h"
#include "writers/chrome/event_line.h"

namespace syncline {

// Of one source, while its spool is read for the second time. One thread.
class CapturedArguments {
 public:
  CapturedArguments(const CapturedNodes& nodes, Source source, const OwnCode& own)
      : nodes_(nodes), source_(source), places_(own) {}

  // The line is that of the node's own record: the reading's stacks live no longer.
  void OnGraphNode(const Stream& stream, const GraphNodeRecord& node);
  void Append(uint64_t node, EventLine* line) const;

 private:
  const CapturedNodes& nodes_;
  const Source source_;
  CodeLocations places_;
  std::unordered_map<uint64_t, const std::string*> wheres_;  // by node
};

}  // namespace syncline
