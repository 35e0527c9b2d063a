// SPDX-License-Identifier: Apache-2.0
// Which calls are open, by the address of their frames.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/start_end.h"

namespace syncline::python {

// A hash table of as many calls as start/end ranges may be open. Callers hold the GIL. All zero is
// an empty one.
class OpenCalls {
 public:
  // `frame` has none yet. False: there are too many.
  bool Add(const void* frame, uint64_t id);
  // 0: there is none.
  uint64_t Find(const void* frame) const;
  // The id that it was added with; 0: there is none.
  uint64_t Remove(const void* frame);
  void Clear();

 private:
  struct Place {
    const void* frame;  // null: free
    uint64_t id;
  };
  static constexpr size_t kPlaces = 2 * kMaxOpen;  // a search ends soon
  static size_t HomeOf(const void* frame) {
    return (reinterpret_cast<uintptr_t>(frame) * 0x9E3779B97F4A7C15ull >> 32) % kPlaces;
  }

  Place places_[kPlaces];
  size_t size_;
};

}  // namespace syncline::python
