// SPDX-License-Identifier: Apache-2.0
// Which rank of which communicators a process is, as its library of collectives says when it makes
// them, and a framework's operators when they use them.
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

// Reads the beginning of a spool only: communicators are made, and mostly used, early.
class CommunicatorPlaces : public RecordSink {
 public:
  unsigned Interests() const override { return kRanges | kNoPlainRanges | kOperators; }
  void OnRange(const RangeEvent& event) override;
  void OnOperator(const RangeEvent& event) override;
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override;

  // By the communicator's id, which is equal in all its ranks; at most a thousand.
  const std::map<uint64_t, CommunicatorPlace>& found() const { return found_; }

 private:
  void Add(uint64_t communicator, uint32_t rank, uint32_t ranks);

  std::map<uint64_t, CommunicatorPlace> found_;
};

}  // namespace syncline
