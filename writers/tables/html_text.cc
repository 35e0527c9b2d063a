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

// Three digits.
std::string ThreeDigits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return FormatNumber("%.*f", value, decimals);
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

std::string HtmlDuration(uint64_t ns) {
  if (ns == 0) return "0";
  const auto value = static_cast<double>(ns);
  if (ns < 1000) return HtmlCount(ns) + " ns";
  if (value < 999.5e3) return ThreeDigits(value / 1e3) + " \xc2\xb5s";
  if (value < 999.5e6) return ThreeDigits(value / 1e6) + " ms";
  if (value < 600e9) return ThreeDigits(value / 1e9) + " s";
  const uint64_t minutes = ns / 60'000'000'000 + (ns % 60'000'000'000 >= 30'000'000'000 ? 1 : 0);
  if (minutes < 120) return HtmlCount(minutes) + " min";
  char text[48];
  std::snprintf(text, sizeof(text), "%llu h %02llu min",
                static_cast<unsigned long long>(minutes / 60),
                static_cast<unsigned long long>(minutes % 60));
  return text;
}

std::string HtmlCount(uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string HtmlBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit < 6) {
    value /= 1024;
    ++unit;
  }
  return (unit == 0 ? HtmlCount(bytes) : ThreeDigits(value)) + " " + kUnits[unit];
}

std::string HtmlNumber(double value, int decimals) {
  return std::isfinite(value) ? FormatNumber("%.*f", value, decimals) : "unknown";
}

std::string HtmlShare(double share) {
  if (share > 0 && share < 0.0005) return "&lt; 0.1 %";
  return HtmlNumber(100 * share, 1) + " %";
}

std::string HtmlPercent(uint64_t part, uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  return HtmlShare(static_cast<double>(part) / static_cast<double>(whole));
}

std::string HtmlSeconds(uint64_t ns) {
  char text[48];
  std::snprintf(text, sizeof(text), "%llu.%06llu",
                static_cast<unsigned long long>(ns / 1'000'000'000),
                static_cast<unsigned long long>(ns % 1'000'000'000 / 1000));
  return text;
}

std::string HtmlMoment(uint64_t ns) {
  const auto seconds = static_cast<time_t>(ns / 1'000'000'000);
  tm parts = {};
  char text[40];
  if (gmtime_r(&seconds, &parts) == nullptr) return "";
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

}  // namespace syncline
