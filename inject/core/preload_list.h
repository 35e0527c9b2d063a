// SPDX-License-Identifier: Apache-2.0
// Our library among those that LD_PRELOAD names.
#pragma once

#include <string_view>

namespace syncline {

// By its file's name: another launcher's copy is ours too.
inline bool IsOurLibrary(std::string_view path) {
  constexpr std::string_view kName = "libsyncline.so";
  return path.ends_with(kName) &&
         (path.size() == kName.size() || path.ends_with("/libsyncline.so"));
}

// The entry of a preload list, separated by colons and spaces, that is our library; else empty.
// (substr would bring exceptions into the library.)
inline std::string_view OursInPreloads(std::string_view list) {
  const char* const end = list.data() + list.size();
  for (const char* begin = list.data(); begin < end;) {
    const char* behind = begin;
    while (behind < end && *behind != ':' && *behind != ' ') ++behind;
    const std::string_view entry(begin, static_cast<size_t>(behind - begin));
    if (IsOurLibrary(entry)) return entry;
    begin = behind + 1;
  }
  return {};
}

}  // namespace syncline
