// SPDX-License-Identifier: Apache-2.0
// What one source told in one program's life, and what was found out from that.
#pragma once

#include <cstdint>
#include <vector>

#include "model/devices/captured_nodes.h"
#include "model/devices/device_clocks.h"
#include "model/devices/gpu_coverage.h"
#include "model/devices/source_facts.h"
#include "model/devices/source_record_reader.h"
#include "model/findings/findings.h"
#include "model/run/survey.h"

namespace syncline {

struct SourceRun {
  SourceRun(Source number_of_source, const SourceSurvey& survey)
      : source(number_of_source),
        calls(survey.calls),
        devices(survey.devices),
        facts(FactsOfSource(source)) {}

  const Source source;
  const CallSurvey& calls;      // in the run's Survey, as are
  const DeviceSurvey& devices;  // these
  const SourceFacts& facts;
  // Among all SourceRuns of the rank: tells their streams and correlations apart. The first one of
  // each run has the run's index.
  uint32_t number = 0;
  uint32_t order = 0;                       // among those of its run
  const CapturedNodes* captured = nullptr;  // of graphs; in the run
  DeviceClocks clocks;
  std::vector<CoveragePeriod> coverage;
  Findings findings;
  // From the first reading; null after ProgramRun::FreeRecords.
  SourceRecordReader* records = nullptr;
};

}  // namespace syncline
