// SPDX-License-Identifier: Apache-2.0
// What PyTorch's allocators of device memory give out and get back.
#pragma once

namespace syncline::torch {

// From now on, as far as the gate is open: each block of a device's memory that is given out or
// given back, and each that there was no room for. From the constructor.
void RecordMemory();

// PyTorch's base library is there: its functions are looked for while no lock of its is held.
void FindMemoryReports();

}  // namespace syncline::torch
