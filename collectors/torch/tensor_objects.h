// SPDX-License-Identifier: Apache-2.0
// Tensors as Python's objects hold them: their sizes, types and devices.
#pragma once

namespace syncline::torch {

// Others may ask from now on (inject/core/array_reader.h).
void OfferTensors();

}  // namespace syncline::torch
