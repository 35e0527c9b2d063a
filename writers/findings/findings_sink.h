// SPDX-License-Identifier: Apache-2.0
// The file of a rank's findings.
#pragma once

#include <string>
#include <utility>

#include "writers/files/rank_sink.h"

namespace syncline {

class FindingsSink : public RankSink {
 public:
  explicit FindingsSink(std::string path) : path_(std::move(path)) {}

  Status Finish(RankManifest* manifest, const RunFindings& findings) override;

 private:
  const std::string path_;
};

}  // namespace syncline
