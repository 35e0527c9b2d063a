// SPDX-License-Identifier: Apache-2.0
// Processes that are not to be recorded at all.
#include "inject/core/collector.h"
#include "inject/core/options.h"
#include "inject/core/text.h"

extern "C" char* program_invocation_short_name;
// Weak, because musl lacks it: a musl program below a glibc one inherits LD_PRELOAD, and musl's
// loader would end it for a name that it does not have.
extern "C" __attribute__((weak)) const char* gnu_get_libc_version();

namespace syncline {

bool RecordingAllowed() {
  return gnu_get_libc_version != nullptr && OptionNumber(OptionIndex("disable")) == 0 &&
         !IsListed(OptionText(OptionIndex("skip")), program_invocation_short_name);
}

}  // namespace syncline
