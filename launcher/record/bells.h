// SPDX-License-Identifier: Apache-2.0
// The doorbells of a node: by them processes wake the consumer and learn how it does.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "inject/core/segment.h"

namespace syncline {

// A page for each user: whoever has a page can write anything into it, and ring or spoil only those
// of his own. Of() belongs to the thread that talks to processes, Sleep() to the consumer's.
class Bells {
 public:
  Bells() = default;
  ~Bells();
  Bells(const Bells&) = delete;
  Bells& operator=(const Bells&) = delete;

  // The page of our own user. False: *error says why.
  bool Make(std::string* error);

  // The descriptor of a user's page, which stays ours. -1: that user's processes go without.
  int Of(uid_t user);

  void Beat();  // the consumer lives
  void TellOverBudget(bool ours, bool others);
  void TellClosing();
  void Ring();  // as a process of ours does

  // Until somebody rings or `ns` passed.
  void Sleep(uint64_t ns);

 private:
  static constexpr size_t kMostUsers = 64;
  struct Bell {
    uid_t user = 0;
    int fd = -1;
    Doorbell* page = nullptr;
  };

  size_t Count() const { return count_.load(std::memory_order_acquire); }

  std::array<Bell, kMostUsers> bells_;  // our own user's first; an entry never changes
  std::atomic<size_t> count_{0};        // released after the entry; pairs with Count()
};

}  // namespace syncline
