// SPDX-License-Identifier: Apache-2.0
// Keeps what a rank's allocators gave out and got back, for exports.
#pragma once

#include <memory>
#include <string>

#include "writers/files/file_sink.h"
#include "writers/files/gzip_sink.h"
#include "writers/files/rank_sink.h"
#include "writers/memory/memory_history.h"

namespace syncline {

// A rank without such blocks has no file. At most 1,048,576 events of a process are kept, the first
// ones; 64 bytes each until the process is written.
class MemoryHistorySink : public RankSink {
 public:
  explicit MemoryHistorySink(std::string path);
  ~MemoryHistorySink() override;

  RecordSink* BeginRun(ProgramRun* run) override;
  Status EndRun(ProgramRun* run) override;
  Status Finish(RankManifest* manifest, const RunFindings& findings) override;

 private:
  class Collector;

  const std::string path_;
  FileSink file_;
  GzipSink compressed_;
  MemoryHistoryWriter writer_;
  bool is_open_ = false;
  std::unique_ptr<Collector> collector_;  // of the run that is being read
};

}  // namespace syncline
