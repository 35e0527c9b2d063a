// SPDX-License-Identifier: Apache-2.0
// Names of what is found.
#include "model/findings/findings.h"

#include "model/findings/host_work.h"

namespace syncline {

const char* WaitClassName(WaitClass wait) {
  static constexpr const char* kNames[] = {
      "device",        "stream",     "event",      "legacy_stream", "sync_copy",
      "pageable_copy", "allocation", "query_spin", "queue_full",    "module_load",
      "graph",         "peer",       "file"};
  return kNames[static_cast<size_t>(wait)];
}

const char* GapCauseName(GapCause cause) {
  static constexpr const char* kNames[] = {"host waited", "host busy",    "launch latency",
                                           "copy",        "nothing left", "first use",
                                           "another GPU", "host function"};
  return kNames[static_cast<size_t>(cause)];
}

const char* HostSpanName(HostSpan span) {
  static constexpr const char* kNames[] = {"between",  "within", "data",
                                           "exchange", "tail",   "awaits"};
  return kNames[static_cast<size_t>(span)];
}

const char* HostActivityName(HostActivity activity) {
  static constexpr const char* kNames[] = {"running", "no processor", "blocked", "gil", "unknown"};
  return kNames[static_cast<size_t>(activity)];
}

}  // namespace syncline
