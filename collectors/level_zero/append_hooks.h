// SPDX-License-Identifier: Apache-2.0
// Our functions that append a command to a list, made of the vendor's type, the role, and what
// tells a device's work from the arguments.
#pragma once

#include <tuple>

#include "collectors/level_zero/append_work.h"
#include "collectors/level_zero/fixed_text.h"

namespace syncline::level_zero::hooks {

// The last arguments of `Function` are the event to signal, and those to wait for.
template <FixedText kName, CallRole kRole, typename Work, typename Function>
struct AppendHook;
template <FixedText kName, CallRole kRole, typename Work, typename... Arguments>
struct AppendHook<kName, kRole, Work, ze_result_t (*)(ze_command_list_handle_t, Arguments...)> {
  using Real = ze_result_t (*)(ze_command_list_handle_t, Arguments...);
  static constexpr bool kWorks = !std::is_same_v<Work, NoWork>;
  static constexpr size_t kSignal = sizeof...(Arguments) - 3;
  // A synchronous command without a record of its own waits for what is in the list.
  static constexpr AppendNames kNames =
      NamesOf(kName.text, kRole, kWorks ? kRole : CallRole::kSynchronizeQueue);

  static ze_result_t Call(Real real, ze_command_list_handle_t list, Arguments... arguments) {
    std::tuple<Arguments...> given(arguments...);
    Append append(list, kNames, std::get<kSignal>(given));
    if constexpr (kWorks) {
      Work()(append, arguments...);
      std::get<kSignal>(given) = append.signal();
    } else {
      append.Waits(std::get<kSignal + 1>(given), std::get<kSignal + 2>(given));
    }
    return append.End(std::apply([&](Arguments... each) { return real(list, each...); }, given));
  }

  template <auto kReal>
  static ze_result_t InTable(ze_command_list_handle_t list, Arguments... arguments) {
    return Call(g_api.*kReal, list, arguments...);
  }
};

// Of later_functions.def.
#define SYNCLINE_ZE_LATER_APPEND(name, role, Work, Function) \
  inline constexpr auto& name = AppendHook<"ze" #name, CallRole::role, Work, Function>::Call;
SYNCLINE_ZE_LATER_APPEND(CommandListAppendLaunchKernelWithParameters, kLaunch, LaunchWork,
                         LaunchWithParameters)
SYNCLINE_ZE_LATER_APPEND(CommandListAppendLaunchKernelWithArguments, kLaunch, LaunchWork,
                         LaunchWithArguments)
SYNCLINE_ZE_LATER_APPEND(CommandListAppendMemoryCopyWithParameters, kCopy, CopyWork,
                         CopyWithParameters)
SYNCLINE_ZE_LATER_APPEND(CommandListAppendMemoryFillWithParameters, kSet, FillWork,
                         FillWithParameters)
#undef SYNCLINE_ZE_LATER_APPEND

}  // namespace syncline::level_zero::hooks
