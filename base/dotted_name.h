// SPDX-License-Identifier: Apache-2.0
// Names with dots, "diffusers.schedulers.DDIMScheduler.step (py)", where there is little room:
// their end says most, so the beginning is left out: "...DDIMScheduler.step (py)".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace syncline {

// Not wider than `columns`. Another text loses its end, as `Shortened` does, and so does a name
// whose last part has no room. What stands before the name stays: a
// backtick, or a label's value ("4, ").
std::string ShortenedName(std::string_view text, size_t columns);

// The columns that it takes with its last two names, and any other text as a whole.
size_t LeastColumnsOf(std::string_view text);

}  // namespace syncline
