// SPDX-License-Identifier: Apache-2.0
// The calls by which another client of CUPTI in the program (torch.profiler, a tool of its own)
// begins and ends: it gets what it would get without us. Needs no vendor header, so that they are
// exported by every build.
#include <dlfcn.h>

#include <cstdint>
#include <initializer_list>

#include "collectors/cuda/cupti_ownership.h"
#include "inject/core/door.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

constexpr int kSuccess = 0;
constexpr int kNotInitialized = 15;   // CUPTI_ERROR_NOT_INITIALIZED
constexpr uint32_t kDriverKind = 4;   // CUPTI_ACTIVITY_KIND_DRIVER
constexpr uint32_t kRuntimeKind = 5;  // CUPTI_ACTIVITY_KIND_RUNTIME

const void* BaseOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

void* Usable(void* found, const void* ours) { return found == ours ? nullptr : found; }

// A function of a library that is mapped, or in its scope. Takes no reference: the program may
// unload it as without us.
void* FindIn(const char* library, const char* name) {
  void* scope = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (scope == nullptr) return nullptr;
  void* found = dlsym(scope, name);
  dlclose(scope);
  return found;
}

// libcupti's own function. A program links it, or a library that was opened later does, in whose
// scope it is then; else whichever copy is mapped.
void* Real(const char* name, const void* ours, const void* caller) {
  if (void* next = Usable(dlsym(RTLD_NEXT, name), ours)) return next;
  Dl_info info;
  if (dladdr(caller, &info) != 0 && info.dli_fname != nullptr) {
    if (void* found = Usable(FindIn(info.dli_fname, name), ours)) return found;
  }
  for (const char* library : {"libcupti.so.13", "libcupti.so.12"}) {
    if (void* found = FindIn(library, name)) return found;
  }
  return nullptr;
}

// One call of a client: what it is to be given to, and whether it is a client's and not CUPTI's
// own.
template <typename Function>
class Call {
 public:
  Call(const char* name, Function ours, const void* caller) {
    ErrnoKeeper keeper;
    real_ = reinterpret_cast<Function>(Real(name, reinterpret_cast<const void*>(ours), caller));
    of_client_ = real_ != nullptr && BaseOf(reinterpret_cast<const void*>(real_)) != BaseOf(caller);
  }
  bool of_client() const { return of_client_; }

  // Without a CUPTI it answers as one without a driver does.
  template <typename... Arguments>
  int Make(Arguments... arguments) const {
    return real_ == nullptr ? kNotInitialized : real_(arguments...);
  }

  template <typename... Arguments>
  int MakeAndTell(ClientAct act, uint32_t kind, Arguments... arguments) const {
    const int result = Make(arguments...);
    if (of_client_ && result == kSuccess) AfterClient(act, kind);
    return result;
  }

  // The call begins a session, or goes on with one.
  template <typename... Arguments>
  int Begin(const char* name, ClientAct act, uint32_t kind, Arguments... arguments) const {
    if (of_client_) BeforeClient(name);
    return MakeAndTell(act, kind, arguments...);
  }

 private:
  Function real_;
  bool of_client_;
};

}  // namespace
}  // namespace syncline::cuda

using syncline::cuda::Call;
using syncline::cuda::ClientAct;

// A call of CUPTI's, as a client makes it: `call` is what it is to be.
#define SYNCLINE_CLIENT_CALL(name, ...)  \
  SYNCLINE_EXPORT int name(__VA_ARGS__); \
  extern "C" int name(__VA_ARGS__)
#define SYNCLINE_CALL(name) const Call call(#name, &name, __builtin_return_address(0))

SYNCLINE_CLIENT_CALL(cuptiSubscribe, void** handle, void* callback, void* user) {
  SYNCLINE_CALL(cuptiSubscribe);
  return call.Begin("cuptiSubscribe", ClientAct::kSubscribed, 0, handle, callback, user);
}

SYNCLINE_CLIENT_CALL(cuptiSubscribe_v2, void** handle, void* callback, void* user, void* more) {
  SYNCLINE_CALL(cuptiSubscribe_v2);
  return call.Begin("cuptiSubscribe_v2", ClientAct::kSubscribed, 0, handle, callback, user, more);
}

