// SPDX-License-Identifier: Apache-2.0
// Stacks are few, and come again and again.
#include "writers/chrome/text/operator_stacks.h"

#include <algorithm>

#include "base/text.h"
#include "writers/chrome/text/json.h"

namespace syncline {
namespace {

constexpr size_t kMostText = size_t{16} << 20;

bool IsPython(const CodeStack::Frame& frame) { return frame.kind == FrameKind::kPython; }

std::string CallStackOf(const CodeStack& stack) {
  const bool has_python = std::any_of(stack.frames.begin(), stack.frames.end(),
                                      [](const auto* frame) { return IsPython(*frame); });
  std::string text;
  for (const CodeStack::Frame* frame : stack.frames) {
    if (IsPython(*frame) != has_python) continue;
    text += Text(text.empty() ? "" : ";", frame->file.empty() ? frame->module : frame->file, "(",
                 frame->line, "): ", frame->function);
  }
  return text;
}

}  // namespace

const std::string& OperatorStacks::Members(const CodeStack* stack) {
  if (bytes_ > kMostText) {
    texts_.clear();
    bytes_ = 0;
  }
  std::string& text = texts_[stack];
  if (!text.empty()) return text;
  const std::string& where = places_.WhereOf(stack);
  if (!where.empty()) {
    text = ", \"where\": ";
    AppendString(&text, where);
  }
  text += ", \"Call stack\": ";
  AppendString(&text, CallStackOf(*stack));
  bytes_ += text.size();
  return text;
}

}  // namespace syncline
