// SPDX-License-Identifier: Apache-2.0
// The file of a rank's allocator: PyTorch's snapshot of its memory, compressed.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "writers/files/rank_sink.h"
#include "writers/memory/allocator_history.h"

namespace syncline {

// Of the rank's processes the one with most blocks. Nothing is written where no allocator told of
// any.
class MemorySink : public RankSink {
 public:
  // `most`: events of a process, as the rank's share of the memory allows.
  MemorySink(std::string path, size_t most) : path_(std::move(path)), most_events_(most) {}

  RecordSink* BeginRun(ProgramRun* run) override;
  Status EndRun(ProgramRun* run) override;
  Status Finish(RankManifest* manifest, const RunFindings& findings) override;

 private:
  const std::string path_;
  const size_t most_events_;
  std::unique_ptr<AllocatorHistory> reading_;
  std::unique_ptr<AllocatorHistory> most_;
};

}  // namespace syncline
