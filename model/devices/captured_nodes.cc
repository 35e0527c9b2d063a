// SPDX-License-Identifier: Apache-2.0
// A clone may be read before what it was made from, which another thread recorded. What many nodes
// say alike is kept once.
#include "model/devices/captured_nodes.h"

#include <utility>

#include "inject/core/domain_marks.h"
#include "model/devices/source_facts.h"

namespace syncline {
namespace {

constexpr int kMostClones = 16;  // of clones

}  // namespace

const CapturedWork* CapturedNodes::WorkOf(Stream& stream, std::span<const NodeRange> ranges) {
  CapturedWork work;
  for (const NodeRange& range : ranges) {
    const std::string_view* const name = stream.Name(range.name);
    const DomainEntry* const domain = stream.Domain(range.domain);
    std::string text(name == nullptr ? std::string_view("(name lost)") : *name);
    const uint16_t marks = domain == nullptr ? uint16_t{0} : domain->marks;
    if ((marks & kDomainOfModules) != 0) continue;  // by the call (ModuleLog), also of backward
    if ((marks & kDomainOfOperators) == 0) {
      work.ranges.push_back(std::move(text));
      continue;
    }
    const SourceFacts& facts = FactsOfSource(range.source);
    work.arguments.clear();
    const std::string_view* const list =
        range.arguments == 0 ? nullptr : stream.Name(range.arguments);
    if (list != nullptr && facts.operator_arguments != nullptr)
      facts.operator_arguments(text, *list, &work.arguments);
    work.operators.push_back({facts.name, domain->name, std::move(text)});
  }
  return &*works_.insert(std::move(work)).first;
}

void CapturedNodes::Put(const Key& key, const Node& node) {
  if (nodes_.size() >= kMostNodes && !nodes_.contains(key)) {
    ++left_out_;
    return;
  }
  nodes_[key] = node;
}

// A number may come again for another node when the first one is gone: the last one counts.
void CapturedNodes::OnGraphNode(Stream& stream, const GraphNodeRecord& record,
                                std::span<const NodeRange> ranges) {
  const Key key{static_cast<Source>(record.head.flags), record.node};
  if (record.original == 0)
    return Put(key, {record.node, WorkOf(stream, ranges), record.correlation});
  Put(key, {record.original});
}

void CapturedNodes::SetWhere(Source source, uint64_t node, const std::string& where) {
  const auto found = nodes_.find({source, node});
  if (found != nodes_.end() && !where.empty()) found->second.where = &*wheres_.insert(where).first;
}

const CapturedNodes::Node* CapturedNodes::Find(Source source, uint64_t node) const {
  for (int i = 0; i < kMostClones; ++i) {
    const auto found = nodes_.find({source, node});
    if (found == nodes_.end()) return nullptr;
    if (found->second.work != nullptr) return &found->second;
    node = found->second.made;
  }
  return nullptr;
}

}  // namespace syncline
