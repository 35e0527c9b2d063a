// SPDX-License-Identifier: Apache-2.0
// First reading of a spool, what one source told of its calls.
#pragma once

#include <cstdint>
#include <memory>

#include "inject/core/record.h"
#include "model/devices/correlation_set.h"

namespace syncline {

// Memory: two bits a correlation.
class CallSurvey {
 public:
  explicit CallSurvey(const std::shared_ptr<SurveyRoom>& room = std::make_shared<SurveyRoom>())
      : outermost(room), gave_work(room) {}

  void OnCall(const CallRecord& call) {
    ++count;
    if ((call.head.flags & kInnerCall) == 0) outermost.Add(call.correlation);
    if (GaveWork(call)) gave_work.Add(call.correlation);
  }

  uint64_t count = 0;
  CorrelationSet outermost;
  CorrelationSet gave_work;  // to a device
};

}  // namespace syncline
