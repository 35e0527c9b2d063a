// SPDX-License-Identifier: Apache-2.0
// A few places, used in turn: new signatures are rare.
#include "collectors/python/awaited_results.h"

namespace syncline::python {
namespace {

constexpr uint32_t kAwaitedPlaces = 32;

struct AwaitedPlace {
  const void* frame;  // null: free
  CallDetails details;
};
constinit AwaitedPlace g_awaited[kAwaitedPlaces] = {};
uint32_t g_next_place;

AwaitedPlace* PlaceOfFrame(const void* frame) {
  for (AwaitedPlace& place : g_awaited) {
    if (place.frame == frame) return &place;
  }
  return nullptr;
}

}  // namespace

void AwaitResult(const void* frame, const CallDetails& details) {
  AwaitedPlace* place = PlaceOfFrame(frame);  // of a call that was not seen to end
  if (place == nullptr) place = PlaceOfFrame(nullptr);
  if (place == nullptr) place = &g_awaited[g_next_place++ % kAwaitedPlaces];
  if (place->frame == nullptr) ++g_awaited_results;
  place->frame = frame;
  place->details = details;
}

CallDetails* TakeAwaited(const void* frame) {
  AwaitedPlace* place = g_awaited_results == 0 ? nullptr : PlaceOfFrame(frame);
  if (place == nullptr) return nullptr;
  place->frame = nullptr;
  --g_awaited_results;
  return &place->details;
}

void ForgetAwaited() {
  for (AwaitedPlace& place : g_awaited) place.frame = nullptr;
  g_awaited_results = 0;
}

}  // namespace syncline::python
