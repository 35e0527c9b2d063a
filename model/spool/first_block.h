// SPDX-License-Identifier: Apache-2.0
// What the first block of a spool says.
#pragma once

#include "model/spool/record_sink.h"

namespace syncline {

// Stops the reading behind that block.
class FirstBlock : public RecordSink {
 public:
  void OnProcess(const SpoolProcess& value) override {
    process = value;
    found = true;
  }
  bool OnBlockDone(uint64_t, uint64_t) override { return false; }

  SpoolProcess process{};
  bool found = false;
};

}  // namespace syncline
