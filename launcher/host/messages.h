// SPDX-License-Identifier: Apache-2.0
// Everything the launcher says of its own accord: lines on stderr that begin with "syncline: ".
#pragma once

#include <string>
#include <string_view>

namespace syncline {

// Level is one of error, warn, info, debug (option log.level); quiet leaves only errors. Call
// before any thread starts.
void SetUpMessages(bool quiet, std::string_view level);

// Any thread. A text of several lines gets the prefix on each. What it names may be anybody's:
// nothing in it controls the terminal (PrintableText). Nothing is said while stderr is closed.
void Say(const std::string& text);         // results; silent when quiet
void SayError(const std::string& text);    // always
void SayWarning(const std::string& text);  // from level warn
void SayInfo(const std::string& text);     // from level info

// Makes descriptors 0 to 2 that are closed point to /dev/null, close-on-exec: no file of ours may
// become stderr, and the program still finds them closed. Writing to stdout still fails.
void ReserveStandardDescriptors();

}  // namespace syncline
