// SPDX-License-Identifier: Apache-2.0
// Each piece is printed alone, and moved to its depth.
#include "writers/files/json_pieces.h"

namespace syncline {
namespace {

constexpr int kIndent = 1;

std::string Printed(const Json& json) {
  std::string text = JsonText(json, kIndent);
  text.pop_back();  // the line's end
  return text;
}

}  // namespace

// In JSON a line's end is never within a text.
void JsonPieces::Field(std::string_view key, const Json& value) {
  std::string piece = KeyText(key);
  const std::string printed = Printed(value);
  const std::string line_begin = "\n" + std::string(depth_, ' ');
  size_t at = 0;
  for (size_t end; (end = printed.find('\n', at)) != std::string::npos; at = end + 1)
    piece.append(printed, at, end - at).append(line_begin);
  Write(piece.append(printed, at));
}

void JsonPieces::Open(std::string_view key) {
  Write(KeyText(key));
  Begin();
}

void JsonPieces::Close() {
  --depth_;
  Write(first_ ? "}" : "\n" + std::string(depth_, ' ') + "}");
  first_ = false;
}

Status JsonPieces::End() {
  Close();
  Write("\n");
  return status_;
}

void JsonPieces::Begin() {
  Write("{");
  ++depth_;
  first_ = true;
}

std::string JsonPieces::KeyText(std::string_view key) {
  std::string text = first_ ? "\n" : ",\n";
  first_ = false;
  return text.append(depth_, ' ').append(Printed(key)).append(": ");
}

void JsonPieces::Write(std::string_view piece) {
  if (status_.ok()) status_ = sink_->Write(piece);
}

}  // namespace syncline
