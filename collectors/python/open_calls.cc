// SPDX-License-Identifier: Apache-2.0
// Linear probing; at most half of the places are taken.
#include "collectors/python/open_calls.h"

#include <cstring>

namespace syncline::python {

bool OpenCalls::Add(const void* frame, uint64_t id) {
  if (size_ == kMaxOpen) return false;
  size_t i = HomeOf(frame);
  while (places_[i].frame != nullptr) i = (i + 1) % kPlaces;
  places_[i] = {frame, id};
  ++size_;
  return true;
}

uint64_t OpenCalls::Find(const void* frame) const {
  size_t i = HomeOf(frame);
  while (places_[i].frame != nullptr && places_[i].frame != frame) i = (i + 1) % kPlaces;
  return places_[i].id;
}

// Those behind the free place that could stand in it move there: a search must not end before them.
uint64_t OpenCalls::Remove(const void* frame) {
  size_t free = HomeOf(frame);
  while (places_[free].frame != frame) {
    if (places_[free].frame == nullptr) return 0;
    free = (free + 1) % kPlaces;
  }
  const uint64_t id = places_[free].id;
  for (size_t i = (free + 1) % kPlaces; places_[i].frame != nullptr; i = (i + 1) % kPlaces) {
    const size_t behind_home = (i - HomeOf(places_[i].frame)) % kPlaces;
    if (behind_home < (i - free) % kPlaces) continue;  // it stays
    places_[free] = places_[i];
    free = i;
  }
  places_[free] = {};
  --size_;
  return id;
}

void OpenCalls::Clear() {
  if (size_ != 0) std::memset(static_cast<void*>(this), 0, sizeof(*this));
}

}  // namespace syncline::python
