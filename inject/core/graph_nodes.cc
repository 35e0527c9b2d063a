// SPDX-License-Identifier: Apache-2.0
// The open ranges as they stand, and a stack where stacks are taken at all.
#include "inject/core/graph_nodes.h"

#include <algorithm>
#include <cstring>

#include "inject/core/call_log.h"
#include "inject/core/call_stacks.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"

namespace syncline {
namespace {

uint32_t CorrelationOfOpenCall(const ThreadLog& log, Source source) {
  if (open_calls::Count(log.open_calls[source]) == 0) return 0;
  return log.control->calls[source].correlation.load(std::memory_order_relaxed);
}

NodeRange AsNodeRange(const OpenRange& range) {
  NodeRange told{};
  told.name = range.name;
  told.domain = range.domain;
  told.source = range.source;
  const bool of_operator =
      (range.flags & kHasAttributes) != 0 &&
      range.attributes.payload_type == static_cast<uint32_t>(PayloadType::kOperator);
  if (of_operator) told.arguments = range.attributes.arguments;
  return told;
}

GraphNodeRecord NewGraphNode(Source source, uint64_t node, uint64_t original) {
  GraphNodeRecord record{};
  record.head.kind = static_cast<uint8_t>(RecordKind::kGraphNode);
  record.head.flags = source;
  record.node = node;
  record.original = original;
  return record;
}

void Put(ThreadLog& log, GraphNodeRecord record, const OpenRange* ranges) {
  const uint64_t plain = sizeof(record) + record.range_count * sizeof(NodeRange);
  const uint64_t bytes = (plain + kSlotBytes - 1) / kSlotBytes * kSlotBytes;
  char* room = Reserve(log, bytes);
  if (room == nullptr) return CountLoss(kLoss_ring_full);
  record.head.slots = static_cast<uint16_t>(bytes / kSlotBytes);
  std::memcpy(room, &record, sizeof(record));
  auto* told = reinterpret_cast<NodeRange*>(room + sizeof(record));
  for (uint32_t i = 0; i < record.range_count; ++i) told[i] = AsNodeRange(ranges[i]);
  Publish(log, bytes);
}

}  // namespace

void RecordGraphNode(Source source, uint64_t node) {
  const ErrnoKeeper keeper;
  const HookScope scope;
  if (!scope) return;
  ThreadLog& log = scope.log();
  GraphNodeRecord record = NewGraphNode(source, node, 0);
  record.head.id = StackOfNode(log);  // may move the thread into a larger ring
  record.correlation = CorrelationOfOpenCall(log, source);
  record.range_count = static_cast<uint16_t>(std::min(log.depth, kMostNodeRanges));
  const uint32_t above = log.depth - record.range_count;
  record.ranges_above = static_cast<uint16_t>(std::min<uint32_t>(above, UINT16_MAX));
  Put(log, record, log.stack + above);
}

void RecordClonedNode(Source source, uint64_t node, uint64_t original) {
  const ErrnoKeeper keeper;
  const HookScope scope;
  if (scope) Put(scope.log(), NewGraphNode(source, node, original), nullptr);
}

}  // namespace syncline
