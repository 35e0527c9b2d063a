// SPDX-License-Identifier: Apache-2.0
// Lines of Python code from CPython's own tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace syncline {

// The line of the instruction at the byte offset `instruction`; negative: the code has not begun,
// the line is its first. 0: it has none, or the table is damaged. `python`: 0x30b is 3.11; `table`
// is the code's co_lnotab (3.8, 3.9) or co_linetable; `cut`: its end is missing. O(length of the
// table).
uint32_t PythonLine(uint16_t python, uint32_t first_line, std::string_view table, bool cut,
                    int32_t instruction);

}  // namespace syncline
