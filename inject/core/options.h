// SPDX-License-Identifier: Apache-2.0
// The option table: one list from which environment, flags, help, completion and docs come. The
// only caller of getenv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace syncline {

enum class OptionType : uint8_t { kFlag, kText, kBytes, kInt, kSeconds, kWord, kWords };
enum class OptionGroup : uint8_t { kWhat, kWhere, kLimits, kControl };

struct OptionRow {
  const char* name;  // "memory.ring": SYNCLINE_MEMORY_RING, --memory-ring
  OptionType type;
  const char*
      fallback;  // its default as text; of words: all of them, "short|full", the default first
  OptionGroup group;
  const char* help;
  const char* least = "";  // as texts; "": none
  const char* most = "";
};

inline constexpr OptionRow kOptions[] = {
#define SYNCLINE_OPTION(name, type, fallback, group, help) \
  {#name, OptionType::type, fallback, OptionGroup::group, help},
#define SYNCLINE_RANGED(name, type, fallback, least, most, group, help) \
  {#name, OptionType::type, fallback, OptionGroup::group, help, least, most},
#include "all_options.def"
#undef SYNCLINE_OPTION
#undef SYNCLINE_RANGED
};
inline constexpr size_t kOptionCount = sizeof(kOptions) / sizeof(kOptions[0]);

void NoSuchOption();  // not constant, so that a wrong name does not compile

// Index of a row; a name that is not in the table does not compile.
consteval size_t OptionIndex(std::string_view name) {
  for (size_t i = 0; i < kOptionCount; ++i) {
    if (name == kOptions[i].name) return i;
  }
  NoSuchOption();
  return kOptionCount;
}

// The value in force: environment, else default; an empty variable counts as none. Numbers: kFlag
// 0/1, kBytes bytes, kInt, kSeconds nanoseconds, kWord which one from 0, kWords (some of the words,
// separated by commas) a bit for each, from the lowest. A value that does not parse counts as the
// default (ForEachBadValue tells of it). The first call reads the environment, copying what it
// needs (programs overwrite their environment block); any thread.
const char* OptionText(size_t index);
int64_t OptionNumber(size_t index);

// Variables that the launcher hands down and users do not set; read once, like options. "" if
// unset.
enum class Variable { kSocket, kJobKey, kBaseTime, kSpool, kRecover, kCupti, kCount };
const char* VariableText(Variable variable);
const char* VariableName(Variable variable);  // "SYNCLINE_SOCKET", ...

// The value of a variable `SYNCLINE_OLD_...` (door.h), read at the same time; "" if unset.
const char* OldInjection(const char* name);

// The entry of LD_PRELOAD that is our library, read at the same time; "": none.
const char* PreloadOfStart();

// A variable of the outside world (rank variables, HOSTNAME, ...), or null. Valid until the program
// changes it.
const char* Environment(const char* name);

// Parses `text` as a value of `type`, or of the row: words need it, and the value is within the
// row's range. False: `text` is not one; `*number` is then unchanged.
bool ParseOptionValue(OptionType type, const char* text, int64_t* number);
bool ParseOptionValue(const OptionRow& row, const char* text, int64_t* number);

// "SYNCLINE_MEMORY_RING" or "--memory-ring" of a row, written to `out` (at least 64 bytes).
void OptionVariable(size_t index, char* out);
void OptionFlag(size_t index, char* out);

// Calls `report` for each variable of the environment whose value is none of its option.
void ForEachBadValue(void (*report)(size_t index, const char* value, void* context), void* context);
// Calls `report` for each SYNCLINE_* variable of the environment that is in neither list, with the
// known name that was probably meant; "": none is near.
void ForEachUnknownVariable(void (*report)(const char* name, const char* nearest, void* context),
                            void* context);

}  // namespace syncline
