// SPDX-License-Identifier: Apache-2.0
// Our functions in the loader's tables. Each calls the vendor's own once, with the program's
// arguments but for a signal event of ours where the program has none, and returns its result.
#pragma once

#include "collectors/level_zero/api.h"

namespace syncline::level_zero::hooks {

// A function of the same type as the vendor's.
template <typename Function>
struct SameAs;
template <typename Result, typename... Arguments>
struct SameAs<Result (*)(Arguments...)> {
  using Type = Result(Arguments...);
};

#define SYNCLINE_ZE_FUNCTION(table, name)
#define SYNCLINE_ZE_HOOK(table, name) SameAs<ze_pfn##table##name##_t>::Type table##name;
#define SYNCLINE_ZE_KEEPER(table, name) SYNCLINE_ZE_HOOK(table, name)
#include "collectors/level_zero/functions.def"
#undef SYNCLINE_ZE_KEEPER
#undef SYNCLINE_ZE_HOOK
#undef SYNCLINE_ZE_FUNCTION
SameAs<level_zero::CommandListHostSynchronize>::Type CommandListHostSynchronize;
SameAs<AppendLaunchKernelWithParameters>::Type CommandListAppendLaunchKernelWithParameters;
SameAs<AppendLaunchKernelWithArguments>::Type CommandListAppendLaunchKernelWithArguments;
SameAs<ImmediateAppendCommandLists>::Type CommandListImmediateAppendCommandLists;

}  // namespace syncline::level_zero::hooks
