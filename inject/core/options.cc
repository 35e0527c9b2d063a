// SPDX-License-Identifier: Apache-2.0
// Reads the environment once; the only caller of getenv in the project.
#include "inject/core/options.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "inject/core/door.h"
#include "inject/core/edit_distance.h"
#include "inject/core/preload_list.h"
#include "inject/core/text.h"

extern "C" char** environ;

namespace syncline {
namespace {

constexpr size_t kVariables = static_cast<size_t>(Variable::kCount);
constexpr const char* kVariableNames[kVariables] = {"SYNCLINE_SOCKET",       "SYNCLINE_JOB_KEY",
                                                    "SYNCLINE_BASE_TIME_NS", "SYNCLINE_SPOOL",
                                                    "SYNCLINE_RECOVER",      "SYNCLINE_CUPTI"};
constexpr char kPrefix[] = "SYNCLINE_";
constexpr char kPreload[] = "LD_PRELOAD=";
constexpr size_t kTextBytes = 16384;
constexpr size_t kMaxOld = 16;
constexpr size_t kNameBytes = 64;

// Copies of the values, because programs overwrite their environment block (setproctitle). Filled
// by the first reader; a second reader at the same time fills the same bytes with the same values.
struct Values {
  std::atomic<bool> ready;
  const char* option_text[kOptionCount];
  int64_t option_number[kOptionCount];
  const char* variable_text[kVariables];
  const char* old[kMaxOld];  // "SYNCLINE_OLD_NVTX=/x/nvtx.so"
  const char* preload;
  char text[kTextBytes];
};
constinit Values g_values = {};

void UpperName(const char* name, const char* prefix, char separator, bool upper, char* out) {
  size_t at = std::strlen(prefix);
  std::memcpy(out, prefix, at);
  for (; *name != '\0' && at + 1 < kNameBytes; ++name) {
    const char c = *name;
    out[at++] = c == '.' || c == '_'
                    ? separator
                    : (upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
  }
  out[at] = '\0';
}

const char* Keep(std::string_view value, size_t* used) {
  if (*used + value.size() + 1 > kTextBytes) return nullptr;
  char* copy = g_values.text + *used;
  std::memcpy(copy, value.data(), value.size());
  copy[value.size()] = '\0';
  *used += value.size() + 1;
  return copy;
}

bool BeginsWith(const char* text, const char* beginning) {
  return std::strncmp(text, beginning, std::strlen(beginning)) == 0;
}

// Whatever doors there are: the collectors know their names.
void KeepInjections(size_t* used) {
  size_t count = 0;
  g_values.preload = "";
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* text = *entry;
    if (text[0] == 'S' && count < kMaxOld && BeginsWith(text, kOldPrefix))
      g_values.old[count++] = Keep(text, used);
    if (text[0] != 'L' || !BeginsWith(text, kPreload)) continue;
    const std::string_view ours = OursInPreloads(text + sizeof(kPreload) - 1);
    const char* kept = ours.empty() ? nullptr : Keep(ours, used);
    if (kept != nullptr) g_values.preload = kept;
  }
}

bool IsOfWords(const OptionRow& row) {
  return row.type == OptionType::kWord || row.type == OptionType::kWords;
}

// Of words the first one.
const char* Default(const OptionRow& row, size_t* used) {
  if (!IsOfWords(row)) return row.fallback;
  const std::string_view words = row.fallback;
  return Keep(words.substr(0, words.find('|')), used);
}

void ReadEnvironment() {
  size_t used = 0;
  for (size_t i = 0; i < kOptionCount; ++i) {
    char name[kNameBytes];
    OptionVariable(i, name);
    const char* value = std::getenv(name);
    const char* kept = value == nullptr || *value == '\0' ? nullptr : Keep(value, &used);
    int64_t number = 0;
    if (kept == nullptr || !ParseOptionValue(kOptions[i], kept, &number)) {
      kept = Default(kOptions[i], &used);
      if (kept != nullptr) ParseOptionValue(kOptions[i], kept, &number);
    }
    g_values.option_text[i] = kept == nullptr ? "" : kept;
    g_values.option_number[i] = number;
  }
  for (size_t i = 0; i < kVariables; ++i) {
    const char* value = std::getenv(kVariableNames[i]);
    const char* kept = value == nullptr ? nullptr : Keep(value, &used);
    g_values.variable_text[i] = kept == nullptr ? "" : kept;
  }
  KeepInjections(&used);
  g_values.ready.store(true, std::memory_order_release);
}

const Values& Ready() {
  if (!g_values.ready.load(std::memory_order_acquire)) ReadEnvironment();
  return g_values;
}

bool ParseFlag(const char* text, int64_t* number) {
  for (const char* yes : {"1", "true", "yes", "on"}) {
    if (std::strcmp(text, yes) == 0) return *number = 1, true;
  }
  for (const char* no : {"0", "false", "no", "off"}) {
    if (std::strcmp(text, no) == 0) return *number = 0, true;
  }
  return false;
}

// A whole number, then a unit of `units` (nothing is unit 1).
struct Unit {
  const char* name;
  int64_t factor;
};

bool ParseWithUnit(const char* text, const Unit* units, size_t count, int64_t* number) {
  if (*text < '0' || *text > '9') return false;
  int64_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *text - '0', &value))
      return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (std::strcmp(text, units[i].name) != 0) continue;
    if (__builtin_mul_overflow(value, units[i].factor, &value)) return false;
    *number = value;
    return true;
  }
  return false;
}

