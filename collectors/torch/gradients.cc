// SPDX-License-Identifier: Apache-2.0
// Two functions of libc10's, which look at a field each: where these fields are, differs between
// versions. Neither runs a mode or a dispatch of the program's.
#include "collectors/torch/gradients.h"

#include <dlfcn.h>

#include <atomic>

#include "collectors/torch/record_function.h"
#include "inject/core/exported.h"

namespace syncline::torch {
namespace {

using NeedsOne = bool (*)(const void* tensor);
using AreOn = bool (*)();
// Written once each, the first one before the second.
std::atomic<NeedsOne> g_needs_one;
std::atomic<AreOn> g_are_on;

constexpr size_t kMostLibraryPath = 1024;

}  // namespace

void FindGradients() {
  if (g_are_on.load(std::memory_order_relaxed) != nullptr) return;
  char path[kMostLibraryPath];
  const Module library = ModuleOfFile("libc10.so", path, sizeof(path));
  NeedsOne needs_one;
  AreOn are_on;
  // It stays: what is called may not be closed meanwhile.
  if (library.symbols == 0 || dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == nullptr ||
      !FindFunction(library, "_ZNK3c1010TensorImpl13requires_gradEv", &needs_one) ||
      !FindFunction(library, "_ZN3c108GradMode10is_enabledEv", &are_on))
    return;
  g_needs_one.store(needs_one, std::memory_order_relaxed);
  g_are_on.store(are_on, std::memory_order_release);  // pairs with the acquire of readers
}

bool NeedsGradient(const void* tensor) {
  if (g_are_on.load(std::memory_order_acquire) == nullptr) return false;
  return g_needs_one.load(std::memory_order_relaxed)(tensor);
}

bool AreGradientsOn(bool* on) {
  const AreOn are_on = g_are_on.load(std::memory_order_acquire);
  if (are_on == nullptr) return false;
  *on = are_on();
  return true;
}

}  // namespace syncline::torch
