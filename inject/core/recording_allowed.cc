// SPDX-License-Identifier: Apache-2.0
// Processes that are not to be recorded at all.
#include "inject/core/collector.h"
#include "inject/core/options.h"
#include "inject/core/rank_list.h"
#include "inject/core/text.h"

extern "C" char* program_invocation_short_name;
// Weak, because musl lacks it: a musl program below a glibc one inherits LD_PRELOAD, and musl's
// loader would end it for a name that it does not have.
extern "C" __attribute__((weak)) const char* gnu_get_libc_version();

namespace syncline {
namespace {

bool IsProcessLeftOut() {
  const char* list = OptionText(OptionIndex("processes"));
  return *list != '\0' && !IsMatched(list, program_invocation_short_name);
}

}  // namespace

// A rank of which it is not known whether it was asked for is recorded: better too much.
bool IsRankLeftOut() {
  const char* list = OptionText(OptionIndex("ranks"));
  return *list != '\0' && ChooseRank(list, FindRank(Environment)) == RankChoice::kLeftOut;
}

bool MayTellOfStart() {
  return gnu_get_libc_version != nullptr && OptionNumber(OptionIndex("disable")) == 0 &&
         !IsMatched(OptionText(OptionIndex("skip")), program_invocation_short_name);
}

bool RecordingAllowed() { return MayTellOfStart() && !IsProcessLeftOut() && !IsRankLeftOut(); }

}  // namespace syncline
