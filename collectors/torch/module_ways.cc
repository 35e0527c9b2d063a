// SPDX-License-Identifier: Apache-2.0
// Twice as large where an eighth of the places was taken from others.
#include "collectors/torch/module_ways.h"

#include <sys/mman.h>

#include "inject/core/sys.h"

namespace syncline::torch {
namespace {

constexpr size_t kFirstPlaces = 1024;

}  // namespace

void ModuleWays::Grow() {
  const size_t before = places(), now = before == 0 ? kFirstPlaces : 2 * before;
  taken_ = 0;
  if (now > kMostPlaces) return;
  void* memory =
      SysMap(now * sizeof(ModuleWay), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (memory == nullptr) return;
  ModuleWay* const old = places_;
  places_ = static_cast<ModuleWay*>(memory);  // zeros: nobody's
  mask_ = now - 1;
  for (size_t i = 0; i < before; ++i) {
    if (old[i].module != nullptr) Put(old[i]);
  }
  if (old != nullptr) SysUnmap(old, before * sizeof(ModuleWay));
}

// The one that came last stands first.
void ModuleWays::Put(const ModuleWay& way) {
  ModuleWay* const home = places_ + HomeOf(way.around, way.module);
  home[1] = home[0];
  home[0] = way;
}

ModuleWay& ModuleWays::Take(const void* around, const void* module) {
  if (places_ == nullptr) Grow();
  if (places_ == nullptr) return spare_;
  if (places_[HomeOf(around, module) + 1].module != nullptr && ++taken_ > places() / 8) Grow();
  Put({around, module, 0, 0, 0, 0, {}, {}});
  return places_[HomeOf(around, module)];
}

}  // namespace syncline::torch
