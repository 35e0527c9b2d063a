// SPDX-License-Identifier: Apache-2.0
// "# File: /a/train.py:5 in f, code: z = torch.relu(x + y)" says where the nodes below it come
// from: `add: "f32[16, 16]" = torch.ops.aten.add.Tensor(...)`.
#include "collectors/torch/facts/graph_nodes.h"

#include <charconv>

#include "collectors/torch/facts/compile_text.h"

namespace syncline::torch {
namespace {

constexpr size_t kLongestNodeText = 4096;
constexpr std::string_view kNodeFile = "# File: ";
constexpr std::string_view kNodeLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// What stands behind "# File: ".
CompiledLine LineFrom(std::string_view text) {
  text = text.substr(0, text.find(", code: "));
  CompiledLine line;
  const size_t in = text.rfind(" in ");
  if (in != std::string_view::npos) {
    line.function = FunctionOf(text.substr(in + 4, kLongestNodeText));
    text = text.substr(0, in);
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  line.file = text.substr(0, std::min(colon, kLongestNodeText));
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), line.line);
  return line;
}

}  // namespace

std::string OperatorOf(std::string_view called) {
  constexpr std::string_view kOps = "torch.ops.";
  if (called.starts_with(kOps)) called.remove_prefix(kOps.size());
  called = called.substr(0, called.find('('));
  const size_t space = called.find('.');
  if (space == std::string_view::npos) return "";
  const size_t overload = called.find('.', space + 1);
  called = called.substr(0, std::min(overload, kLongestNodeText));
  const bool is_name =
      called.find_first_not_of(std::string(kNodeLetters) + ".") == std::string::npos;
  return is_name ? std::string(called) : "";
}

void GraphNodes::Line(std::string_view text) {
  const std::string_view line = Trimmed(text);
  if (line.starts_with("#")) {
    line_ = line.starts_with(kNodeFile) ? LineFrom(line.substr(kNodeFile.size())) : CompiledLine{};
    return;
  }
  const size_t end = line.find_first_not_of(kNodeLetters);
  if (end == 0 || end == std::string_view::npos) return;
  const bool annotated = line[end] == ':' && line.substr(end).starts_with(": \"");
  const size_t equal = line.find(" = ", annotated ? line.find('"', end + 3) : end);
  if ((!annotated && equal != end) || equal == std::string_view::npos) return;
  if (nodes_.size() >= kMost) {
    ++left_out_;
    return;
  }
  const std::string_view called = line.substr(equal + 3);
  nodes_.insert_or_assign(
      std::string(line.substr(0, std::min(end, kLongestNodeText))),
      GraphNode{line_, called.starts_with("torch.ops.") ? OperatorOf(called) : ""});
}

}  // namespace syncline::torch
