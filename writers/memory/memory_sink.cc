// SPDX-License-Identifier: Apache-2.0
// Written when all runs were read.
#include "writers/memory/memory_sink.h"

#include "writers/files/file_sink.h"
#include "writers/files/gzip_sink.h"
#include "writers/memory/snapshot.h"

namespace syncline {

RecordSink* MemorySink::BeginRun(ProgramRun* run) {
  if (run->survey.memory == 0) return nullptr;
  reading_ = std::make_unique<AllocatorHistory>(run, most_events_);
  return reading_.get();
}

Status MemorySink::EndRun(ProgramRun* /*run*/) {
  if (reading_ == nullptr) return {};
  reading_->Finish();
  if (most_ == nullptr || reading_->blocks() > most_->blocks()) most_ = std::move(reading_);
  reading_ = nullptr;
  return {};
}

Status MemorySink::Finish(RankManifest* /*manifest*/, const RunFindings& /*findings*/) {
  if (most_ == nullptr) return {};
  FileSink file;
  Status status = file.Open(path_);
  if (!status.ok()) return status;
  {
    GzipSink gzip(&file);
    status = WriteSnapshot(*most_, &gzip);
  }
  return status.ok() ? file.Commit() : status;
}

}  // namespace syncline