constexpr Unit kByteUnits[] = {{"", 1},        {"K", 1 << 10},          {"M", 1 << 20},
                               {"G", 1 << 30}, {"T", int64_t{1} << 40}, {"k", 1 << 10},
                               {"m", 1 << 20}, {"g", 1 << 30},          {"t", int64_t{1} << 40}};
// A bare number would be seconds to one and milliseconds to another.
constexpr Unit kSecondUnits[] = {
    {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"m", int64_t{60} * 1000000000}};
constexpr Unit kPlain[] = {{"", 1}};

// Which of "short|full" it is; -1: none.
int64_t NumberOfWord(std::string_view words, std::string_view text) {
  for (int64_t i = 0;; ++i) {
    const size_t end = words.find('|');
    if (words.substr(0, end) == text) return i;
    if (end == std::string_view::npos) return -1;
    words.remove_prefix(end + 1);
  }
}

bool ParseWords(std::string_view words, std::string_view text, int64_t* number) {
  int64_t bits = 0;
  for (;;) {
    const size_t end = text.find(',');
    const int64_t word = NumberOfWord(words, text.substr(0, end));
    if (word < 0) return false;
    bits |= int64_t{1} << word;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  *number = bits;
  return true;
}

// Kubernetes tells each program of each service by such variables, and a service may be called
// "syncline": SYNCLINE_SERVICE_HOST=10.0.0.1, SYNCLINE_PORT=tcp://10.0.0.1:80,
// SYNCLINE_PORT_80_TCP_PROTO=tcp. They are nobody's slip.
bool IsOfService(std::string_view variable) {
  const size_t equals = variable.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = variable.substr(0, equals);
  const auto ends_with = [&](std::string_view end) {
    return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
  };
  constexpr std::string_view kServicePort = "_SERVICE_PORT", kPort = "_PORT";
  if (ends_with("_SERVICE_HOST") || ends_with(kServicePort) ||
      name.find("_SERVICE_PORT_") != std::string_view::npos)
    return true;
  if (ends_with(kPort)) return variable.find("://", equals) != std::string_view::npos;
  const size_t numbered = name.find("_PORT_");
  const size_t digit = numbered + kPort.size() + 1;
  return numbered != std::string_view::npos && digit < name.size() && name[digit] >= '0' &&
         name[digit] <= '9';
}

}  // namespace