SYNCLINE_CLIENT_CALL(cuptiUnsubscribe, void* handle) {
  SYNCLINE_CALL(cuptiUnsubscribe);
  return call.MakeAndTell(ClientAct::kUnsubscribed, 0, handle);
}

SYNCLINE_CLIENT_CALL(cuptiActivityRegisterCallbacks, void* request, void* complete) {
  SYNCLINE_CALL(cuptiActivityRegisterCallbacks);
  if (!call.of_client() || request == nullptr || complete == nullptr)
    return call.Make(request, complete);
  syncline::cuda::BeforeClient("cuptiActivityRegisterCallbacks");
  syncline::cuda::StandInForClient(&request, &complete);
  const int result = call.Make(request, complete);
  if (result == syncline::cuda::kSuccess) syncline::cuda::ClientRegistered(request, complete);
  return result;
}

SYNCLINE_CLIENT_CALL(cuptiActivityRegisterTimestampCallback, void* callback) {
  SYNCLINE_CALL(cuptiActivityRegisterTimestampCallback);
  if (call.of_client()) syncline::cuda::BeforeClient("cuptiActivityRegisterTimestampCallback");
  const int result = call.Make(callback);
  if (call.of_client() && result == syncline::cuda::kSuccess)
    syncline::cuda::ClientSetClock(callback);
  return result;
}

SYNCLINE_CLIENT_CALL(cuptiActivityEnable, uint32_t kind) {
  SYNCLINE_CALL(cuptiActivityEnable);
  return call.Begin("cuptiActivityEnable", ClientAct::kEnabled, kind, kind);
}

SYNCLINE_CLIENT_CALL(cuptiActivityEnableAndDump, uint32_t kind) {
  SYNCLINE_CALL(cuptiActivityEnableAndDump);
  return call.Begin("cuptiActivityEnableAndDump", ClientAct::kEnabled, kind, kind);
}

SYNCLINE_CLIENT_CALL(cuptiActivityEnableContext, void* context, uint32_t kind) {
  SYNCLINE_CALL(cuptiActivityEnableContext);
  return call.Begin("cuptiActivityEnableContext", ClientAct::kEnabledInPart, kind, context, kind);
}

SYNCLINE_CLIENT_CALL(cuptiActivityEnableDriverApi, uint32_t id, uint8_t on) {
  SYNCLINE_CALL(cuptiActivityEnableDriverApi);
  if (on == 0) return call.Make(id, on);
  return call.Begin("cuptiActivityEnableDriverApi", ClientAct::kEnabledInPart,
                    syncline::cuda::kDriverKind, id, on);
}

SYNCLINE_CLIENT_CALL(cuptiActivityEnableRuntimeApi, uint32_t id, uint8_t on) {
  SYNCLINE_CALL(cuptiActivityEnableRuntimeApi);
  if (on == 0) return call.Make(id, on);
  return call.Begin("cuptiActivityEnableRuntimeApi", ClientAct::kEnabledInPart,
                    syncline::cuda::kRuntimeKind, id, on);
}

SYNCLINE_CLIENT_CALL(cuptiActivityDisable, uint32_t kind) {
  SYNCLINE_CALL(cuptiActivityDisable);
  if (call.of_client() && syncline::cuda::NothingIsTheClients()) return syncline::cuda::kSuccess;
  return call.MakeAndTell(ClientAct::kDisabled, kind, kind);
}

SYNCLINE_CLIENT_CALL(cuptiActivityFlushAll, uint32_t flags) {
  SYNCLINE_CALL(cuptiActivityFlushAll);
  const bool ours = call.of_client() && syncline::cuda::NothingIsTheClients();
  return call.MakeAndTell(ClientAct::kFlushed, 0, ours ? 0 : flags);
}

SYNCLINE_CLIENT_CALL(cuptiFinalize, void) {
  SYNCLINE_CALL(cuptiFinalize);
  return call.Begin("cuptiFinalize", ClientAct::kFinalized, 0);
}
