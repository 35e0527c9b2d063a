// SPDX-License-Identifier: Apache-2.0
// The operator and its inputs, what lies around it, and the line.
#include "writers/chrome/captured_arguments.h"

namespace syncline {
namespace {

// "step > aten::linear > aten::addmm"
std::string PathOf(const CapturedWork& work) {
  std::string path;
  const auto add = [&path](const std::string& name) {
    if (!path.empty()) path += " > ";
    path += name;
  };
  for (const std::string& range : work.ranges) add(range);
  for (const CapturedOperator& one : work.operators) add(one.name);
  return path;
}

}  // namespace

void CapturedArguments::OnGraphNode(const Stream& stream, const GraphNodeRecord& node) {
  if (stream.stack() == nullptr) return;
  const std::string& where = places_.WhereOf(stream.stack());
  if (!where.empty()) wheres_[node.node] = &where;
}

void CapturedArguments::Append(uint64_t node, EventLine* line) const {
  const CapturedNodes::Node* const known = nodes_.Find(source_, node);
  if (known == nullptr) return;
  const CapturedWork& work = *known->work;
  if (!work.operators.empty()) {
    line->Text("captured_operator", work.operators.back().name);
    std::string_view inputs = work.arguments;
    if (inputs.starts_with(", ")) inputs.remove_prefix(2);
    line->Members(inputs);
  }
  if (work.operators.size() + work.ranges.size() > 1 || !work.ranges.empty())
    line->Text("captured_in", PathOf(work));
  const auto where = wheres_.find(known->made);
  if (where != wheres_.end()) line->Text("captured_where", *where->second);
}

}  // namespace syncline
