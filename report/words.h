// SPDX-License-Identifier: Apache-2.0
// How a report writes its values for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace syncline {

inline constexpr char kSimulated[] = "Simulated";
inline constexpr char kNoGpuWork[] = "no GPU work was recorded, so nothing can be priced";

const char* DevicesAre(const Report& report);  // "Simulated", "real"; "not known": none was seen

// "12 %", "3.4 %" below ten; "-" of nothing.
std::string ShareText(double share);
std::string ShareText(uint64_t part, uint64_t whole);

// Without what a rank's processes did after it, and without helpers that have no rank.
uint64_t WholeRanks(const Report& report);

// "4 ranks on 1 host, 12.3 s, 1,234,567 events".
std::string SummaryText(const Report& report);

// "limited recording: --steps 5:8"; "": it was recorded whole.
std::string LimitsText(const Report& report);

// The last part of the directory's path.
std::string RunName(const Report& report);

// How much earlier the job would end: "-24.4 ms" and "12 %"; "nothing". Without a price what it
// cost, and no share: "waited 24.4 ms". Of a rank that takes longer: "longer 24.4 ms" and "12 %".
struct GainWords {
  std::string gain;
  std::string share;
};
GainWords GainOf(const ReportFinding& finding);
// "-24.4 ms (12 %)".
std::string GainText(const ReportFinding& finding);

// Whether NothingText stands before the findings: none is worth a change; or none has a price for
// lack of a device's work, and none is a wait, which a source without devices has, too.
bool HasNothingText(const Report& report);
// Why there is no finding that is worth a change, or why none has a price.
std::string NothingText(const Report& report);
std::string Capitalised(std::string words);         // that begin with a small letter
std::string NothingSentence(const Report& report);  // begins with a capital, ends with a full stop

// "read_back" -> "read back".
std::string InWords(std::string kind);

// What is to be changed, with the line if the sentence lacks it.
std::string ProblemText(const ReportFinding& finding);

// Where it is, as the sentence says it: lines of the host's own work, else `where`.
std::string PlaceText(const ReportFinding& finding);

// The ways in which it waits, if they are several: "stream: cudaStreamSynchronize 20.0 ms, ...".
std::string PartsText(const ReportFinding& finding);

// What `syncline view DIR` is given to open the trace at the longest one: "--rank 3
// --at 1.234567s". Empty: it is not known where that is.
std::string ViewText(const Report& report, const ReportFinding& finding);
std::string ViewText(const Report& report, const std::string& trace, uint64_t begin_ns);

// "20 times", "rank 3", "77 of 85 GPU records are lost", "in `log`": as far as they are known.
std::vector<std::string> DetailsOf(const ReportFinding& finding);

// "read the value once per N steps, if it is not needed there".
std::string AdviceText(const ReportFinding& finding);

// "log", with its domain if it has one: "log (trainer)".
// Behind a name that several programs have: " of train"; else "".
std::string OfProgram(const std::string& program);
std::string StageName(const RangeKey& key);

// "rank 3", "ranks 0, 1 and 5", of many some.
std::string NamesOfRanks(const std::vector<int>& ranks);

// Without the parameters and the namespaces that say nothing.
std::string KernelName(std::string_view name);

// "rank-0, cuda 0 (77 of 85 GPU records are lost): Simulated GPU".
std::string DeviceName(const ReportDevice& device);
// " (53696d75)": what tells it from another device of the same number; empty: it is the only one.
std::string Apart(const ReportDevice& device);

// "rank 3 on node1".
std::string RankName(const ReportRank& rank);

// "matmul 45 %, attention 12 %": those that took time, costliest first. Empty: no kernel did.
std::string ClassesText(const Report& report);

// "from line 18 to a.py:13 f(), below it line 8 of g()", "from a.py:3 f() to b.py:9 g()", "on the
// way to a.py:9 g()" (in a loop, or the line before is not known), "within a.py:9 f()", "after
// a.py:3 f()"; empty: neither line is known.
std::string LinesText(const LinesBetween& lines);
std::string PlacesText(LinesBetween lines);  // without the statement
// Of a finding about the host's own work; else empty.
std::string LinesText(const ReportFinding& finding);

}  // namespace syncline
