// SPDX-License-Identifier: Apache-2.0
// What copies and memsets wait for: by the rows of the source.
#include "analysis/waits/wait_finder.h"

namespace syncline {

// For a batch of copies, the one that waits longest counts.
CopyRule WaitFinder::CopyRuleOf(const Call& at) {
  const bool async = (at.call.role & kCallIsAsync) != 0;
  std::optional<CopyRule>& known = copy_rules_[async ? 1 : 0];
  if (known) return *known;
  CopyRule rule;
  for (const GpuOp& op : at.ops) {
    const CopyRule own = RuleOfCopy(op, async ? rules_.async_copies : rules_.copies);
    if (own.wait > rule.wait) rule = own;
  }
  known = rule;
  return rule;
}

void WaitFinder::Copy(const Call& at, WaitClass wait_class) {
  if (at.ops.empty()) {  // nothing was copied, or from host to host, or a node was made
    const uint32_t tail = submitted_.TailEndingIn(ContextOf(at), at.call.begin_ns, at.call.end_ns);
    Measure(at, wait_class, tail, Proof::kException);
    return;
  }
  const CopyRule rule = CopyRuleOf(at);
  const GpuOp& op = at.ops[0];
  switch (rule.wait) {
    case CopyWait::kNothing:
      return;
    case CopyWait::kTail:
      return Certain(at, rule.wait_class, submitted_.Tail(op.context, op.stream));
    case CopyWait::kItself:
      return Certain(at, rule.wait_class, at.latest_op);
    case CopyWait::kMeasure:
      Measure(at, rule.wait_class, at.latest_op, Proof::kPending);
      return;
  }
}

void WaitFinder::Set(const Call& at) {
  if (at.ops.empty()) return;
  const CopyRule rule = RuleOfSet(at.ops[0], rules_.sets);
  if (rule.wait == CopyWait::kItself) Certain(at, rule.wait_class, at.latest_op);
}

}  // namespace syncline
