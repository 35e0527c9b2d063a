// SPDX-License-Identifier: Apache-2.0
// Building text for people.
#include "base/text.h"

#include <cstdio>
#include <iterator>

#include "base/utf8.h"

namespace syncline {
namespace {

std::string ThreeDigits(double value, const char* unit) {
  char text[48];
  const char* format = value < 9.995 ? "%.2f %s" : value < 99.95 ? "%.1f %s" : "%.0f %s";
  std::snprintf(text, sizeof(text), format, value, unit);
  return text;
}

}  // namespace

std::string JoinNames(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  return out;
}

std::string SomeNames(std::vector<std::string> names) {
  constexpr size_t kMostNames = 8;  // in one line
  if (names.size() <= kMostNames) return JoinNames(names);
  const size_t more = names.size() - (kMostNames - 1);
  names.resize(kMostNames - 1);
  names.push_back(Text(more, " more"));
  return JoinNames(names);
}

std::string SizeText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value,
                kUnits[unit]);
  return text;
}

std::string CountText(uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string Counted(uint64_t count, std::string_view word) {
  const bool hisses = word.ends_with('s') || word.ends_with("ch");
  return Text(CountText(count), " ", word, count == 1 ? "" : hisses ? "es" : "s");
}

std::string PrintableText(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const Utf8Char next = NextChar(text);
    if (IsHarmless(next.code)) {
      printable.append(text.substr(0, next.bytes));
    } else {
      printable.push_back('?');
    }
    text.remove_prefix(next.bytes);
  }
  return printable;
}

std::string PrintableLines(std::string_view text) {
  std::string printable;
  for (;;) {
    const size_t end = text.find('\n');
    printable += PrintableText(text.substr(0, end));
    if (end == std::string_view::npos) return printable;
    printable += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string DurationText(uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1000) return Text(ns, " ns");
  if (value < 999.5e3) return ThreeDigits(value / 1e3, "us");
  if (value < 999.5e6) return ThreeDigits(value / 1e6, "ms");
  if (ns < 600'000'000'000) return ThreeDigits(value / 1e9, "s");
  const uint64_t minutes = ns / 60'000'000'000;
  if (minutes < 60) return Text(minutes, " min");
  char text[48];
  std::snprintf(text, sizeof(text), "%llu h %02llu min",
                static_cast<unsigned long long>(minutes / 60),
                static_cast<unsigned long long>(minutes % 60));
  return text;
}

}  // namespace syncline
