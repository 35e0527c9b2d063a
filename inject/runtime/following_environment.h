// SPDX-License-Identifier: Apache-2.0
// --follow-env: what the launcher had set, as it was when this process began, for programs that are
// started without it.
#pragma once

#include <cstddef>

namespace syncline {

// In the library's constructor. Nothing where the option is off, or where it is too much to keep.
void KeepEnvironment();

// Bytes of memory that Follow needs for this environment; 0: it is left alone, because the option
// is off, or it has too many variables, or too long ones.
size_t RoomToFollow(char* const* environment, size_t variables);

// The environment with what it lacks, made in `room` (aligned for pointers), which lives until the
// program is started. Variables that it has stay as they are, but LD_PRELOAD and ASAN_OPTIONS get
// an entry of ours behind their own.
char* const* Follow(char* const* environment, size_t variables, void* room);

}  // namespace syncline
