// SPDX-License-Identifier: Apache-2.0
// Which code objects are watched, and for which function. Python's own place for such things,
// co_extra, is shared: using it makes Python call the functions that other tools gave it for their
// part, also for code that they never saw.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/python/chosen.h"
#include "collectors/python/interpreter.h"

namespace syncline::python {

struct WatchedCode {
  const Object* code = nullptr;      // null: the place is free
  Object* reference = nullptr;       // the weak one that tells of the code's end; null: it has none
  const Chosen* function = nullptr;  // null: none, which is known
  // What is read of its calls beside their times; null: nothing.
  const Parameters* parameters = nullptr;
  bool is_awaited = false;  // of a coroutine or an asynchronous generator
};

// A hash table by the code's address. Callers hold the GIL. Memory is taken from the system and
// kept.
class WatchedCodes {
 public:
  // Null: it is not watched, or known to be of no function. Until the next Add or Remove.
  const WatchedCode* FindWatched(const Object* code) const {
    if (places_ == nullptr) return nullptr;
    for (size_t i = HomeOf(code);; i = (i + 1) & mask_) {
      if (places_[i].code == code) return places_[i].function == nullptr ? nullptr : &places_[i];
      if (places_[i].code == nullptr) return nullptr;
    }
  }
  const Chosen* Find(const Object* code) const {
    const WatchedCode* watched = FindWatched(code);
    return watched == nullptr ? nullptr : watched->function;
  }
  // What is known of the code; null: nothing. Until the next Add or Remove.
  WatchedCode* Known(const Object* code) {
    if (places_ == nullptr) return nullptr;
    size_t i = HomeOf(code);
    while (places_[i].code != nullptr && places_[i].code != code) i = (i + 1) & mask_;
    return places_[i].code == code ? &places_[i] : nullptr;
  }
  // False: there is no memory. `code` is not watched yet.
  bool Add(const WatchedCode& watched);
  // The reference that it was added with; null: it is not watched.
  Object* Remove(const Object* code);
  size_t size() const { return size_; }
  // `visit` neither adds nor removes one.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; places_ != nullptr && i <= mask_; ++i) {
      if (places_[i].code != nullptr) visit(places_[i]);
    }
  }

 private:
  size_t HomeOf(const Object* code) const {
    return (reinterpret_cast<uintptr_t>(code) * 0x9E3779B97F4A7C15ull >> 32) & mask_;
  }
  bool Grow();
  void Put(const WatchedCode& watched);

  WatchedCode* places_ = nullptr;
  size_t mask_ = 0;  // number of places - 1
  size_t size_ = 0;
};

}  // namespace syncline::python
