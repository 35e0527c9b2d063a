// SPDX-License-Identifier: Apache-2.0
// All that is written of one source in one process.
#pragma once

#include <optional>

#include "writers/chrome/call_events.h"
#include "writers/chrome/call_flows.h"
#include "writers/chrome/device_events.h"
#include "writers/chrome/finding_events.h"
#include "writers/chrome/source_job.h"
#include "writers/chrome/wait_flows.h"

namespace syncline {

// One spool, second reading. Never moved: its parts know each other. One thread.
struct SourceEvents {
  explicit SourceEvents(const SourceJob& its_job)
      : job(its_job),
        text(job.source->findings, job.source->number, job.rows->numbers().Moved(*job.source)),
        flows(job),
        wait_flows(job.source->findings),
        calls(job, text, &flows),
        findings(job, text) {
    if (job.source->facts.has_devices) devices.emplace(job, &flows, &wait_flows);
  }
  SourceEvents(const SourceEvents&) = delete;
  SourceEvents& operator=(const SourceEvents&) = delete;

  const SourceJob job;
  const FindingText text;
  CallFlows flows;
  WaitFlows wait_flows;
  CallEvents calls;
  FindingEvents findings;
  std::optional<DeviceEvents> devices;  // empty: the source has none
};

}  // namespace syncline
