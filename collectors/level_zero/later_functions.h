// SPDX-License-Identifier: Apache-2.0
// Functions of newer APIs than the oldest headers that we are built with: in the loader's tables,
// where the program's loader has them, or by the addresses that a driver gives.
#pragma once

#include "collectors/level_zero/ddi_interposer.h"

namespace syncline::level_zero {

// Puts ours into the loader's table. In the program's zeInit.
void TakeLaterFunctions(DdiTable kind, uint32_t version, void* table);

// Ours in front of the driver's function of that name; the driver's where we have none. Any thread.
void* TakeByAddress(const char* name, void* function);

}  // namespace syncline::level_zero
