// SPDX-License-Identifier: Apache-2.0
// Ranges that programs name, and PyTorch for them: record_function().
#pragma once

#include <cstdint>
#include <string_view>

#include "inject/core/owned_ranges.h"

namespace syncline::torch {

inline constexpr char kNamedDomain[] = "torch";

// Opens a range whose name may be any bytes, inside a hook. Null: it is too deep.
OpenRange* EnterNamed(ThreadLog& log, const OwnedDomain& domain, std::string_view name,
                      uint64_t owner);

// Callbacks of RecordFunction, of user scope.
void** BeginNamed(void** context, const void* function);
void LeaveNamed(const void* function, void* context);

// The process is one of the run from now on, though it may never run what is recorded: what its
// compiler says of itself is told of processes of the run alone.
void BeOfTheRun();

// One of ours, around a call on this thread. `name` lives as long as the process. No exception
// passes.
class NamedRange {
 public:
  explicit NamedRange(std::string_view name);
  ~NamedRange();
  NamedRange(const NamedRange&) = delete;
  NamedRange& operator=(const NamedRange&) = delete;
};

}  // namespace syncline::torch
