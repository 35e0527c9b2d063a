// SPDX-License-Identifier: Apache-2.0
// Numbers the names of calls.
#include "model/devices/call_records.h"

namespace syncline {

uint16_t CallRecords::CallName(std::string_view name) {
  const auto found = call_ids_.find(name);
  if (found != call_ids_.end()) return found->second;
  if (call_names_.size() > UINT16_MAX) return 0;
  const auto id = static_cast<uint16_t>(call_names_.size());
  call_names_.emplace_back(name);
  call_ids_.emplace(name, id);
  return id;
}

}  // namespace syncline
