// SPDX-License-Identifier: Apache-2.0
// Any text as findings: it is refused with a message, or read, joined and written again.
#include "writers/findings/findings_file.h"

#include "model/testing/fuzz.h"

namespace syncline::testing {

std::vector<std::string> FuzzSeeds() {
  RunFindings findings;
  RankPart& part = findings.ranks["rank-1"];
  part.losses["ring_full"] = 5;
  part.steps.push_back({1, "step #", {{1, 2, 3}}, {{4, 5}}, {{1, {{6}}}}});
  part.shares[TimeKind::kCopying] = 7;
  DeviceUse& use = part.devices.emplace_back();
  use.gaps_ns[1] = 3;
  use.launch_delay.Add(7);
  part.replay = {9, 8, 7, 6};
  part.recording_costs = {{1, 2, 3, 4, 5, 6, true}};
  part.coverage.emplace_back();
  part.collectives.sizes[7] = 2;
  part.collectives.done.emplace_back();
  findings.ranges[{"nvtx", "", "a"}].Add(5);
  findings.compilations[{"torch", CompileKind::kAgain, "a.py:1 f()", "size"}].Add(7);
  findings.compiled[{"torch", CompiledKind::kKernel, "k", "aten.b", "a.py:4 f()"}].Add("0/1");
  findings.modules[{"torch", "modules", "m"}] = {1, {2, 3, 4, 5}, {}, {6, 7, 8, 9}, "M"};
  findings.operators[{"torch", "aten", "o"}] = {1, {2, 3, 4, 5, 6}, {6, 7, 8, 9, 1}};
  findings.operator_shapes[{{"torch", "aten", "o"}, "[[2]]"}].computed = {
      {0, 1, 3}, {0, 4, 2}, 5, 1e18, 7, false};
  part.flops = {1, 0, 5e20};
  part.steps[0].work = {{0, 1}, 3e21, 2, 13};
  findings.copies[{"cuda", "b"}].durations.Add(5);
  findings.waits[{"cuda", WaitClass::kEvent, "c", "d", "a.py:1 f()"}].blocked.Add(6);
  findings.gaps[{"cuda", GapCause::kCopy, "", "", {"", ""}}].Add(6);
  findings.stages[{"nvtx", "", "a"}] = {1, 2, 3, 4, 5, 6};
  findings.starved[{"cuda", "k"}] = {1, 2};
  findings.host_work[{"a.py:1 f()", HostActivity::kBlocked, "read", ""}] = {4};
  findings.prices[{"cuda", Change::kCopies, WaitClass::kEvent, "c", "r", "w", "b"}] = {
      2, 3, 2, 1, 1, 1, 4096, 0, 0, 0, 3, {4, 5}, {{"rank-1", {4, 5}}}};
  findings.AddLongWaits({{}});
  return {FindingsText(findings)};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using syncline::testing::Require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  syncline::RunFindings findings;
  const syncline::Status status = syncline::ParseFindings(text, "the file", &findings);
  Require(status.ok() || status.message().find("the file") != std::string::npos,
          "the message names the file");
  if (!status.ok()) return 0;
  syncline::RunFindings again;
  Require(syncline::ParseFindings(syncline::FindingsText(findings), "again", &again).ok(),
          "what was read can be written and read");
  Require(syncline::FindingsText(findings) == syncline::FindingsText(again), "and is the same");
  return 0;
}
