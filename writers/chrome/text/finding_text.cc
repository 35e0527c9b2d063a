// SPDX-License-Identifier: Apache-2.0
// One function for each text.
#include "writers/chrome/text/finding_text.h"

#include <cstdio>
#include <utility>

#include "model/devices/operation_name.h"
#include "symbols/demangle.h"
#include "writers/chrome/text/json.h"
#include "writers/chrome/text/json_object.h"

namespace syncline {
namespace {

// HTA stores event indices in the integer type that the largest correlation needs.
constexpr uint64_t kFirstTraceCorrelation = 65536;
constexpr uint64_t kCorrelationsPerSource = uint64_t{1} << 32;

std::string Micros(uint64_t ns) {
  char text[kMaxNumberChars];
  return {text, PutMicros(text, ns)};
}

std::string Members(JsonObject* object) {
  const std::string text = object->Take();
  return text.substr(1, text.size() - 2);
}

std::string TextAt(const std::vector<std::string>& texts, size_t index) {
  return index < texts.size() ? texts[index] : "";
}

std::string NameOf(const OpLabel& label) {
  return label.kernel.empty() ? OperationName(label) : DemangledName(label.kernel);
}

}  // namespace

FindingText::FindingText(const Findings& findings, uint32_t number,
                         std::map<uint32_t, uint32_t> moved)
    : findings_(findings),
      number_(number),
      moved_(std::move(moved)),
      op_names_(findings.op_labels.size()) {
  for (const AwaitedOp& op : findings.ops) {
    std::string& name = op_names_[op.label];
    if (name.empty() && op.label != 0) name = NameOf(findings.op_labels[op.label]);
  }
}

std::string FindingText::OpName(uint32_t op) const {
  return op == kNoOp ? "" : op_names_[findings_.ops[op].label];
}

std::string FindingText::WhatHappened(const Wait& wait) const {
  if (wait.open) return "did not return";
  if (wait.wait_class == WaitClass::kPeer) return "another process";
  if (wait.wait_class == WaitClass::kFile) return "a file";
  if (wait.lost) return "what it waited for is not known";
  if (wait.op != kNoOp) return OpName(wait.op);
  return wait.waited_for == 0 ? "nothing was pending" : "a host function";
}

// What records of devices tell of it.
void FindingText::AddAwaited(const Wait& wait, JsonObject* object) const {
  const bool known = wait.waited_for != 0;
  object->Raw("waited_for",
              known ? std::to_string(TraceCorrelation(number_, wait.waited_for)) : "null");
  if (wait.op != kNoOp) object->Text("waited_for_name", OpName(wait.op));
  const bool unknown = wait.lost || wait.open;
  object->Raw("already_done", unknown ? "null" : wait.already_done ? "true" : "false");
  if (wait.gpu_idle_after_ns != kNothingFollows)
    object->Raw("gpu_idle_after_us", Micros(wait.gpu_idle_after_ns));
  if (wait.count > 1) object->Uint("count", wait.count);
}

std::string FindingText::CallArguments(const Wait& wait) const {
  JsonObject object;
  object.Text("class", WaitClassName(wait.wait_class));
  object.Raw("blocked_us", Micros(wait.end_ns - wait.begin_ns));
  if (!IsOutside(wait.wait_class)) AddAwaited(wait, &object);
  if (wait.open) object.Raw("unfinished", "true");
  return Members(&object);
}

std::string FindingText::WaitName(size_t wait) const {
  return CallName(findings_.waits[wait]) + ": " + WhatHappened(findings_.waits[wait]);
}

std::string FindingText::WaitArguments(size_t wait) const {
  JsonObject more;
  more.Text("call", CallName(findings_.waits[wait]));
  const std::string ranges = TextAt(findings_.wait_ranges, wait);
  if (!ranges.empty()) more.Text("ranges", ranges);
  const std::string where = TextAt(findings_.wait_where, wait);
  if (!where.empty()) more.Text("where", where);
  return CallArguments(findings_.waits[wait]) + ", " + Members(&more);
}

std::string FindingText::GapName(size_t gap) const {
  const Gap& found = findings_.gaps[gap];
  if (found.cause == GapCause::kOtherDevice && found.awaited != kNoOp)
    return std::string(GapCauseName(found.cause)) + ": " + OpName(found.awaited);
  if (found.cause == GapCause::kHostFunction && found.function != kNoFunction)
    return "host function: " +
           TextAt(findings_.call_names, findings_.host_functions[found.function].name);
  if (found.cause != GapCause::kHostWaited || found.wait == kNoWait)
    return GapCauseName(found.cause);
  return "host waited: " + CallName(findings_.waits[found.wait]);
}

// How long what; empty: one cause was all of it.
std::string PartsOf(const Gap& gap) {
  JsonObject parts;
  for (size_t cause = 0; cause < kGapCauses; ++cause) {
    if (gap.parts_ns[cause] == gap.end_ns - gap.begin_ns) return "";
    if (gap.parts_ns[cause] != 0)
      parts.Raw(GapCauseName(static_cast<GapCause>(cause)), Micros(gap.parts_ns[cause]));
  }
  return parts.Take();
}

// All ranges that were open where the thread that submitted next was busy. They stand in an
// argument: HTA takes each slice whose name contains a range's for that range.
std::string FindingText::GapArguments(size_t gap) const {
  const Gap& found = findings_.gaps[gap];
  JsonObject object;
  object.Text("cause", GapCauseName(found.cause));
  const std::string parts = PartsOf(found);
  if (!parts.empty()) object.Raw("parts_us", parts);
  if (found.tid != 0) object.Uint("tid", found.tid);
  if (found.cause == GapCause::kHostWaited && found.wait != kNoWait) {
    const Wait& wait = findings_.waits[found.wait];
    object.Text("call", CallName(wait));
    object.Text("class", WaitClassName(wait.wait_class));
    const std::string where = TextAt(findings_.wait_where, found.wait);
    if (!where.empty()) object.Text("where", where);
  }
  if (found.function != kNoFunction) {
    const HostFunction& function = findings_.host_functions[found.function];
    object.Raw("host_function", std::to_string(TraceCorrelation(number_, function.correlation)));
    const std::string where = TextAt(findings_.function_where, found.function);
    if (!where.empty()) object.Text("submitted_at", where);
  }
  if (found.awaited != kNoOp) {
    const AwaitedOp& op = findings_.ops[found.awaited];
    object.Raw("waited_for", std::to_string(TraceCorrelation(number_, op.correlation)));
    const auto number = moved_.find(op.stream.device);
    object.Text("waited_for_name", OpName(found.awaited))
        .Uint("of_device", number == moved_.end() ? op.stream.device : number->second);
  }
  const std::string ranges = TextAt(findings_.gap_ranges, gap);
  if (!ranges.empty()) object.Text("ranges", ranges);
  if (gap < findings_.gap_lines.size()) {
    const LinesBetween& lines = findings_.gap_lines[gap];
    if (!lines.before.empty()) object.Text("before", lines.before);
    if (!lines.next.empty()) object.Text("next", lines.next);
    if (!lines.below.empty()) object.Text("below", lines.below);
    if (!lines.statement.empty()) object.Text("statement", lines.statement);
  }
  return Members(&object);
}

std::string CollectiveArguments(const CollectiveFinding& finding) {
  char communicator[24];
  std::snprintf(communicator, sizeof(communicator), "0x%016llx",
                static_cast<unsigned long long>(finding.communicator));
  JsonObject object;
  object.Text("communicator", communicator).Uint("collective", finding.sequence);
  object.Raw("last_rank", finding.last_rank < 0 ? "null" : std::to_string(finding.last_rank));
  object.Raw("waited_us", Micros(finding.waited_ns));
  return Members(&object);
}

// A full queue waits for an operation to begin.
bool EndsWithOp(const Wait& wait) {
  return wait.op != kNoOp && !wait.already_done && wait.wait_class != WaitClass::kQueueFull &&
         wait.wait_class != WaitClass::kGraph;
}

uint64_t TraceCorrelation(uint32_t number, uint32_t correlation) {
  return kFirstTraceCorrelation + correlation + number * kCorrelationsPerSource;
}

}  // namespace syncline
