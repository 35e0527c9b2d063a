// SPDX-License-Identifier: Apache-2.0
// Who waited for whom in sends and receives, and in which range: the bubbles of a pipeline.
#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"

namespace syncline {
namespace {

constexpr size_t kFewMessages = 8;

constexpr Column kMessages[] = {
    {"rank", "rank", ValueKind::kText, kEverywhere},
    {"", "waited for", ValueKind::kText, kShort | kPage},
    {"waited_ms", "waited", ValueKind::kDuration, kEverywhere,
     "From the begin of its kernel to that of the other one's"},
    {"waited", "times", ValueKind::kCount, kEverywhere},
    {"of", "of", ValueKind::kCount, kEverywhere, "Messages that both ends have a record of"},
    {"longest_ms", "longest", ValueKind::kDuration, kEverywhere},
    {"ranges", "in", ValueKind::kCode, kEverywhere, "Where the rank asked for the message"},
    {"other", "", ValueKind::kPlain, kFile},
    {"waits_with", "", ValueKind::kText, kFile}};

std::vector<Value> CellsOf(const ReportMessages& messages) {
  const auto& [key, sums] = messages;
  return {Text("rank ", key.rank),
          Text("rank ", key.other, key.sends ? "'s receives" : "'s sends"),
          sums.waited_ns,
          sums.waited,
          sums.met,
          sums.longest_ns,
          key.ranges,
          int64_t{key.other},
          key.sends ? "send" : "receive"};
}

}  // namespace

Section MessagesSection(const Report& report, const RowChoice& choice) {
  Section section{"messages", "Sends and receives", kMessages, {}};
  FillRows(
      report.messages, Wished(report, choice), kFewMessages,
      [](const ReportMessages& messages) { return messages.second.waited_ns; },
      [](const ReportMessages& messages) { return CellsOf(messages); }, &section);
  return section;
}

}  // namespace syncline
