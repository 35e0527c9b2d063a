// SPDX-License-Identifier: Apache-2.0
// Calls that are recorded for themselves alone, with --level-zero-api full: all that no function of
// ours (hooks.h) records. The table of them is generated from the vendor's headers.
#pragma once

#include "collectors/level_zero/ddi_interposer.h"
#include "collectors/level_zero/fixed_text.h"
#include "collectors/level_zero/level_zero_source.h"

namespace syncline::level_zero {

bool WantsAllCalls();

// Puts a recording function into each of their slots, before the one that is there. In the
// program's zeInit.
void TakeOthers(DdiTable kind, uint32_t version, void* table);

// Around the vendor's function.
class OtherCall {
 public:
  explicit OtherCall(const CallName& name);
  uint32_t End(uint32_t result);

 private:
  WatchedCall call_;
  uint64_t begun_;
};

// One for each function of the vendor's.
template <FixedText kName, typename Function>
struct OtherFunction;
template <FixedText kName, typename Result, typename... Arguments>
struct OtherFunction<kName, Result (*)(Arguments...)> {
  using Real = Result (*)(Arguments...);
  static inline constinit Real real = nullptr;
  static constexpr CallName kCall{kName.text, sizeof(kName.text) - 1,
                                  static_cast<uint8_t>(CallRole::kOther), 0, false};

  static Result Call(Arguments... arguments) {
    OtherCall call(kCall);
    return static_cast<Result>(call.End(static_cast<uint32_t>(real(arguments...))));
  }
};

// A loader that fills its table again gives the same functions; another loader's stay its own.
template <FixedText kName, typename Function>
void TakeOther(Function* slot) {
  using Ours = OtherFunction<kName, Function>;
  if (*slot == nullptr || *slot == &Ours::Call) return;
  if (Ours::real == nullptr) Ours::real = *slot;
  if (Ours::real == *slot) *slot = &Ours::Call;
}

}  // namespace syncline::level_zero
