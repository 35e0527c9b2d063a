// SPDX-License-Identifier: Apache-2.0
// Which rank of which communicators a process is, as its library of collectives says when it makes
// them.
#pragma once

#include <cstdint>
#include <map>

#include "model/spool/record_sink.h"

namespace syncline {

struct CommunicatorPlace {
  uint32_t rank = 0;
  uint32_t ranks = 0;    // of the communicator
  bool several = false;  // the process is more than one rank of it: `rank` says nothing
};

// Reads the beginning of a spool only: communicators are made before they are used.
class CommunicatorPlaces : public RecordSink {
 public:
  unsigned Interests() const override { return kRanges | kNoPlainRanges; }
  void OnRange(const RangeEvent& event) override;
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override;

  // By the communicator's id, which is equal in all its ranks; at most a thousand.
  const std::map<uint64_t, CommunicatorPlace>& found() const { return found_; }

 private:
  std::map<uint64_t, CommunicatorPlace> found_;
};

}  // namespace syncline
