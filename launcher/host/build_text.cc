// SPDX-License-Identifier: Apache-2.0
// The only file that each commit compiles anew.
#include "launcher/host/build_text.h"

#include "inject/core/segment.h"
#include "inject/core/version.h"
#include "launcher/host/commit.h"
#include "launcher/host/shell_text.h"

namespace syncline {

std::string BuildText() {
  return Text("syncline ", kVersion, " (commit ", kCommit, ", layout ", kLayoutVersion, ")");
}

const char* BuildCommit() { return kCommit; }

}  // namespace syncline
