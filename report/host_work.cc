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

// How long devices had nothing to do because the host was busy, and of how much time.
std::pair<uint64_t, uint64_t> IdleOf(const RunFindings& findings) {
  uint64_t idle_ns = 0, seen_ns = 0;
  for (const auto& [key, sums] : findings.gaps) {
    if (key.cause == GapCause::kHostBusy) idle_ns += sums.total_ns;
  }
  for (const auto& [name, part] : findings.ranks) {
    for (const DeviceUse& use : part.devices) seen_ns += use.SeenNs();
  }
  return {idle_ns, seen_ns};
}

std::string PlaceOf(const std::string& line) { return line.empty() ? "(no Python)" : line; }

std::string ToldOf(const ReportHostWork& row) {
  const std::string share = Text(" (", ShareText(row.share), ")");
  const std::string at = PlaceOf(row.line);
  switch (row.activity) {
    case HostActivity::kRunning:
    case HostActivity::kUnknown:
      return at + share;
    case HostActivity::kNoProcessor:
      return Text(at, " without a processor", share);
    case HostActivity::kBlocked:
      return Text(at, " blocked in ", row.what, share);
    case HostActivity::kGil:
      return Text("waiting for the GIL held by ", row.what.empty() ? "another thread" : row.what,
                  share);
  }
  return "";
}

// Who holds a lock is told once, wherever it is waited for.
std::vector<ReportHostWork> ToldRows(const Report& report) {
  std::vector<ReportHostWork> rows;
  for (const ReportHostWork& row : report.host_work) {
    const auto before = std::find_if(rows.begin(), rows.end(), [&](const ReportHostWork& each) {
      return row.activity == HostActivity::kGil && each.activity == row.activity &&
             each.what == row.what && each.program == row.program;
    });
    if (before == rows.end()) {
      rows.push_back(row);
    } else {
      before->share += row.share;
    }
  }
  StableSort(&rows,
             [](const ReportHostWork& a, const ReportHostWork& b) { return a.share > b.share; });
  return rows;
}

std::string SentenceOf(const Report& report, uint64_t idle_ns, uint64_t seen_ns) {
  const double idle =
      seen_ns == 0 ? 0 : static_cast<double>(idle_ns) / static_cast<double>(seen_ns);
  if (idle < kLeastIdle) return "";
  std::string text;
  size_t told = 0;
  for (const ReportHostWork& row : ToldRows(report)) {
    if (row.share < kLeastTold || told++ == kMostTold) break;
    text += Text(text.empty() ? "" : ", ", ToldOf(row));
  }
  if (text.empty()) return "";
  return Text("The GPU has nothing to do for ", ShareText(std::min(idle, 1.0)),
              " of the time because of what the host does: ", text, ".");
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
  const auto [idle_ns, seen_ns] = IdleOf(findings);
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
    row.idle_ns = static_cast<uint64_t>(row.share * static_cast<double>(idle_ns));
    report->host_work.push_back(std::move(row));
  }
  StableSort(&report->host_work, [](const ReportHostWork& a, const ReportHostWork& b) {
    return a.samples > b.samples;
  });
  report->host_work_text = SentenceOf(*report, idle_ns, seen_ns);
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
