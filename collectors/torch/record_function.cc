// SPDX-License-Identifier: Apache-2.0
// at::addGlobalCallback (aten/src/ATen/record_function.h), with the layout that its argument has
// had since PyTorch 1.9.
#include "collectors/torch/record_function.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace syncline::torch {
namespace {

// at::RecordScope.
constexpr size_t kUserScope = 7;
constexpr size_t kScopes = 10;

// at::RecordFunctionCallback.
struct Registration {
  Callback callback;
  double probability;
  bool scopes[kScopes];
  bool needs_inputs, needs_outputs, needs_ids;
};
static_assert(sizeof(Registration) == 40 && offsetof(Registration, needs_inputs) == 34);

// PyTorch's functions. Written before it is told of the callbacks that call them.
struct Functions {
  uint64_t (*add)(Registration);  // larger than two words: passed in memory
  void (*remove)(uint64_t);
  void (*enable)(uint64_t);
  void (*disable)(uint64_t);
  const char* (*name_of)(const void*);
  bool (*is_async)(const void*);
  uint64_t (*number_of_thread)();  // null: it has none
};
Functions g_torch;
std::atomic<uint64_t> g_operators;  // their handle; 0: nobody listens
Callback g_callback;                // theirs

Registration ForAllBut(size_t scope, const Callback& callback, bool with_inputs) {
  Registration registration = {callback, 1.0, {}, with_inputs, false, false};
  for (size_t i = 0; i < kScopes; ++i) registration.scopes[i] = i != scope;
  return registration;
}

Registration ForOnly(size_t scope, const Callback& callback) {
  Registration registration = {callback, 1.0, {}, false, false, false};
  registration.scopes[scope] = true;
  return registration;
}

bool FindAll(const Module& module, Functions* out) {
  FindFunction(module, "_ZN2at14RecordFunction15currentThreadIdEv", &out->number_of_thread);
  return FindFunction(module, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE",
                      &out->add) &&
         FindFunction(module, "_ZN2at14removeCallbackEm", &out->remove) &&
         FindFunction(module, "_ZN2at16reenableCallbackEm", &out->enable) &&
         FindFunction(module, "_ZN2at15disableCallbackEm", &out->disable) &&
         FindFunction(module, "_ZNK2at14RecordFunction4nameEv", &out->name_of) &&
         FindFunction(module, "_ZNK2at14RecordFunction7isAsyncEv", &out->is_async);
}

}  // namespace

const char* Listen(const Module& library, const Callback* operators, bool with_inputs,
                   const Callback& named) {
  if (!FindAll(library, &g_torch)) return "it lacks at::addGlobalCallback() as it is known";
  if (operators != nullptr) {
    g_callback = *operators;
    g_operators = g_torch.add(ForAllBut(kUserScope, *operators, with_inputs));
  }
  g_torch.add(ForOnly(kUserScope, named));
  return nullptr;
}

uint64_t BeginListening(const Callback& callback) {
  return g_torch.add(ForAllBut(kUserScope, callback, true));
}
void EndListening(uint64_t number) { g_torch.remove(number); }

// What has begun ends for the one of both that heard its begin.
void HearInputs() {
  const uint64_t before = g_operators.load();
  if (before == 0) return;
  g_torch.remove(before);
  g_operators.store(g_torch.add(ForAllBut(kUserScope, g_callback, true)));
}

void HearOperators(bool hears) {
  const uint64_t operators = g_operators.load();
  if (operators == 0) return;
  if (hears) {
    g_torch.enable(operators);
  } else {
    g_torch.disable(operators);
  }
}

const char* NameOf(const void* function) { return g_torch.name_of(function); }
uint64_t NumberOfThread() {
  return g_torch.number_of_thread == nullptr ? 0 : g_torch.number_of_thread();
}
bool IsAsync(const void* function) { return g_torch.is_async(function); }

}  // namespace syncline::torch
