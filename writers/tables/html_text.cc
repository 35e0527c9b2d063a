// SPDX-License-Identifier: Apache-2.0
// Escaping for HTML and JSON, and numbers as people read them.
#include "writers/tables/html_text.h"

#include <cmath>
#include <cstdio>
#include <ctime>

#include "base/utf8.h"

namespace syncline {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

// Marks that turn the direction of what follows, that cannot be seen, or that end a line.
bool IsMisleading(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0xad || c == 0x61c || c == 0x180e ||
         (c >= 0x200b && c <= 0x200f && c != 0x200c && c != 0x200d) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
         (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

bool IsBlank(char32_t c) {
  return c == '\n' || c == '\r' || c == '\t' || c == 0x2028 || c == 0x2029;
}

std::string FormatNumber(const char* format, double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), format, decimals, value);
  return text;
}

}  // namespace

std::string CleanText(std::string_view text, size_t most) {
  std::string clean;
  while (!text.empty()) {
    const auto [c, bytes] = NextChar(text);
    if (clean.size() + bytes > most) {
      clean += kEllipsis;
      break;
    }
    if (IsBlank(c)) {
      clean += ' ';
    } else if (c == kNoChar || IsMisleading(c)) {
      clean += kReplacement;
    } else {
      clean += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return clean;
}

std::string HtmlText(std::string_view text, size_t most) {
  std::string html;
  for (const char c : CleanText(text, most)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string ScriptString(std::string_view text) {
  std::string json = "\"";
  for (const char c : CleanText(text)) {
    if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\\' || c == '\'') {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
      json += escaped;
    } else {
      json += c;
    }
  }
  return json + "\"";
}

std::string ShellWord(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789%+,-./:=@_") == std::string_view::npos;
  if (plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string HtmlNumber(double value, int decimals) {
  return std::isfinite(value) ? FormatNumber("%.*f", value, decimals) : "unknown";
}

std::string HtmlMoment(uint64_t ns) {
  const auto seconds = static_cast<time_t>(ns / 1'000'000'000);
  tm parts = {};
  char text[40];
  if (gmtime_r(&seconds, &parts) == nullptr) return "";
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

}  // namespace syncline
