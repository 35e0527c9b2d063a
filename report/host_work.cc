// SPDX-License-Identifier: Apache-2.0
// By function, and a sentence of those that matter.
#include "report/host_work.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewHostWork = 10, kMostTold = 3;
constexpr double kLeastTold = 0.05, kLeastIdle = 0.02;
constexpr uint64_t kLeastSamples = 20;  // fewer say nothing of shares

std::string FunctionOf(const std::string& where) {
  const std::string function = WithoutLine(where);
  return function.empty() ? where : function;
}

// By function; of a lock, by the function that held it.
using Group = std::tuple<std::string, HostActivity, std::string, std::string>;

Group GroupOf(const HostWorkKey& key) {
  const bool is_gil = key.activity == HostActivity::kGil;
  return {FunctionOf(key.where), key.activity, is_gil ? FunctionOf(key.what) : key.what,
          key.program};
}

struct Gathered {
  uint64_t samples = 0;
  std::map<std::string, uint64_t> lines, holders;
};

std::string Most(const std::map<std::string, uint64_t>& lines) {
  const auto most = std::max_element(
      lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == lines.end() ? "" : most->first;
}

// How much of the devices' time they had nothing to do because the host was busy.
struct IdleTime {
  uint64_t idle_ns = 0;
  uint64_t all_ns = 0;
  bool is_of_steps = false;
};

IdleTime IdleOf(const RunFindings& findings) {
  IdleTime time;
  for (const auto& [name, part] : findings.ranks) {
    const auto most = std::max_element(
        part.steps.begin(), part.steps.end(),
        [](const StepSeries& a, const StepSeries& b) { return a.steps.size() < b.steps.size(); });
    const bool has_steps = most != part.steps.end() && most->shares.Sum() != 0;
    const TimeShares& shares = has_steps ? most->shares : part.shares;
    time.is_of_steps = time.is_of_steps || has_steps;
    time.all_ns += shares.Sum();
    for (const TimeKind kind :
         {TimeKind::kMakingData, TimeKind::kHostBusy, TimeKind::kAwaitingOthers})
      time.idle_ns += shares[kind];
  }
  return time;
}

std::string PlaceOf(const std::string& line) { return line.empty() ? "(no Python)" : line; }

// What is told of a row in a sentence: threads that run and those that could are one, and who holds
// a lock is one, wherever it is waited for.
struct ToldRow {
  ReportHostWork row;
  double without_processor = 0;  // of row.share
};

bool AreOne(const ReportHostWork& a, const ReportHostWork& b) {
  const auto runs = [](const ReportHostWork& row) {
    return row.activity == HostActivity::kRunning || row.activity == HostActivity::kNoProcessor;
  };
  if (a.program != b.program) return false;
  if (a.activity == HostActivity::kGil)
    return b.activity == a.activity && FunctionOf(a.what) == FunctionOf(b.what);
  return a.function == b.function && runs(a) && runs(b);
}

std::vector<ToldRow> ToldRows(const Report& report) {
  std::vector<ToldRow> told;
  for (const ReportHostWork& row : report.host_work) {
    auto at = std::find_if(told.begin(), told.end(),
                           [&](const ToldRow& each) { return AreOne(each.row, row); });
    if (at == told.end()) {
      at = told.insert(told.end(), ToldRow{row});
    } else {
      at->row.share += row.share;
    }
    if (row.activity == HostActivity::kNoProcessor) at->without_processor += row.share;
  }
  StableSort(&told, [](const ToldRow& a, const ToldRow& b) { return a.row.share > b.row.share; });
  return told;
}

std::string TextOf(const ToldRow& told) {
  const ReportHostWork& row = told.row;
  std::string share = ShareText(row.share);
  if (told.without_processor >= kLeastTold)
    share += Text("; ", ShareText(told.without_processor), " without a processor");
  if (row.activity == HostActivity::kGil)
    return Text("waiting for the GIL held by ", row.what.empty() ? "another thread" : row.what,
                " (", share, ")");
  const bool is_blocked = row.activity == HostActivity::kBlocked;
  return Text(PlaceOf(row.line), is_blocked ? " blocked in " + row.what : "", " (", share, ")");
}

std::string SentenceOf(const Report& report, const IdleTime& time) {
  const double idle =
      time.all_ns == 0 ? 0 : static_cast<double>(time.idle_ns) / static_cast<double>(time.all_ns);
  if (idle < kLeastIdle) return "";
  std::string text;
  size_t told = 0;
  for (const ToldRow& row : ToldRows(report)) {
    if (row.row.share < kLeastTold || told++ == kMostTold) break;
    text += Text(text.empty() ? "" : ", ", TextOf(row));
  }
  if (text.empty()) return "";
  return Text("The GPU has nothing to do for ", ShareText(idle), " of ",
              time.is_of_steps ? "a step" : "the time", " because of what the host does: ", text,
              ".");
}

constexpr Column kHostWork[] = {{"", "where", ValueKind::kCode, kShort | kPage},
                                {"share_percent", "share", ValueKind::kShare, kEverywhere,
                                 "Of the time in which the host was busy"},
                                {"idle_ms", "GPU idle", ValueKind::kDuration, kEverywhere},
                                {"activity", "the thread", ValueKind::kText, kEverywhere},
                                {"what", "in, or held by", ValueKind::kCode, kEverywhere},
                                {"samples", "samples", ValueKind::kCount, kEverywhere},
                                {"function", "", ValueKind::kCode, kFile},
                                {"line", "", ValueKind::kCode, kFile},
                                {"program", "", ValueKind::kCode, kFile}};

std::vector<Value> CellsOf(const ReportHostWork& row) {
  return {Text(PlaceOf(row.line), OfProgram(row.program)),
          row.share,
          row.idle_ns,
          std::string(HostActivityName(row.activity)),
          row.what,
          row.samples,
          row.function,
          row.line,
          row.program};
}

}  // namespace

void AddHostWork(const RunFindings& findings, Report* report) {
  std::map<Group, Gathered> groups;
  uint64_t samples = 0;
  for (const auto& [key, sums] : findings.host_work) {
    Gathered& group = groups[GroupOf(key)];
    group.samples += sums.samples;
    group.lines[key.where] += sums.samples;
    group.holders[key.what] += sums.samples;
    samples += sums.samples;
  }
  if (samples < kLeastSamples) return;
  const IdleTime time = IdleOf(findings);
  for (const auto& [group, gathered] : groups) {
    const auto& [function, activity, what, program] = group;
    ReportHostWork row;
    row.function = function;
    row.line = Most(gathered.lines);
    row.activity = activity;
    row.what = Most(gathered.holders);
    row.program = program;
    row.samples = gathered.samples;
    row.share = static_cast<double>(gathered.samples) / static_cast<double>(samples);
    row.idle_ns = static_cast<uint64_t>(row.share * static_cast<double>(time.idle_ns));
    report->host_work.push_back(std::move(row));
  }
  StableSort(&report->host_work, [](const ReportHostWork& a, const ReportHostWork& b) {
    return a.samples > b.samples;
  });
  report->host_work_text = SentenceOf(*report, time);
}

Section HostWorkSection(const Report& report, const RowChoice& choice) {
  Section section{"host_work", "What the host did while GPUs had nothing to do", kHostWork, {}};
  FillRows(
      report.host_work, Wished(report, choice), kFewHostWork,
      [](const ReportHostWork& row) { return row.samples; },
      [](const ReportHostWork& row) { return CellsOf(row); }, &section);
  return section;
}

}  // namespace syncline
