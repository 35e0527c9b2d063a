// SPDX-License-Identifier: Apache-2.0
// Readers of logs may compare as people do: what nobody sees is passed over here, too.
#include "base/log_commands.h"

#include "base/utf8.h"

namespace syncline {
namespace {

bool IsUnseen(std::string_view character) {
  const uint32_t code = NextChar(character).code;
  return ColumnsOf(character) == 0 || code == 0xad || code == 0xfeff ||
         (code >= 0x2060 && code <= 0x2064);
}

// Blanks of Unicode are cut off by readers as those of ASCII are.
bool IsBlank(uint32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xa0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
         code == 0x202f || code == 0x205f || code == 0x3000;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether `text` begins with `what`, which is ASCII.
bool Begins(std::string_view text, std::string_view what) {
  while (!what.empty() && !text.empty()) {
    const std::string_view next = text.substr(0, NextChar(text).bytes);
    text.remove_prefix(next.size());
    if (next.size() == 1 && Lower(next[0]) == what[0])
      what.remove_prefix(1);
    else if (!IsUnseen(next))
      return false;
  }
  return what.empty();
}

}  // namespace

std::string WithoutLogCommands(std::string_view text) {
  std::string harmless;
  harmless.reserve(text.size());
  bool at_begin = true;
  while (!text.empty()) {
    const Utf8Char next = NextChar(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    const bool begins_line = at_begin && bytes == ":" && Begins(text, "::");
    const bool begins_command = bytes == "#" && (Begins(text, "##[") || Begins(text, "##vso["));
    if (begins_line || begins_command)
      harmless += '?';
    else
      harmless += bytes;
    at_begin = bytes == "\n" || (at_begin && (IsBlank(next.code) || IsUnseen(bytes)));
    text.remove_prefix(next.bytes);
  }
  return harmless;
}

}  // namespace syncline
