// SPDX-License-Identifier: Apache-2.0
// What a kernel does, by patterns for its name: a table of ours (kernel_classes.def), and before it
// what the user says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "report/report.h"

namespace syncline {

class KernelPatterns {
 public:
  static constexpr size_t kMostPatterns = 10'000;
  static constexpr size_t kLongestPattern = 1'000;

  // Takes the lines `class pattern` of a user's file; # begins a comment. `name`: for messages.
  // Not ok: nothing was taken.
  Status Take(std::string_view text, const std::string& name);

  // Of a name as people write it.
  KernelClass ClassOf(std::string_view kernel) const;

 private:
  struct Pattern {
    KernelClass kernel_class;
    std::string text;  // in small letters
  };

  std::vector<Pattern> patterns_;  // the user's, in their order
};

}  // namespace syncline
