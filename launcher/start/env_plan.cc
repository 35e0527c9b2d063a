// SPDX-License-Identifier: Apache-2.0
// The doors of the library as environment variables: LD_PRELOAD and those of the collectors.
#include "launcher/start/env_plan.h"

#include <unistd.h>

#include "inject/core/collector.h"
#include "inject/core/preload_list.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

std::string_view NameOf(std::string_view entry) { return entry.substr(0, entry.find('=')); }

class Planner {
 public:
  explicit Planner(const EnvBlock& environment) : environment_(environment) {}

  std::string_view Value(std::string_view name) const {
    const char* value = environment_.Find(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
  }

  void Set(const std::string& name, const std::string& value) {
    const char* now = environment_.Find(name);
    if (now == nullptr || value != now) changes_.push_back({name, value});
  }

  // Another copy of the library, of another package or at another path, gives way: two in one
  // process would record everything twice.
  void AddPreload(const std::string& library, const std::string& behind) {
    const std::string_view now = Value("LD_PRELOAD");
    const std::string_view copy = OursInPreloads(now);
    if (copy.empty() && !behind.empty() && now.ends_with(behind)) {
      Set("LD_PRELOAD", Text(now.substr(0, now.size() - behind.size()), library, ":", behind));
    } else if (copy.empty()) {
      Set("LD_PRELOAD", now.empty() ? library : Text(now, ":", library));
    } else {
      const auto at = static_cast<size_t>(copy.data() - now.data());
      Set("LD_PRELOAD", Text(now.substr(0, at), library, now.substr(at + copy.size())));
    }
  }

  // The user's own injection is remembered, unless it is ours already: then an outer plan has
  // remembered it.
  void TakeDoor(const Door& door, const std::string& library) {
    const std::string_view now = Value(door.variable);
    if (!now.empty() && !IsOurLibrary(now)) Set(door.old, std::string(now));
    Set(door.variable, library);
  }

  void AcceptPreloadUnderAsan() {
    constexpr char kOption[] = "verify_asan_link_order";
    const std::string_view now = Value("ASAN_OPTIONS");
    if (now.find(kOption) != std::string_view::npos) return;
    Set("ASAN_OPTIONS", now.empty() ? Text(kOption, "=0") : Text(now, ":", kOption, "=0"));
  }

  std::vector<EnvChange> Take() { return std::move(changes_); }

 private:
  const EnvBlock& environment_;
  std::vector<EnvChange> changes_;
};

// What the loader replaces in a path (ld.so(8), dynamic string tokens); "": nothing.
std::string_view LoadersToken(std::string_view path) {
  for (const std::string_view token :
       {"$ORIGIN", "$LIB", "$PLATFORM", "${ORIGIN}", "${LIB}", "${PLATFORM}"}) {
    if (path.find(token) != std::string_view::npos) return token;
  }
  return "";
}

}  // namespace

EnvBlock EnvBlock::OfThisProcess() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    entries.emplace_back(*entry);
  return EnvBlock(std::move(entries));
}

const char* EnvBlock::Find(std::string_view name) const {
  for (const std::string& entry : entries_) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && NameOf(entry) == name) {
      return entry.c_str() + name.size() + 1;
    }
  }
  return nullptr;
}

void EnvBlock::Set(const EnvChange& change) {
  std::string entry = Text(change.name, "=", change.value);
  for (std::string& old : entries_) {
    if (NameOf(old) == change.name && old.size() > change.name.size()) {
      old = std::move(entry);
      return;
    }
  }
  entries_.push_back(std::move(entry));
}

std::vector<Door> AllDoors() {
  std::vector<Door> doors;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    for (const Door& door : kCollectors[i]->doors) {
      if (door.variable != nullptr) doors.push_back(door);
    }
  }
  return doors;
}

std::string PreloadedLibrary(const EnvBlock& environment) {
  const char* list = environment.Find("LD_PRELOAD");
  return std::string(OursInPreloads(list == nullptr ? "" : list));
}

std::string LibraryBehindDoors(const EnvBlock& environment) {
  for (const Door& door : AllDoors()) {
    const char* now = environment.Find(door.variable);
    if (now != nullptr && IsOurLibrary(now) && !door.is_dlopened) return now;
  }
  return "";
}

std::vector<EnvChange> PlanEnvironment(const EnvRequest& request, const EnvBlock& environment) {
  Planner planner(environment);
  if (!request.preload.empty()) planner.AddPreload(request.preload, request.behind);
  for (const Door& door : AllDoors()) {
    const bool by_preload = door.is_dlopened && !request.preload.empty();
    planner.TakeDoor(door, by_preload ? request.preload : request.library);
  }
  if (!request.preload.empty()) planner.AcceptPreloadUnderAsan();
  for (const EnvChange& variable : request.handed_down) planner.Set(variable.name, variable.value);
  return planner.Take();
}

std::string PreloadPathProblem(std::string_view library) {
  if (library.find_first_of(": \t\n") != std::string_view::npos) {
    return Text("the library's path ", ShellQuote(library),
                " has a space or colon, which LD_PRELOAD cannot name. Move or "
                "install Syncline to a path without them.");
  }
  const std::string_view token = LoadersToken(library);
  if (token.empty()) return "";
  return Text("the library's path ", ShellQuote(library), " has ", token,
              " in it, in whose place the loader puts a name of its own. Move or install Syncline "
              "to a path without it.");
}

}  // namespace syncline
