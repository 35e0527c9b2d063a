// SPDX-License-Identifier: Apache-2.0
// What one source told of devices in one program's life, and what was found out from that.
#pragma once

#include <cstdint>
#include <vector>

#include "model/devices/device_clocks.h"
#include "model/devices/gpu_coverage.h"
#include "model/devices/gpu_record_reader.h"
#include "model/devices/gpu_survey.h"
#include "model/devices/source_facts.h"
#include "model/findings/findings.h"

namespace syncline {

struct SourceRun {
  SourceRun(Source number_of_source, const GpuSurvey& its_survey)
      : source(number_of_source), survey(its_survey), facts(FactsOfSource(source)) {}

  const Source source;
  const GpuSurvey& survey;  // in the run's Survey
  const SourceFacts& facts;
  // Among all SourceRuns of the rank: tells their streams and correlations apart. The first one of
  // each run has the run's index.
  uint32_t number = 0;
  uint32_t order = 0;  // among those of its run
  DeviceClocks clocks;
  std::vector<CoveragePeriod> coverage;
  Findings findings;
  // From the first reading; null after ProgramRun::FreeRecords.
  GpuRecordReader* records = nullptr;
};

}  // namespace syncline
