// SPDX-License-Identifier: Apache-2.0
// The commands of a list that is executed later, in pages from one slab.
#pragma once

#include "collectors/level_zero/objects.h"

namespace syncline::level_zero {

// False: no room (counted by the caller).
bool AppendCommand(List* list, const ListSignal& command);

// The list is emptied: its operations are not executed again.
void EmptyList(List* list);

// Calls visit(const ListSignal&) for each, in order.
template <typename Visit>
void EachCommand(const List& list, Visit visit);

struct CommandPage {
  static constexpr uint32_t kCommands = 30;
  std::atomic<uint32_t> next;  // of the list; when free: of the free list
  uint32_t count;
  ListSignal commands[kCommands];
};
CommandPage& PageAt(uint32_t page);

template <typename Visit>
void EachCommand(const List& list, Visit visit) {
  for (uint32_t at = list.first_page; at != kNone;) {
    const CommandPage& page = PageAt(at);
    for (uint32_t i = 0; i < page.count; ++i) visit(page.commands[i]);
    at = page.next.load(std::memory_order_relaxed);
  }
}

}  // namespace syncline::level_zero
