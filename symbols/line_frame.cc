// SPDX-License-Identifier: Apache-2.0
// A head of fixed size before the two texts of each frame.
#include "symbols/line_frame.h"

#include <cstring>

namespace syncline {
namespace {

constexpr size_t kMostEncoded = 128 << 10;  // a socket takes it as one message

struct FrameHead {
  uint32_t line;
  uint32_t mangled;
  uint32_t function_bytes;
  uint32_t file_bytes;
};

}  // namespace

std::string EncodeFrames(const std::vector<LineFrame>& frames) {
  std::string bytes;
  for (const LineFrame& frame : frames) {
    const size_t texts = frame.function.size() + frame.file.size();
    if (texts > kMostEncoded || bytes.size() + sizeof(FrameHead) + texts > kMostEncoded) break;
    const FrameHead head{frame.line, frame.mangled ? 1u : 0u,
                         static_cast<uint32_t>(frame.function.size()),
                         static_cast<uint32_t>(frame.file.size())};
    bytes.append(reinterpret_cast<const char*>(&head), sizeof(head));
    bytes += frame.function;
    bytes += frame.file;
  }
  return bytes;
}

bool DecodeFrames(std::string_view bytes, std::vector<LineFrame>* frames) {
  frames->clear();
  while (!bytes.empty()) {
    FrameHead head;
    if (bytes.size() < sizeof(head)) return false;
    std::memcpy(&head, bytes.data(), sizeof(head));
    bytes.remove_prefix(sizeof(head));
    if (head.function_bytes > bytes.size() || head.file_bytes > bytes.size() - head.function_bytes)
      return false;
    frames->push_back({std::string(bytes.substr(0, head.function_bytes)), head.mangled != 0,
                       std::string(bytes.substr(head.function_bytes, head.file_bytes)), head.line});
    bytes.remove_prefix(head.function_bytes + head.file_bytes);
  }
  return true;
}

}  // namespace syncline
