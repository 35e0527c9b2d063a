// SPDX-License-Identifier: Apache-2.0
// Linear probing; at most half of the places are taken, so that a search ends soon.
#include "collectors/python/watched_code.h"

#include <sys/mman.h>

#include "inject/core/sys.h"

namespace syncline::python {
namespace {

constexpr size_t kFirstPlaces = 256;

}  // namespace

void WatchedCodes::Put(const WatchedCode& watched) {
  size_t i = HomeOf(watched.code);
  while (places_[i].code != nullptr) i = (i + 1) & mask_;
  places_[i] = watched;
}

bool WatchedCodes::Grow() {
  const size_t before = places_ == nullptr ? 0 : mask_ + 1;
  const size_t now = before == 0 ? kFirstPlaces : 2 * before;
  void* memory =
      SysMap(now * sizeof(WatchedCode), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (memory == nullptr) return false;
  WatchedCode* old = places_;
  places_ = static_cast<WatchedCode*>(memory);  // zeros: all are free
  mask_ = now - 1;
  for (size_t i = 0; i < before; ++i) {
    if (old[i].code != nullptr) Put(old[i]);
  }
  if (old != nullptr) SysUnmap(old, before * sizeof(WatchedCode));
  return true;
}

bool WatchedCodes::Add(const WatchedCode& watched) {
  if ((places_ == nullptr || 2 * (size_ + 1) > mask_ + 1) && !Grow()) return false;
  Put(watched);
  ++size_;
  return true;
}

// Those behind the free place that could stand in it move there: a search must not end before them.
Object* WatchedCodes::Remove(const Object* code) {
  if (places_ == nullptr) return nullptr;
  size_t free = HomeOf(code);
  while (places_[free].code != code) {
    if (places_[free].code == nullptr) return nullptr;
    free = (free + 1) & mask_;
  }
  Object* reference = places_[free].reference;
  for (size_t i = (free + 1) & mask_; places_[i].code != nullptr; i = (i + 1) & mask_) {
    const size_t home = HomeOf(places_[i].code);
    const bool stays = ((i - home) & mask_) < ((i - free) & mask_);
    if (stays) continue;
    places_[free] = places_[i];
    free = i;
  }
  places_[free] = {};
  --size_;
  return reference;
}

}  // namespace syncline::python
