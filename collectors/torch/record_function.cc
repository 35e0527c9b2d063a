// SPDX-License-Identifier: Apache-2.0
// at::addGlobalCallback (aten/src/ATen/record_function.h), with the layout that its argument has
// had since PyTorch 1.9.
#include "collectors/torch/record_function.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace syncline::torch {
namespace {

// at::RecordScope, as far as it is asked for.
enum Scope : uint8_t { kFunction = 0, kBackwardFunction = 1, kUserScope = 7 };
constexpr size_t kScopes = 10;

// at::RecordFunctionCallback. `begins` gives back a std::unique_ptr<at::ObserverContext>: by the
// ABI through memory of the caller's, whose address it also returns.
struct Callback {
  void** (*begins)(void** context, const void* function);
  void (*ends)(const void* function, void* context);
  double probability;
  bool scopes[kScopes];
  bool needs_inputs, needs_outputs, needs_ids;
};
static_assert(sizeof(Callback) == 40 && offsetof(Callback, needs_inputs) == 34);

using AddGlobalCallback = uint64_t (*)(Callback);  // larger than two words: passed in memory
using NameOf = const char* (*)(const void* function);

// Written before PyTorch is told of the functions that read them.
NameOf g_name_of;
Listener g_operators, g_named;

template <const Listener& kListener>
void** Begins(void** context, const void* function) {
  *context = nullptr;
  kListener.begins(function, g_name_of(function));
  return context;
}

template <const Listener& kListener>
void Ends(const void* function, void*) {
  kListener.ends(function);
}

template <const Listener& kListener>
Callback CallbackFor(std::initializer_list<Scope> scopes) {
  Callback callback = {&Begins<kListener>, &Ends<kListener>, 1.0, {}, false, false, false};
  for (const Scope scope : scopes) callback.scopes[scope] = true;
  return callback;
}

template <typename Function>
bool Find(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

}  // namespace

const char* Listen(void* library, const Listener& operators, const Listener& named) {
  AddGlobalCallback add = nullptr;
  if (!Find(library, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE", &add) ||
      !Find(library, "_ZNK2at14RecordFunction4nameEv", &g_name_of))
    return "this PyTorch has no at::addGlobalCallback() as it is known";
  g_operators = operators;
  g_named = named;
  add(CallbackFor<g_operators>({kFunction, kBackwardFunction}));
  add(CallbackFor<g_named>({kUserScope}));
  return nullptr;
}

}  // namespace syncline::torch
