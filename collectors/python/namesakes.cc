// SPDX-License-Identifier: Apache-2.0
// Each piece of code is compared with the chosen ones once.
#include "collectors/python/namesakes.h"

#include "collectors/python/remembered_code.h"
#include "inject/core/sys.h"

namespace syncline::python {
namespace {

bool IsMadeOf(const Object* code, const Object* original) {
  const CodePlaces& at = g_code_places;
  return ReadFrom<const void*>(code, at.name) == ReadFrom<const void*>(original, at.name) &&
         ReadFrom<int32_t>(code, at.first_line) == ReadFrom<int32_t>(original, at.first_line) &&
         TextOf(ReadFrom<Object*>(code, at.file)) == TextOf(ReadFrom<Object*>(original, at.file));
}

}  // namespace

__attribute__((noinline)) const Chosen* MeetNamesake(Object* code) {
  if (g_watched.Has(code)) return nullptr;
  const ErrnoKeeper keeper;
  const Chosen* function = nullptr;
  g_watched.ForEach([&](const WatchedCode& watched) {
    if (function == nullptr && watched.function != nullptr && IsMadeOf(code, watched.code))
      function = watched.function;
  });
  Remember(code, function);
  return function;
}

}  // namespace syncline::python
