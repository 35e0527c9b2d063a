// SPDX-License-Identifier: Apache-2.0
// A client of CUPTI as XLA and Triton's Proton are: it opens libcupti and asks for its functions
// when it first needs them. Built again under Proton's name, and linked to CUPTI.
#include <cupti.h>
#include <dlfcn.h>

namespace {

#ifdef LINKS_CUPTI
#define CLIENT_FUNCTION(name) (&name)
#else
#define CLIENT_FUNCTION(name) Find<decltype(name)>(#name)

constexpr const char* kLibrary = CUDA_VERSION >= 13000 ? "libcupti.so.13" : "libcupti.so.12";

template <typename Function>
Function* Find(const char* name) {
  void* library = dlopen(kLibrary, RTLD_LAZY);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}
#endif

CUpti_SubscriberHandle g_subscriber;
unsigned g_calls;

void CUPTIAPI OnCall(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) { ++g_calls; }

}  // namespace

// What CUPTI answers.
extern "C" int ClientBegin() {
  static const auto subscribe = CLIENT_FUNCTION(cuptiSubscribe);
  static const auto enable = CLIENT_FUNCTION(cuptiEnableDomain);
#ifndef LINKS_CUPTI
  if (subscribe == nullptr || enable == nullptr) return -1;
#endif
  const int result = subscribe(&g_subscriber, OnCall, nullptr);
  return result != 0 ? result : enable(1, g_subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
}

#ifndef LINKS_CUPTI
// Takes the records for itself, and asks for no calls.
extern "C" int ClientTakesRecords() {
  static const auto take =
      Find<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
  const auto request = [](uint8_t** buffer, size_t* bytes, size_t* most) {
    static uint8_t room[1 << 16] __attribute__((aligned(8)));
    *buffer = room;
    *bytes = sizeof(room);
    *most = 0;
  };
  const auto complete = [](CUcontext, uint32_t, uint8_t*, size_t, size_t) {};
  return take == nullptr ? -1 : take(request, complete);
}
#endif

extern "C" unsigned ClientEnd() {
  static const auto unsubscribe = CLIENT_FUNCTION(cuptiUnsubscribe);
  unsubscribe(g_subscriber);
  return g_calls;
}

#ifdef SHOWS_PROTON
extern "C" void PyInit_libproton() {}
#endif
