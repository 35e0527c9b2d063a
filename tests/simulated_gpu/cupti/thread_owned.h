// SPDX-License-Identifier: Apache-2.0
// One object per thread that may still be used while the thread's other objects are being
// destroyed.
#pragma once

namespace simgpu::cupti {

// A static destructor of the program may call CUDA after this thread's thread_local objects are
// gone; it then gets a fresh object, which is leaked. `Tag` tells several objects of one type
// apart.
template <typename T, typename Tag = T>
T& ThreadOwned() {
  thread_local T* object = nullptr;
  struct Guard {
    ~Guard() {
      delete object;
      object = nullptr;
    }
  };
  thread_local Guard guard;
  if (object == nullptr) {
    object = new T;
    static_cast<void>(&guard);  // constructs it, which registers its destructor
  }
  return *object;
}

}  // namespace simgpu::cupti
