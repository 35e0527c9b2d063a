// SPDX-License-Identifier: Apache-2.0
// Written when all is known.
#include "writers/findings/findings_sink.h"

#include "writers/findings/findings_file.h"

namespace syncline {

Status FindingsSink::Finish(RankManifest* /*manifest*/, const RunFindings& findings) {
  return WriteFindings(path_, findings);
}

}  // namespace syncline
