// SPDX-License-Identifier: Apache-2.0
// Where modules were found below others: a table by the addresses of both.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline::torch {

inline constexpr size_t kMostSteps = 6;  // from a module to one within its call

// From the module `around`, by dict after dict, to `module`; or that it is not below.
struct ModuleWay {
  const void* around;
  const void* module;
  uint32_t around_path;
  uint32_t steps;              // 0: it is not below
  uint32_t missed;             // calls since it was looked for
  uint32_t wait;               // until it is looked for again
  uint32_t paths[kMostSteps];  // of each step
  ptrdiff_t places[kMostSteps];
};

// Each pair has two places, which others may have taken. Callers hold the interpreter's lock.
// Memory is taken from the system, ever more while pairs take places from each other, and kept.
class ModuleWays {
 public:
  static constexpr size_t kMostPlaces = 1 << 16;

  // Null: it is not known.
  ModuleWay* Find(const void* around, const void* module) {
    if (places_ == nullptr) return nullptr;
    ModuleWay* const home = places_ + HomeOf(around, module);
    if (IsOf(home[0], around, module)) return home;
    return IsOf(home[1], around, module) ? home + 1 : nullptr;
  }
  // A place for a pair that is not known.
  ModuleWay& Take(const void* around, const void* module);
  size_t places() const { return places_ == nullptr ? 0 : mask_ + 1; }

 private:
  static bool IsOf(const ModuleWay& way, const void* around, const void* module) {
    return way.module == module && way.around == around;
  }
  // The first of the two places.
  size_t HomeOf(const void* around, const void* module) const {
    const auto low = [](const void* object) { return reinterpret_cast<uintptr_t>(object) >> 4; };
    return ((low(around) * 31 + low(module)) * 0x9E3779B97F4A7C15ull >> 32) & mask_ & ~size_t{1};
  }
  void Put(const ModuleWay& way);
  void Grow();

  ModuleWay* places_ = nullptr;
  size_t mask_ = 0;   // number of places - 1
  size_t taken_ = 0;  // from other pairs, since it grew
  ModuleWay spare_{};
};

}  // namespace syncline::torch
