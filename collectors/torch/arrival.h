// SPDX-License-Identifier: Apache-2.0
// PyTorch's libraries are being loaded: noticed in the moment, also in a program that records
// nothing else.
#pragma once

namespace syncline::torch {

// Calls `arrive` on the thread that loads libtorch_cpu, which is relocated then, and whose own
// initialisers have not all run; at once if they have begun already. Maybe twice. From the
// constructor.
void WhenTorchArrives(void (*arrive)());

}  // namespace syncline::torch
