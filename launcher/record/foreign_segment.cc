// SPDX-License-Identifier: Apache-2.0
// Bounds for the segments of other users.
#include "launcher/record/foreign_segment.h"

#include "inject/core/sealed.h"
#include "launcher/host/shell_text.h"

namespace syncline {

std::string ForeignSegment::Admit(const OfferedSegment& offer, uint64_t bytes,
                                  std::atomic<uint64_t>* all) {
  const std::string who = Text("process ", offer.pid, " of uid ", offer.user);
  if (!CannotShrink(offer.memory_fd))
    return who +
           " handed over memory that it could take away again (no sealed memfd): it is not "
           "recorded";
  if (bytes > kMostOfForeignSegment)
    return Text(who,
                " handed over more address space than the launcher gives to one process of "
                "another user (",
                SizeText(kMostOfForeignSegment), "): it is not recorded");
  if (all->load(std::memory_order_relaxed) + bytes > kMostOfForeignSegments)
    return Text(
        "processes of other users have all the address space that the launcher gives to "
        "them (",
        SizeText(kMostOfForeignSegments), "): ", who, " is not recorded");
  all_ = all;
  bytes_ = bytes;
  all->fetch_add(bytes, std::memory_order_relaxed);
  return "";
}

void ForeignSegment::Release() {
  if (all_ != nullptr) all_->fetch_sub(bytes_, std::memory_order_relaxed);
  all_ = nullptr;
}

}  // namespace syncline
