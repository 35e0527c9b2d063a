// SPDX-License-Identifier: Apache-2.0
// One look-up for each piece of code, by a hash of all that it has in common with its original.
#include "collectors/python/namesakes.h"

#include "collectors/python/remembered_code.h"

namespace syncline::python {
namespace {

WatchedCodes g_originals;  // by such a hash, in the place of an address

uint64_t HashOfText(std::string_view text, uint64_t hash) {
  for (const char character : text)
    hash = (hash ^ static_cast<uint8_t>(character)) * 1099511628211u;
  return hash;
}

const Object* KeyOf(const Object* code, std::string_view module) {
  const std::string_view file = TextOf(ReadAt<Object*>(code, g_layout.code_file));
  const uint64_t hash = HashOfText(module, HashOfText(file, StartOf(code)));
  return reinterpret_cast<const Object*>(hash | 1);  // no null
}

}  // namespace

void NoteOriginal(const Object* code, std::string_view module, const Chosen* function) {
  const uint64_t start = StartOf(code);
  g_chosen_starts[start >> 58] |= uint64_t{1} << (start >> 52 & 63);
  const Object* key = KeyOf(code, module);
  if (WatchedCode* known = g_originals.Known(key)) {
    known->function = function;
  } else {
    g_originals.Add({key, nullptr, function});
  }
}

__attribute__((noinline)) const Chosen* MeetNamesake(Object* code, std::string_view module) {
  if (g_watched.Known(code) != nullptr) return nullptr;
  const Chosen* function = g_originals.Find(KeyOf(code, module));
  Remember(code, function);
  return function;
}

}  // namespace syncline::python
