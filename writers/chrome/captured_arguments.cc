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

void AppendCaptured(const CapturedNodes::Node& node, EventLine* line) {
  const CapturedWork& work = *node.work;
  if (!work.operators.empty()) {
    line->Text("captured_operator", work.operators.back().name);
    std::string_view inputs = work.arguments;
    if (inputs.starts_with(", ")) inputs.remove_prefix(2);
    line->Members(inputs);
  }
  const std::string path = PathOf(work);
  if (!path.empty()) line->Text("captured_in", path);
  if (node.where != nullptr) line->Text("captured_where", *node.where);
}

}  // namespace syncline
