// SPDX-License-Identifier: Apache-2.0
// Looks for asyncio's library among those that are loaded.
#include "collectors/python/event_loop.h"

#include "inject/core/emit.h"
#include "inject/core/exported.h"
#include "inject/core/segment.h"

namespace syncline::python {

void NoteEventLoop(uint64_t) {
  // "_asyncio.cpython-312-x86_64-linux-gnu.so", "_asyncio.abi3.so". A Python that has it built in
  // does not show whether it is used.
  if (NextExported("Py_IsInitialized") == nullptr || !HasLoadedFile("_asyncio.")) return;
  const HookScope scope;
  if (scope) scope.log().segment->degraded.fetch_or(kHasEventLoop, std::memory_order_relaxed);
}

}  // namespace syncline::python
