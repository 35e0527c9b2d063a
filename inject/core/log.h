// SPDX-License-Identifier: Apache-2.0
// What the injected side says of itself: whole lines into the segment, errors once to the terminal.
// Signal-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace syncline {

enum class LogLevel : int { kError = 0, kWarn = 1, kInfo = 2, kDebug = 3 };

// Remembers which file fd 2 is, so that nothing is ever written to a descriptor that the program
// reused. One fstat.
void LogRememberStderr();

// Where lines go once a segment exists: `area` of `bytes`, `used` counts up past `bytes` when lines
// are cut. Null: nowhere.
void LogSetArea(std::atomic<uint32_t>* used, char* area, uint32_t bytes);

// Adds "level: text detail" to the log if the level is in force (SYNCLINE_LOG_LEVEL). Errors, the
// first of a process only, also go to fd 2 as "syncline: ..." if that is still the file it was at
// start. No heap, lock or stdio; keeps errno.
void Log(LogLevel level, const char* text, const char* detail = "");

}  // namespace syncline
