// SPDX-License-Identifier: Apache-2.0
// Whether the program uses asyncio: a range that is pushed before an await may end another task's.
#pragma once

#include <cstdint>

namespace syncline::python {

// At exit, of a process that records. Neither Python nor the loader is asked.
void NoteEventLoop(uint64_t until_ns);

}  // namespace syncline::python
