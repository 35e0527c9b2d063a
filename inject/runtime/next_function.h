// SPDX-License-Identifier: Apache-2.0
// The function that the program would call if this library did not show one of its name.
#pragma once

#include <dlfcn.h>

#include <atomic>

#include "inject/core/exported.h"

namespace syncline {

// Found when it is first asked for. A vfork's child finds for its parent too: both have the same
// libraries.
template <typename Type>
class NextFunction {
 public:
  explicit constexpr NextFunction(const char* name) : name_(name) {}

  // Null: there is none.
  Type* Find() {
    Type* function = function_.load(std::memory_order_relaxed);  // a pointer alone: pairs with none
    if (function != nullptr) return function;
    const void* found = NextExported(name_);
    // Of a loader that tells nothing of its list. It may take a lock.
    if (found == nullptr) found = dlsym(RTLD_NEXT, name_);
    function = reinterpret_cast<Type*>(const_cast<void*>(found));
    function_.store(function, std::memory_order_relaxed);
    return function;
  }

 private:
  const char* name_;
  std::atomic<Type*> function_{nullptr};
};

}  // namespace syncline
