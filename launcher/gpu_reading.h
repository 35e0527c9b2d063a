// SPDX-License-Identifier: Apache-2.0
// From a spool's GPU records to those that the analysis reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/gpu_records.h"
#include "writers/derived.h"
#include "writers/record_sink.h"

namespace syncline {

class GpuReading : public RecordSink {
 public:
  // At most `most` calls and operations are kept; with more, nothing is to be concluded.
  GpuReading(const DeriveRequest& request, uint64_t most, GpuRecords* records);

  void OnCall(Stream& stream, const CallRecord& record) override;
  void OnOpenCall(Stream& stream, const CallRecord& record) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& record, const KernelDetails*) override;
  void OnDeviceNote(Stream&, const DeviceNoteRecord& note) override;
  bool OnBlockDone(uint64_t, uint64_t) override { return !too_many() && !request_.Stopped(); }

  bool too_many() const { return records_->calls.size() + records_->ops.size() > most_; }
  // By GpuOp::kernel.
  const std::vector<std::string>& names() const { return names_; }

 private:
  void Add(Stream& stream, const CallRecord& record, bool open);
  void Sync(const DeviceNoteRecord& note);
  void Overhead(const DeviceNoteRecord& note);
  uint32_t NameOf(std::string name);

  const DeriveRequest& request_;
  const uint64_t most_;
  GpuRecords* records_;
  std::vector<std::string> names_{""};
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace syncline
