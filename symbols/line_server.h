// SPDX-License-Identifier: Apache-2.0
// The process that reads debug information for the launcher.
#pragma once

namespace syncline {

// In a fork's child: answers at `socket` until the other side closes, then ends the process. At
// first one byte says whether there is libdw (1) or not (0). A request is an address of eight bytes
// and the path of a file; the answer is EncodeFrames().
[[noreturn]] void ServeLines(int socket);

// The longest that a request may take, in seconds.
constexpr int kLineSeconds = 10;

}  // namespace syncline
