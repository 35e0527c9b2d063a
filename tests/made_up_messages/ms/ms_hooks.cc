// SPDX-License-Identifier: Apache-2.0
// Calls by exported names.
#include <dlfcn.h>

#include "inject/core/call_log.h"
#include "inject/core/collector.h"
#include "ms.h"

namespace syncline::ms {
namespace {

constexpr uint8_t kMessage = static_cast<uint8_t>(CallRole::kCommunicate);
constexpr CallName kSend("ms_send", 7, kMessage | kCallIsAsync, 1, false);
constexpr CallName kReceive("ms_receive", 10, kMessage, 2, false);
constexpr CallName kRead("ms_read", 7, static_cast<uint8_t>(CallRole::kRead), 3, false);

constinit CallLog<SYNCLINE_SOURCE_ms> g_calls;

template <typename... Arguments>
int Record(const CallName& name, int (*real)(Arguments...), Arguments... arguments) {
  if (!CollectorEnabled("ms")) return real(arguments...);
  const WatchedCall call = {&name, 0};
  const uint64_t begun = g_calls.Begin(call);
  const int result = real(arguments...);
  g_calls.End(call, begun, static_cast<uint32_t>(result));
  return result;
}

// A module of Python brought it, for itself alone: RTLD_NEXT does not see it.
template <typename Function>
Function Real(const char* name, Function /*like*/) {
  void* library = dlopen("libms.so", RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace
}  // namespace syncline::ms

using syncline::ms::Real;
using syncline::ms::Record;

SYNCLINE_EXPORT int ms_send(int to) {
  return Record(syncline::ms::kSend, Real("ms_send", ms_send), to);
}

SYNCLINE_EXPORT int ms_receive(int from, uint32_t us) {
  return Record(syncline::ms::kReceive, Real("ms_receive", ms_receive), from, us);
}

SYNCLINE_EXPORT int ms_read(uint32_t us) {
  return Record(syncline::ms::kRead, Real("ms_read", ms_read), us);
}
