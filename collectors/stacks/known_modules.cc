// SPDX-License-Identifier: Apache-2.0
// A module is read again where anything that the loader says of it is new, or a library was closed.
#include "collectors/stacks/known_modules.h"

#include <atomic>

#include "collectors/stacks/python_walk.h"

namespace syncline::stacks {
namespace {

bool IsSame(const LoadedModule& known, const LoadedModule& found) {
  return known.begin == found.begin && known.end == found.end &&
         known.frame_index == found.frame_index && known.link_map == found.link_map;
}

}  // namespace

const KnownModule* KnownModules::Find(uintptr_t address, ForeignMemory* memory) {
  const uint64_t closings = LibrariesClosed();
  LoadedModule found;
  if (!FindModule(address, &found)) return nullptr;
  KnownModule& known = modules_[Mix(found.begin, found.end) % kCount];
  if (__builtin_expect(IsSame(known.module, found) && known.closings == closings, 1)) return &known;
  known.module.begin = 0;  // a handler may leave this by a jump
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!Describe(&found, memory)) return nullptr;
  uint16_t id_bytes;
  const size_t bytes = WriteModule(found, memory, scratch_, &id_bytes);
  known.code = Mix(HashOf(scratch_, bytes), found.begin);
  if (id_bytes == 0) known.code = Mix(known.code, closings);  // a path alone says too little
  known.closings = closings;
  known.module = found;
  return &known;
}

}  // namespace syncline::stacks
