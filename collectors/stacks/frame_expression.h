// SPDX-License-Identifier: Apache-2.0
// DWARF expressions, as call frame tables use them: of procedure linkage tables, signal frames and
// functions that align their stack.
#pragma once

#include <cstdint>

#include "collectors/stacks/frame_rules.h"
#include "collectors/stacks/stack_memory.h"

namespace syncline::stacks {

// `expression`: with its length in front, in a module that ends at `end`. `first`: what lies on the
// expression's stack at its begin; null: nothing. False: it cannot be worked out.
bool Evaluate(uint64_t expression, uint64_t end, const uint64_t* registers, const uint64_t* first,
              StackMemory* memory, uint64_t* value);

}  // namespace syncline::stacks
