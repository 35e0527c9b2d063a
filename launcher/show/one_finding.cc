// SPDX-License-Identifier: Apache-2.0
// A sentence: what was seen, what a change would bring, and on what that depends.
#include "launcher/show/one_finding.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/advice.h"
#include "report/memory_sections.h"
#include "report/ranked_changes.h"
#include "report/report_endings.h"
#include "report/report_ranks.h"
#include "report/told_findings.h"
#include "report/words.h"

namespace syncline {
namespace {

std::string Times(uint64_t count) { return count == 1 ? "once" : Text(CountText(count), " times"); }

std::string Within(const std::string& range) {
  return range.empty() ? "" : Text(" within `", PrintableText(range), "`");
}

uint64_t RankCount(const RunFindings& findings) {
  const auto count = std::count_if(findings.ranks.begin(), findings.ranks.end(),
                                   [](const auto& rank) { return rank.second.rank >= 0; });
  return static_cast<uint64_t>(std::max<ptrdiff_t>(count, 1));
}

const char* AwaitedText(const ReportFinding& wait) {
  if (wait.wait_class == WaitClassName(WaitClass::kPeer)) return " for another process ";
  if (wait.wait_class == WaitClassName(WaitClass::kFile)) return " for a file ";
  return " for the GPU ";
}

std::string WaitText(const RunFindings& findings, const ReportFinding& answer) {
  const uint64_t ranks = RankCount(findings);
  const std::string who =
      ranks == 1 ? "waited " : Text(CountText(ranks), " ranks together waited ");
  const std::string call = answer.call.empty() ? "a call" : PrintableText(answer.call);
  const std::string place =
      answer.line.empty()
          ? Text("in ", call, Within(answer.stage), " (", Times(answer.count), ")")
          : Text("at ", PrintableText(answer.line), " (", Times(answer.count), ", in ", call, ")");
  return Text(who, DurationText(answer.blocked_ns), AwaitedText(answer), place);
}

std::string PlacesOf(const ReportFinding& answer) {
  return PrintableText(
      PlacesText(LinesBetween{answer.before, answer.line, answer.below, answer.span}));
}

std::string HostWorkText(const RunFindings& findings, const ReportFinding& answer) {
  const bool one = RankCount(findings) == 1;
  const std::string lines = PlacesOf(answer);
  return Text(one ? "the GPU computed nothing for " : "the GPUs computed nothing for ",
              DurationText(answer.blocked_ns), one ? " " : " in all ",
              "because the host did something else before it submitted the next work",
              lines.empty() ? "" : ", " + lines, Within(answer.stage), " (", Times(answer.count),
              ")");
}

std::string SeenText(const RunFindings& findings, const RankMeetings& meetings,
                     const ReportFinding& answer) {
  if (!answer.wait_class.empty()) return WaitText(findings, answer);
  if (IsHostWork(answer)) return HostWorkText(findings, answer);
  if (Is(answer, ProblemKind::kLateRank)) {
    const std::string lines = PlacesOf(answer);
    return LateRankText(meetings, answer) + (lines.empty() ? "" : ", " + lines);
  }
  if (Is(answer, ProblemKind::kSlowRank)) return PrintableText(answer.problem);
  const bool of_rank = answer.where == answer.rank;
  return Text(answer.problem, of_rank || !answer.line.empty()
                                  ? Text(of_rank ? ": " : " at ", PrintableText(answer.where))
                                  : Within(answer.stage));
}

// Whether that was the rank's end, by a signal that nobody sends to stop a job.
bool IsKill(const RankPart& rank, const ProcessEnding& end) {
  constexpr uint64_t kMoment = 100'000'000;
  const bool is_stop =
      end.how.ends_with("(INT)") || end.how.ends_with("(TERM)") || end.how.ends_with("(HUP)");
  return rank.rank >= 0 && end.how.starts_with("killed by signal") && !is_stop &&
         end.at_ns + kMoment >= rank.end_ns;
}

// The first rank of several that was killed: what the others did then is its consequence.
std::string KilledText(const RunFindings& findings) {
  if (RankCount(findings) < 2) return "";
  Report report;
  AddEndings(findings, &report);
  for (const ReportEnding& ending : report.endings) {
    if (IsKill(findings.ranks.at(ending.rank), ending.end)) return EndingText(ending);
  }
  return "";
}

// What memory says first: what was slow, and even an ending, may be its consequence.
std::string MemoryText(const RunFindings& findings) {
  Report report;
  AddRanks(findings, {}, &report);
  AddAllocators(findings, &report);
  const std::vector<std::string> texts = MemoryTexts(report);
  return texts.empty() ? "" : texts.front();
}

}  // namespace

std::string OneFinding(const RunFindings& findings, const RankMeetings& meetings) {
  std::string memory = MemoryText(findings);
  if (!memory.empty()) return memory;
  std::string killed = KilledText(findings);
  if (!killed.empty()) return killed;
  const std::vector<ReportFinding> answers = FindAnswers(findings, meetings);
  if (answers.empty() || !IsWorthChanging(answers[0])) return "";
  const std::string seen = SeenText(findings, meetings, answers[0]);
  if (!answers[0].priced) return seen;
  return Text(seen, "; that is worth ", DurationText(answers[0].gain_ns), " (",
              ShareText(answers[0].gain_percent / 100), ") ", answers[0].assumption);
}

uint64_t RunLengthNs(const RunFindings& findings) {
  uint64_t begin = UINT64_MAX, end = 0;
  for (const auto& [name, part] : findings.ranks) {
    if (!part.complete) continue;
    begin = std::min(begin, part.begin_ns);
    end = std::max(end, part.end_ns);
  }
  return end > begin ? end - begin : 0;
}

std::string LateRankText(const RankMeetings& meetings, const ReportFinding& late) {
  const auto facts =
      std::find_if(meetings.ranks.begin(), meetings.ranks.end(),
                   [&late](const auto& rank) { return Text("rank ", rank.first) == late.rank; });
  if (facts == meetings.ranks.end()) return "";
  const uint64_t met = facts->second.met;
  std::string text = Text(late.rank, " came last to ", CountText(facts->second.came_last), " of ",
                          CountText(met), met == 1 ? " collective" : " collectives",
                          "; the others waited ", DurationText(late.blocked_ns), " for it");
  if (meetings.clock_error_ns != 0) {
    text += Text(" (clocks of several machines, compared by the collectives to within ",
                 DurationText(meetings.clock_error_ns), ")");
  }
  return text;
}

}  // namespace syncline
