// SPDX-License-Identifier: Apache-2.0
// Which environment variables a recorded program gets: a pure function of options and the
// environment as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inject/core/door.h"

namespace syncline {

struct EnvChange {
  std::string name;
  std::string value;
};

// An environment block, entry by entry, as a program gets it: order, duplicates and malformed
// entries are kept.
class EnvBlock {
 public:
  EnvBlock() = default;
  explicit EnvBlock(std::vector<std::string> entries) : entries_(std::move(entries)) {}
  static EnvBlock OfThisProcess();

  // Null if unset; valid until the next change.
  const char* Find(std::string_view name) const;
  void Set(const EnvChange& change);
  const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;
};

struct EnvRequest {
  std::string library;                 // absolute path of libsyncline.so
  std::vector<EnvChange> handed_down;  // SYNCLINE_* as they shall be
  std::string preload;      // what LD_PRELOAD names; empty: it stays, the doors alone are set
  std::string behind = {};  // the end of LD_PRELOAD that stays behind ours; empty: none
};

// The changes in a fixed order; a variable that already has its value is not named. The user's own
// LD_PRELOAD entries stay in front of ours, so that what they replace stays replaced; another copy
// of our library gives way to `request.library`; his own libraries behind the collectors' doors are
// handed down, the library chains to them; ASan programs are told to accept a library before their
// runtime.
std::vector<EnvChange> PlanEnvironment(const EnvRequest& request, const EnvBlock& environment);

// The collectors' doors, in the order of the plan.
std::vector<Door> AllDoors();

// The copy of the library that LD_PRELOAD names already; empty: none.
std::string PreloadedLibrary(const EnvBlock& environment);

// The copy that a collector's door names by its own path: an outer launcher's, also where it leaves
// LD_PRELOAD alone. Empty: none.
std::string LibraryBehindDoors(const EnvBlock& environment);

// Why LD_PRELOAD cannot name this path; empty if it can.
std::string PreloadPathProblem(std::string_view library);

}  // namespace syncline
