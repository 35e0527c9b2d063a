// SPDX-License-Identifier: Apache-2.0
// Which statements wait for what others hand over.
#pragma once

#include <string_view>

#include "model/run/statements.h"

namespace syncline {

// Whether a line waits until another thread, process or client hands something over: a queue, a
// socket, a future. By its text, without comments: `request = queue.get()`.
bool AwaitsOthers(std::string_view code, Language language);

}  // namespace syncline
