// SPDX-License-Identifier: Apache-2.0
// Quoting, and texts of numbers.
#include "launcher/host/shell_text.h"

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "base/utf8.h"

namespace syncline {

namespace {

bool IsPrintable(std::string_view text) { return PrintableText(text) == text; }

std::string DollarQuoted(std::string_view word) {
  std::string out = "$'";
  while (!word.empty()) {
    const std::string_view next = word.substr(0, NextChar(word).bytes);
    if (next == "'" || next == "\\") out += '\\';
    if (IsPrintable(next)) {
      out += next;
    } else {
      for (const char c : next) {
        char text[8];
        std::snprintf(text, sizeof(text), "\\%03o", static_cast<unsigned char>(c));
        out += text;
      }
    }
    word.remove_prefix(next.size());
  }
  return out + "'";
}

}  // namespace

std::string ScriptWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string ShellQuote(std::string_view word) {
  return IsPrintable(word) ? ScriptWord(word) : DollarQuoted(word);
}

std::string ShellQuote(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += ShellQuote(word);
  }
  return out;
}

std::string ErrorText(int error) { return std::generic_category().message(error); }

uint64_t HashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string HexText(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace syncline
