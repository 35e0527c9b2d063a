// SPDX-License-Identifier: Apache-2.0
// The one log of CUDA's calls, whichever way they are seen.
#include "collectors/cuda/cuda_source.h"

namespace syncline::cuda {

constinit CallLog<kSource> g_calls;

}  // namespace syncline::cuda
