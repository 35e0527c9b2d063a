// SPDX-License-Identifier: Apache-2.0
// Names of methods and functions.
#include "model/run/awaits_others.h"

#include <algorithm>
#include <iterator>

namespace syncline {

bool AwaitsOthers(std::string_view code, Language language) {
  // With a key get() is a dictionary's, with a text join() is a string's.
  static constexpr std::string_view kPython[] = {
      ".get()", ".get(timeout", ".get(block", ".get(True", ".recv(", ".recv_",   ".accept(",
      ".wait(", ".join()",      ".acquire()", ".poll(",    "await ", ".select(", ".result("};
  static constexpr std::string_view kBraces[] = {"recv(",       "accept(",      "poll(",
                                                 "epoll_wait(", ".wait(",       ".wait_for(",
                                                 ".join()",     "wait_and_pop("};
  const auto has = [code](std::string_view call) { return code.find(call) != code.npos; };
  return language == Language::kPython ? std::any_of(std::begin(kPython), std::end(kPython), has)
                                       : std::any_of(std::begin(kBraces), std::end(kBraces), has);
}

}  // namespace syncline
