// SPDX-License-Identifier: Apache-2.0
// Names that differ in numbers only are one family.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>

#include "model/findings/run_findings.h"

namespace syncline {
namespace {

constexpr size_t kLeastHashDigits = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

template <typename Is>
size_t EndOf(std::string_view name, size_t at, const Is& is) {
  while (at < name.size() && is(name[at])) ++at;
  return at;
}

// The end of what looks like the value of a hash, an address or a UUID, where a word begins; `at`:
// none does.
size_t EndOfHash(std::string_view name, size_t at) {
  const size_t end = EndOf(name, at, [](char c) { return IsHexDigit(c) || c == '-'; });
  if (end < name.size() && IsWord(name[end])) return at;
  const std::string_view hash = name.substr(at, end - at);
  constexpr size_t kUuid = 36, kDashes[] = {8, 13, 18, 23};
  const auto dashes = static_cast<size_t>(std::count(hash.begin(), hash.end(), '-'));
  const bool is_uuid =
      hash.size() == kUuid && dashes == std::size(kDashes) &&
      std::all_of(std::begin(kDashes), std::end(kDashes), [&](size_t i) { return hash[i] == '-'; });
  const bool is_hash = dashes == 0 && hash.size() >= kLeastHashDigits &&
                       std::any_of(hash.begin(), hash.end(), IsDigit);
  return is_uuid || is_hash ? end : at;
}

// Behind digits: of "0.3" and "1e-05", where they stand for themselves.
size_t EndOfFraction(std::string_view name, size_t at) {
  if (at + 1 < name.size() && name[at] == '.' && IsDigit(name[at + 1]))
    at = EndOf(name, at + 1, IsDigit);
  size_t exponent = at;
  if (exponent < name.size() && (name[exponent] == 'e' || name[exponent] == 'E')) {
    ++exponent;
    if (exponent < name.size() && (name[exponent] == '-' || name[exponent] == '+')) ++exponent;
    const size_t end = EndOf(name, exponent, IsDigit);
    if (end != exponent && (end == name.size() || !IsWord(name[end]))) at = end;
  }
  return at;
}

// Of what was kept of a name so far: whether a number behind it stands for itself ("loss 0.3", not
// "layers.1.0"), without its sign.
bool IsAlone(std::string* family) {
  constexpr std::string_view kBefore = " =:([,";
  const auto is_before = [&](size_t at) {
    return kBefore.find((*family)[at]) != std::string::npos;
  };
  if (family->empty() || is_before(family->size() - 1)) return true;
  if (family->back() != '-' || family->size() < 2 || !is_before(family->size() - 2)) return false;
  family->pop_back();
  return true;
}

}  // namespace

std::string NumberFamily(std::string_view name) {
  std::string family;
  for (size_t at = 0; at < name.size();) {
    const bool begins_word = at == 0 || !IsWord(name[at - 1]);
    if (begins_word && IsHexDigit(name[at])) {
      if (const size_t end = EndOfHash(name, at); end != at) {
        family.push_back('#');
        at = end;
        continue;
      }
    }
    if (!IsDigit(name[at])) {
      family.push_back(name[at++]);
      continue;
    }
    if (begins_word && name[at] == '0' && at + 2 < name.size() && name[at + 1] == 'x' &&
        (IsHexDigit(name[at + 2]) || name[at + 2] == '#')) {
      family += "0x#";  // of a family it is the same
      at = name[at + 2] == '#' ? at + 3 : EndOf(name, at + 2, IsHexDigit);
      continue;
    }
    const bool is_alone = IsAlone(&family);
    at = EndOf(name, at, IsDigit);
    if (is_alone) at = EndOfFraction(name, at);
    family.push_back('#');
  }
  return family;
}

}  // namespace syncline
