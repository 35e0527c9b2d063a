// SPDX-License-Identifier: Apache-2.0
// Programs that were started without what the launcher had set: their number, and what is missing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inject/core/handover.h"

namespace syncline {

struct LostProgram {
  Lack lack;
  std::string path;  // as it was started; "": of several
  uint64_t count = 0;
};

// By the rank of the processes that started them, the first at the front; -1: of no rank.
using LostPrograms = std::map<int32_t, std::vector<LostProgram>>;

// Bounded, whatever processes say: what has no place of its own is counted with others.
void CountLostProgram(const LostProgramNote& note, LostPrograms* programs);

// Forgets those that could not have been recorded with their variables either: a static helper of
// the system is no loss. Looks at files.
void DropUnrecordable(LostPrograms* programs);

// Forgets those that MPI's launcher started: it has what this launcher set, as it was started
// behind it.
void DropLaunched(LostPrograms* programs);

// Those of all ranks.
std::vector<LostProgram> AllLostPrograms(const LostPrograms& programs);

// Sentences for the user, one for each kind of lack of which `collect` (--collect) records less.
// `follows`: --follow-env was given. Pure.
std::vector<std::string> LostProgramTexts(const std::vector<LostProgram>& programs,
                                          std::string_view collect, bool follows);
// The same with the options in force.
std::vector<std::string> LostProgramTexts(const std::vector<LostProgram>& programs);
// Of all ranks, in one line; "": there is nothing to say.
std::string LostProgramLine(const LostPrograms& programs);

}  // namespace syncline
