// SPDX-License-Identifier: Apache-2.0
// Which slices of a trace are asked for: the options --min-duration and --kernels.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "inject/core/record.h"
#include "model/devices/by_source.h"
#include "model/devices/device_survey.h"
#include "model/spool/record_sink.h"

namespace syncline {

struct EventFilter {
  uint64_t min_duration_ns = 0;  // of ranges, calls and operations of GPUs
  std::string kernels;  // patterns that commas separate, for demangled names; empty: all kernels

  bool all() const { return min_duration_ns == 0 && kernels.empty(); }
  bool Lasts(uint64_t begin, uint64_t end) const { return end - begin >= min_duration_ns; }
};

// Chooses among operations. One spool, one reading, one thread.
class OpChooser {
 public:
  explicit OpChooser(EventFilter shown) : shown_(std::move(shown)) {}
  bool Shows(Stream& stream, const DeviceOpRecord& op);

 private:
  bool FitsName(Stream& stream, uint32_t id);

  EventFilter shown_;
  std::unordered_map<uint64_t, bool> fits_;  // by the stream's serial and the name's id
};

// First reading: correlations of which an operation is shown. Their calls are shown too, however
// short, so that each operation keeps the call that launched it.
class FilteredOps : public RecordSink {
 public:
  explicit FilteredOps(EventFilter shown) : chooser_(std::move(shown)) {}

  unsigned Interests() const override { return kDevices; }
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails*) override {
    if (chooser_.Shows(stream, op)) Of(op.source).Add(op.correlation);
  }
  bool Has(Source source, uint32_t correlation) const {
    const CorrelationSet* set = of_.Find(source);
    return set != nullptr && set->Has(correlation);
  }

 private:
  CorrelationSet& Of(Source source) {
    CorrelationSet* set = of_.Find(source);
    return set != nullptr ? *set : of_.Make(source, room_);
  }

  OpChooser chooser_;
  std::shared_ptr<SurveyRoom> room_ = std::make_shared<SurveyRoom>();
  BySource<CorrelationSet> of_;
};

}  // namespace syncline
