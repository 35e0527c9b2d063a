// SPDX-License-Identifier: Apache-2.0
// Processes of one program share a terminal, and their lines have no names.
#include "inject/runtime/not_recorded.h"

#include <atomic>

#include "inject/core/log.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

std::atomic<bool> g_is_forks_child;

}  // namespace

void BeForksChildInWords() { g_is_forks_child.store(true, std::memory_order_relaxed); }

void TellNotRecorded(const char* why, const char* detail) {
  TextBuffer text;
  text.Add(why).Add("; process ").AddNumber(static_cast<uint64_t>(SysPid()));
  if (g_is_forks_child.load(std::memory_order_relaxed)) text.Add(", a fork's child,");
  text.Add(*detail == '\0' ? " is not recorded" : " is not recorded:");
  Log(LogLevel::kError, text.text(), detail);
}

}  // namespace syncline
