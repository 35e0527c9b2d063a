// SPDX-License-Identifier: Apache-2.0
// A tree: stacks share what their outermost frames have in common.
#include "writers/chrome/text/stack_frames.h"

#include "writers/chrome/text/json.h"

namespace syncline {

uint32_t StackFrames::Add(const CodeStack& stack) {
  uint32_t parent = 0;
  for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {
    const auto [at, is_new] = numbers_.try_emplace({parent, FrameText(own_, **frame)}, 0);
    if (is_new) {
      if (frames_.size() == kMostFrames) {
        numbers_.erase(at);
        ++left_out_;
        return 0;
      }
      frames_.push_back({parent, (*frame)->kind == FrameKind::kNative, &at->first.second});
      at->second = static_cast<uint32_t>(frames_.size());
    }
    parent = at->second;
  }
  return parent;
}

std::string StackFrames::Json() const {
  std::string text = "{";
  uint32_t number = 0;
  for (const auto& [parent, is_native, name] : frames_) {
    text.append(number == 0 ? "\n\"" : ",\n\"");
    AppendUint(&text, ++number);
    text.append(is_native ? "\": {\"category\": \"native\", \"name\": "
                          : "\": {\"category\": \"python\", \"name\": ");
    AppendString(&text, *name);
    if (parent != 0) {
      text.append(", \"parent\": \"");
      AppendUint(&text, parent);
      text.push_back('"');
    }
    text.push_back('}');
  }
  return text + "\n}";
}

}  // namespace syncline
