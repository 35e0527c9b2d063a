// SPDX-License-Identifier: Apache-2.0
// The threads that CUPTI has because we use it.
#pragma once

namespace syncline::cuda {

// From now on the threads that the library at this address starts do not keep the process alive:
// the program would not have them without us. Calls the loader.
void UncountThreadsOf(const void* library);

}  // namespace syncline::cuda
