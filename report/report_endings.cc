// SPDX-License-Identifier: Apache-2.0
// Endings of all ranks in the order of time, those that may be good ones last; and in words.
#include "report/report_endings.h"

#include <algorithm>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/section_rows.h"

namespace syncline {
namespace {

constexpr size_t kMostTold = 3;
constexpr uint64_t kLongSilenceNs = 1'000'000'000;

constexpr Column kEndings[] = {{"problem", "", ValueKind::kText, kFile},
                               {"rank", "", ValueKind::kText, kFile},
                               {"pid", "", ValueKind::kPlain, kFile},
                               {"program", "", ValueKind::kText, kFile},
                               {"how", "", ValueKind::kText, kFile},
                               {"at_ns", "", ValueKind::kPlain, kFile},
                               {"ranges", "", ValueKind::kCode, kFile},
                               {"call", "", ValueKind::kCode, kFile},
                               {"where", "", ValueKind::kCode, kFile},
                               {"open_ms", "", ValueKind::kDuration, kFile},
                               {"silent_ms", "", ValueKind::kDuration, kFile},
                               {"other_threads", "", ValueKind::kCount, kFile}};

// What it did not come out of.
std::string OpenText(const ProcessEnding& end) {
  const std::string ranges = end.ranges.empty() ? "" : Text("`", end.ranges, "`");
  std::string text;
  if (!end.call.empty()) {
    text = Text(", in ", end.call, end.where.empty() ? "" : " at ", end.where,
                ", which had not returned for ", DurationText(end.open_ns),
                ranges.empty() ? "" : ", within ", ranges);
  } else if (!ranges.empty()) {
    text = Text(", in ", ranges, " for ", DurationText(end.open_ns));
  }
  if (end.other_threads != 0)
    text += Text(" (", Counted(end.other_threads, "other thread"), " had something open, too)");
  return text;
}

}  // namespace

void AddEndings(const RunFindings& findings, Report* report) {
  for (const auto& [name, part] : findings.ranks) {
    for (const ProcessEnding& ending : part.endings) report->endings.push_back({name, ending});
  }
  const auto order = [](const ReportEnding& ending) {
    return std::pair(ending.end.how == kUnknownEnding, ending.end.at_ns);
  };
  StableSort(&report->endings, [&order](const ReportEnding& a, const ReportEnding& b) {
    return order(a) < order(b);
  });
}

std::string EndingText(const ReportEnding& ending) {
  const ProcessEnding& end = ending.end;
  // That nothing came since the innermost range began is said by that range.
  const bool silent = end.silent_ns >= kLongSilenceNs &&
                      (end.open_ns == 0 || end.silent_ns < end.open_ns - end.open_ns / 10);
  return PrintableText(
      Text(ending.rank, ": ", end.program, " (", end.pid,
           end.how.starts_with("killed") ? ") was " : ") ", end.how, OpenText(end),
           silent ? Text("; it recorded nothing in its last ", DurationText(end.silent_ns)) : ""));
}

std::vector<std::string> EndingTexts(const Report& report) {
  std::vector<std::string> texts;
  const size_t count = report.endings.size();
  const size_t told = count <= kMostTold + 1 ? count : kMostTold;
  for (size_t i = 0; i < told; ++i) texts.push_back(EndingText(report.endings[i]));
  if (told < count)
    texts.push_back(Text("after these, ", CountText(count - told), " more processes ended early"));
  return texts;
}

Section EndingsSection(const Report& report) {
  Section section{"endings", "Endings", kEndings, {}};
  for (const ReportEnding& ending : report.endings) {
    const ProcessEnding& end = ending.end;
    section.rows.push_back({EndingText(ending), ending.rank, int64_t{end.pid}, end.program, end.how,
                            end.at_ns, end.ranges, end.call, end.where, end.open_ns, end.silent_ns,
                            end.other_threads});
  }
  section.of = section.rows.size();
  return section;
}

}  // namespace syncline
