// SPDX-License-Identifier: Apache-2.0
// When a program makes a process group.
#pragma once

namespace syncline::torch {

// `arrive` is called for each group from now on, and at once if there is one; after NoteGroup.
void WhenGroupsArrive(void (*arrive)());

}  // namespace syncline::torch
