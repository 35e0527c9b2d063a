// SPDX-License-Identifier: Apache-2.0
// One pass over the variables; which doors there are, the collectors' table says.
#include "inject/runtime/lacking_environment.h"

#include <cstring>

#include "inject/core/collector.h"
#include "inject/core/options.h"
#include "inject/core/preload_list.h"

namespace syncline {
namespace {

constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kPrefix[] = "SYNCLINE_";
constexpr size_t kDisable = OptionIndex("disable");

// A bit a door, in the order of the collectors' table.
constexpr size_t kMostDoors = 8 * sizeof(uint64_t);

template <typename See>
void ForEachDoor(See see) {
  size_t place = 0;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    for (const Door& door : kCollectors[i]->doors) {
      if (door.variable == nullptr || place == kMostDoors) break;
      see(place++, *kCollectors[i], door);
    }
  }
}

void LookAtOurs(const char* entry, GivenEnvironment* given) {
  const char* socket = ValueIn(entry, VariableName(Variable::kSocket));
  if (socket != nullptr && *socket != '\0') given->lack.variables &= ~uint32_t{kLostSocket};
  char disable[64];
  OptionVariable(kDisable, disable);
  const char* value = ValueIn(entry, disable);
  int64_t number = 0;
  if (value != nullptr && ParseOptionValue(kOptions[kDisable], value, &number))
    given->disabled = number != 0;
}

}  // namespace

const char* ValueIn(const char* entry, const char* name) {
  const size_t length = std::strlen(name);
  return std::strncmp(entry, name, length) == 0 && entry[length] == '=' ? entry + length + 1
                                                                        : nullptr;
}

GivenEnvironment LookAtEnvironment(char* const* environment) {
  GivenEnvironment given;
  given.lack.variables = kLostPreload | kLostSocket;
  uint64_t ours = 0, empty = 0, others = 0;  // a bit a door
  for (; environment != nullptr && environment[given.variables] != nullptr; ++given.variables) {
    if (given.variables == kMostVariables) {
      given.lack = {};
      ++given.variables;
      return given;
    }
    const char* entry = environment[given.variables];
    if (std::strncmp(entry, kPrefix, sizeof(kPrefix) - 1) == 0) {
      LookAtOurs(entry, &given);
    } else if (const char* list = ValueIn(entry, kPreload); list != nullptr) {
      if (!OursInPreloads(list).empty()) given.lack.variables &= ~uint32_t{kLostPreload};
    } else {
      ForEachDoor([&](size_t place, const CollectorDescription&, const Door& door) {
        const char* library = ValueIn(entry, door.variable);
        if (library == nullptr) return;
        (IsOurLibrary(library) ? ours : *library == '\0' ? empty : others) |= uint64_t{1} << place;
      });
    }
  }
  const bool preloaded = (given.lack.variables & kLostPreload) == 0;
  ForEachDoor([&](size_t place, const CollectorDescription& collector, const Door& door) {
    const auto is_among = [place](uint64_t doors) { return (doors >> place & 1) != 0; };
    // To dlopen, an empty name is the program with all that is preloaded.
    if (is_among(ours) || (is_among(empty) && door.is_dlopened && preloaded)) return;
    given.lack.doors |= uint32_t{1} << collector.source;
    if (is_among(others)) given.lack.tools |= uint32_t{1} << collector.source;
  });
  return given;
}

}  // namespace syncline
