// SPDX-License-Identifier: Apache-2.0
// Regions that the program begins and ends itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/program/syncline.h"

namespace syncline::program {

// One that nests on its thread. Its id; 0: it is not recorded (counted).
uint64_t Begin(const char* name, const syncline_label* labels, size_t count,
               bool asks_for_device_time);
// One that may end on any thread.
uint64_t BeginAnywhere(const char* name, const syncline_label* labels, size_t count);
void End(uint64_t id);

void ForgetRegions();  // in a fork's child

}  // namespace syncline::program
