// SPDX-License-Identifier: Apache-2.0
// Clients of CUPTI that find its functions by themselves (dlsym), so that the names that we show
// are passed by and nothing tells when they begin.
#pragma once

#include <cstdint>

namespace syncline::cuda {

// A profiler that the program has loaded, which programs do in order to profile, as users call it;
// null: none. Takes the loader's lock.
const char* LoadedProfiler();

// Functions of CUPTI's own by which a client begins.
struct ClientFunctionsOfCupti {
  const void* subscribe;
  const void* register_callbacks;
};

// The names of libraries of the program that hold the address of one of them: they have asked for
// it. Looks through what libraries may write to, until `until_ns` or the first 256 MiB. One thread
// at a time. `with_linked`: also of libraries that are linked to CUPTI, of which the loader has
// asked. `tell` is called for each.
void FindHolders(const ClientFunctionsOfCupti& functions, bool with_linked, uint64_t until_ns,
                 void (*tell)(const char* library));

}  // namespace syncline::cuda