void OptionVariable(size_t index, char* out) {
  UpperName(kOptions[index].name, kPrefix, '_', true, out);
}
void OptionFlag(size_t index, char* out) { UpperName(kOptions[index].name, "--", '-', false, out); }
const char* OptionText(size_t index) { return Ready().option_text[index]; }
int64_t OptionNumber(size_t index) { return Ready().option_number[index]; }
const char* VariableText(Variable variable) {
  return Ready().variable_text[static_cast<size_t>(variable)];
}
const char* VariableName(Variable variable) {
  return kVariableNames[static_cast<size_t>(variable)];
}
const char* OldInjection(const char* name) {
  for (const char* entry : Ready().old) {
    if (entry != nullptr && BeginsWith(entry, name) && entry[std::strlen(name)] == '=')
      return entry + std::strlen(name) + 1;
  }
  return "";
}
const char* PreloadOfStart() { return Ready().preload; }
const char* Environment(const char* name) { return std::getenv(name); }

bool ParseOptionValue(OptionType type, const char* text, int64_t* number) {
  switch (type) {
    case OptionType::kFlag:
      return ParseFlag(text, number);
    case OptionType::kText:
      return true;
    case OptionType::kWord:
    case OptionType::kWords:
      return false;
    case OptionType::kBytes:
      return ParseWithUnit(text, kByteUnits, sizeof(kByteUnits) / sizeof(Unit), number);
    case OptionType::kInt:
      return ParseWithUnit(text, kPlain, 1, number);
    case OptionType::kSeconds:
      if (std::strcmp(text, "0") == 0) return *number = 0, true;
      return ParseWithUnit(text, kSecondUnits, sizeof(kSecondUnits) / sizeof(Unit), number);
  }
  return false;
}

bool ParseOptionValue(const OptionRow& row, const char* text, int64_t* number) {
  if (row.type == OptionType::kWords) return ParseWords(row.fallback, text, number);
  if (row.type != OptionType::kWord) {
    int64_t value = *number, limit = 0;
    if (!ParseOptionValue(row.type, text, &value)) return false;
    if (*row.least != '\0' && ParseOptionValue(row.type, row.least, &limit) && value < limit)
      return false;
    if (*row.most != '\0' && ParseOptionValue(row.type, row.most, &limit) && value > limit)
      return false;
    *number = value;
    return true;
  }
  const int64_t word = NumberOfWord(row.fallback, text);
  if (word < 0) return false;
  *number = word;
  return true;
}

void ForEachBadValue(void (*report)(size_t index, const char* value, void* context),
                     void* context) {
  for (size_t i = 0; i < kOptionCount; ++i) {
    char name[kNameBytes];
    OptionVariable(i, name);
    const char* value = std::getenv(name);
    int64_t number = 0;
    if (value != nullptr && *value != '\0' && !ParseOptionValue(kOptions[i], value, &number))
      report(i, value, context);
  }
}

void ForEachUnknownVariable(void (*report)(const char* name, const char* nearest, void* context),
                            void* context) {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (!BeginsWith(*variable, kPrefix) || BeginsWith(*variable, kOldPrefix) ||
        IsOfService(*variable))
      continue;
    char name[kNameBytes];
    size_t length = 0;
    while ((*variable)[length] != '=' && (*variable)[length] != '\0') ++length;
    if (length >= kNameBytes) length = kNameBytes - 1;
    std::memcpy(name, *variable, length);
    name[length] = '\0';

    char nearest[kNameBytes] = "";
    size_t best = kNameBytes;
    bool is_option = false;
    for (size_t i = 0; i < kOptionCount; ++i) {
      char known[kNameBytes];
      OptionVariable(i, known);
      is_option = is_option || std::strcmp(name, known) == 0;
      // What all names begin with makes none of them nearer.
      const char* own_part = known + sizeof(kPrefix) - 1;
      const size_t distance = EditDistance(name + sizeof(kPrefix) - 1, own_part);
      if (distance < best && IsSlip(distance, std::strlen(own_part))) {
        best = distance;
        CopyText(nearest, sizeof(nearest), known);
      }
    }
    bool handed_down = false;
    for (const char* known : kVariableNames)
      handed_down = handed_down || std::strcmp(name, known) == 0;
    if (!is_option && !handed_down) report(name, nearest, context);
  }
}

}  // namespace syncline
