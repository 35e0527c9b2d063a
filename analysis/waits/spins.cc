// SPDX-License-Identifier: Apache-2.0
// One open run of queries a thread.
#include "analysis/waits/spins.h"

namespace syncline {

std::optional<Spin> Spins::Close(uint32_t tid) {
  const auto found = open_.find(tid);
  if (found == open_.end()) return std::nullopt;
  std::optional<Spin> spin;
  if (IsWait(found->second)) spin = found->second;
  open_.erase(found);
  return spin;
}

std::optional<Spin> Spins::OnOtherCall(const SourceCall& call) { return Close(call.tid); }

std::optional<Spin> Spins::OnQuery(const SourceCall& call, const QueriedObject& object) {
  const bool not_ready = call.result == not_ready_;
  if (!not_ready && call.result != 0) return Close(call.tid);
  std::optional<Spin> closed;
  auto found = open_.find(call.tid);
  if (found != open_.end() &&
      (found->second.wait.name != call.name || !(found->second.object == object))) {
    closed = Close(call.tid);
    found = open_.end();
  }
  if (found == open_.end()) {
    if (!not_ready) return closed;
    found = open_.try_emplace(call.tid).first;
    found->second.object = object;
    Wait& wait = found->second.wait;
    wait.begin_ns = call.begin_ns;
    wait.tid = call.tid;
    wait.name = call.name;
    wait.wait_class = WaitClass::kQuerySpin;
    wait.count = 0;
  }
  Spin& spin = found->second;
  spin.wait.end_ns = call.end_ns;
  spin.wait.correlation = call.correlation;
  spin.wait.count += call.queries;
  if (not_ready) spin.not_ready += call.queries;
  if (not_ready) return closed;
  spin.answered = true;
  return Close(call.tid);  // Ready: whatever is asked next, this wait is over.
}

}  // namespace syncline
