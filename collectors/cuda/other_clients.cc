// SPDX-License-Identifier: Apache-2.0
// Watches for another client of CUPTI in the program (torch.profiler, a tool of its own): it gets
// what it would get without us. Needs no vendor header, so that it is exported by every build.
#include <dlfcn.h>

#include <initializer_list>

#include "collectors/cuda/cuda_entry.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

constexpr int kNotInitialized = 15;  // CUPTI_ERROR_NOT_INITIALIZED

const void* BaseOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

void* Usable(void* found, const void* ours) { return found == ours ? nullptr : found; }

// libcupti's own function. A program links it, or a library that was opened later does, in whose
// scope it is then; else whichever copy is mapped.
void* Real(const char* name, const void* ours, const void* caller) {
  if (void* next = Usable(dlsym(RTLD_NEXT, name), ours)) return next;
  Dl_info info;
  if (dladdr(caller, &info) != 0 && info.dli_fname != nullptr) {
    void* scope = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (void* found = scope == nullptr ? nullptr : Usable(dlsym(scope, name), ours)) return found;
  }
  for (const char* library : {"libcupti.so.13", "libcupti.so.12"}) {
    void* scope = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (void* found = scope == nullptr ? nullptr : dlsym(scope, name)) return found;
  }
  return nullptr;
}

// Gives way, unless it is CUPTI that calls itself, and finds what to call.
template <typename Function>
Function Meet(const char* name, Function ours, const void* caller) {
  ErrnoKeeper keeper;
  const auto* self = reinterpret_cast<const void*>(ours);
  void* real = Real(name, self, caller);
  if (real != nullptr && BaseOf(real) != BaseOf(caller)) GiveWay(name);
  return reinterpret_cast<Function>(real);
}

}  // namespace
}  // namespace syncline::cuda

// The calls by which a client begins. Without a CUPTI they answer as one without a driver does.
#define SYNCLINE_CLIENT_CALL(name, parameters, arguments)                              \
  extern "C" __attribute__((visibility("default"))) int name parameters;               \
  extern "C" int name parameters {                                                     \
    const auto real = syncline::cuda::Meet(#name, &name, __builtin_return_address(0)); \
    return real == nullptr ? syncline::cuda::kNotInitialized : real arguments;         \
  }
SYNCLINE_CLIENT_CALL(cuptiSubscribe, (void** handle, void* callback, void* user),
                     (handle, callback, user))
SYNCLINE_CLIENT_CALL(cuptiSubscribe_v2, (void** handle, void* callback, void* user, void* more),
                     (handle, callback, user, more))
SYNCLINE_CLIENT_CALL(cuptiActivityRegisterCallbacks, (void* request, void* complete),
                     (request, complete))
SYNCLINE_CLIENT_CALL(cuptiActivityRegisterTimestampCallback, (void* callback), (callback))
SYNCLINE_CLIENT_CALL(cuptiActivityEnable, (int kind), (kind))
