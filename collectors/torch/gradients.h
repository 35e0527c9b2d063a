// SPDX-License-Identifier: Apache-2.0
// Whether PyTorch keeps gradients: for a tensor, and in the calling thread.
#pragma once

namespace syncline::torch {

// Once PyTorch is there: takes the loader's lock.
void FindGradients();

// `tensor`: a c10::TensorImpl. False also where nobody can be asked.
bool NeedsGradient(const void* tensor);

// False: nobody can be asked.
bool AreGradientsOn(bool* on);

}  // namespace syncline::torch
