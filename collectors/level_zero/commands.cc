// SPDX-License-Identifier: Apache-2.0
// Pages hang on each other.
#include "collectors/level_zero/commands.h"

#include "collectors/level_zero/slab.h"

namespace syncline::level_zero {
namespace {

constinit Slab<CommandPage, 65536> g_pages;

}  // namespace

CommandPage& PageAt(uint32_t page) { return g_pages[page]; }

bool AppendCommand(List* list, const ListSignal& command) {
  if (list->last_page == kNone || PageAt(list->last_page).count == CommandPage::kCommands) {
    const uint32_t fresh = g_pages.Take();
    if (fresh == kNone) return false;
    CommandPage& page = PageAt(fresh);
    page.next.store(kNone, std::memory_order_relaxed);
    page.count = 0;
    if (list->last_page == kNone) {
      list->first_page = fresh;
    } else {
      PageAt(list->last_page).next.store(fresh, std::memory_order_relaxed);
    }
    list->last_page = fresh;
  }
  CommandPage& page = PageAt(list->last_page);
  page.commands[page.count++] = command;
  return true;
}

void EmptyList(List* list) {
  EachCommand(*list, [](const ListSignal& command) {
    if (command.operation != kNone) DropOperation(command.operation);
  });
  for (uint32_t at = list->first_page; at != kNone;) {
    const uint32_t next = PageAt(at).next.load(std::memory_order_relaxed);
    g_pages.GiveBack(at);
    at = next;
  }
  list->first_page = list->last_page = kNone;
}

}  // namespace syncline::level_zero
