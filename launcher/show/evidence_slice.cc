// SPDX-License-Identifier: Apache-2.0
// Two readings of the trace: in the first the time is found, in the second what lies in it.
#include "launcher/show/evidence_slice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/told_findings.h"
#include "report/words.h"
#include "writers/chrome/trace_reader.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

constexpr size_t kMostRecords = 64;
constexpr size_t kMostFrames = 64;
constexpr char kNoStack[] =
    "no stack was taken of this call (recording with --stacks launches or all takes more)";

std::string FieldOf(const Json& object, const char* key) {
  std::string text;
  TakeField(object, key, &text);
  return text;
}

uint64_t NumberOf(const Json& object, const char* key) {
  uint64_t number = 0;
  TakeField(object, key, &number);
  return number;
}

Json ArgumentsOf(const Json& event) {
  return event.is_object() && event.contains("args") ? event["args"] : Json::object();
}

EvidenceRecord RecordOf(const TraceSlice& slice) {
  return {FieldOf(ParseJson(slice.line), "name"),
          std::string(slice.category),
          slice.pid,
          slice.tid,
          slice.begin_ns,
          slice.end_ns};
}

// A slice of the trace that shows the finding, and how well it fits.
struct Shown {
  int fit = 0;  // 0: not at all
  EvidenceRecord record;
  Json arguments;
};

class TimeOfFinding {
 public:
  explicit TimeOfFinding(const ReportFinding& finding) : finding_(finding) {
    if (!finding.wait_class.empty()) {
      category_ = "sync_wait";
    } else if (IsHostWork(finding) || !LinesText(finding).empty()) {
      category_ = "gpu_idle";
    } else if (!finding.stage.empty()) {
      category_ = "user_annotation";
    }
  }

  bool IsKnown() const { return !category_.empty(); }

  void Look(const TraceSlice& slice) {
    if (slice.category != category_) return;
    // Of those that fit as well the longest counts: what is shorter is worth no look.
    if (best_.fit == kBest && !IsLonger(slice)) return;
    const Json event = ParseJson(slice.line);
    const Json arguments = ArgumentsOf(event);
    const int fit = FitOf(slice, event, arguments);
    if (fit == 0 || fit < best_.fit || (fit == best_.fit && !IsLonger(slice))) return;
    best_ = {fit, RecordOf(slice), arguments};
  }

  const Shown& best() const { return best_; }

  std::string Words() const {
    if (category_ == "sync_wait")
      return best_.fit > 1 ? "the longest wait there" : "the longest wait in this call and stage";
    if (category_ == "gpu_idle") return "the longest time there in which the GPU computed nothing";
    return "the longest range of the stage";
  }

 private:
  static constexpr int kBest = 3;

  bool IsLonger(const TraceSlice& slice) const {
    return slice.LengthNs() > best_.record.end_ns - best_.record.begin_ns;
  }

  int FitOf(const TraceSlice& slice, const Json& event, const Json& arguments) const {
    if (category_ == "user_annotation")
      return NumberFamily(FieldOf(event, "name")) == NumberFamily(finding_.stage) ? kBest : 0;
    if (category_ == "gpu_idle") {
      if (finding_.line.empty() || FieldOf(arguments, "next") != finding_.line) return 0;
      const bool same = FieldOf(arguments, "before") == finding_.before &&
                        FieldOf(arguments, "below") == finding_.below;
      return same ? kBest : 1;
    }
    if (slice.begin_ns == finding_.begin_ns) return kBest;
    if (FieldOf(arguments, "call") != finding_.call) return 0;
    const std::string where = FieldOf(arguments, "where");
    if (!where.empty() && where == finding_.line) return 2;
    const std::string stage = InnermostRange(FieldOf(arguments, "ranges"));
    return NumberFamily(stage) == NumberFamily(finding_.stage) ? 1 : 0;
  }

  const ReportFinding& finding_;
  std::string category_;
  Shown best_;
};

// The second reading.
class WithinTime {
 public:
  explicit WithinTime(const Shown& shown)
      : shown_(shown),
        is_gap_(shown.record.category == "gpu_idle"),
        thread_(is_gap_ ? NumberOf(shown.arguments, "tid") : ThreadOfRow(shown.record.tid)),
        awaited_(NumberOf(shown.arguments, "waited_for")),
        awaited_text_(Text("\"correlation\": ", awaited_)) {}

  void Look(const TraceSlice& slice) {
    if (slice.category == "process") return;
    if (slice.IsCall()) LookAtCall(slice);
    const EvidenceRecord& time = shown_.record;
    if (slice.end_ns <= time.begin_ns || slice.begin_ns >= time.end_ns) return;
    ++in_all_;
    const bool full = records_.size() >= kMostRecords;
    if (full && slice.LengthNs() <= records_.begin()->first) return;
    records_.emplace(slice.LengthNs(), RecordOf(slice));
    if (full) records_.erase(records_.begin());
  }

  void LookAtFrame(uint64_t number, std::string_view frame) {
    const Json json = ParseJson(frame);
    frames_[number] = {FieldOf(json, "name"), FieldOf(json, "parent")};
  }

  void Take(EvidenceSlice* slice) const;

 private:
  struct Call {
    EvidenceRecord record;
    uint64_t frame = 0;  // its innermost one; 0: it has no stack
  };

  void LookAtCall(const TraceSlice& slice);
  std::vector<EvidenceStack> Stacks() const;
  EvidenceStack StackOf(const char* end, const std::optional<Call>& call) const;
  std::pair<std::optional<Call>, std::optional<Call>> EndsOfGap() const;

  const Shown& shown_;
  const bool is_gap_;
  const uint64_t thread_;
  const uint64_t awaited_;  // the correlation of what was waited for; 0: not known
  const std::string awaited_text_;
  std::multimap<uint64_t, EvidenceRecord> records_;
  size_t in_all_ = 0;
  std::map<uint64_t, std::pair<std::string, std::string>> frames_;
  std::vector<Call> calls_;  // of the thread, within the time
  std::optional<Call> before_, behind_, launch_;
};

// Only calls of the one thread count, and that one which submitted what was waited for.
void WithinTime::LookAtCall(const TraceSlice& slice) {
  const EvidenceRecord& time = shown_.record;
  const bool own = slice.tid == thread_ && (is_gap_ || slice.pid == time.pid);
  const bool before = slice.end_ns <= time.begin_ns, behind = slice.begin_ns >= time.end_ns;
  const bool nearer_before = before && (!before_ || slice.end_ns > before_->record.end_ns);
  const bool nearer_behind = behind && (!behind_ || slice.begin_ns < behind_->record.begin_ns);
  const bool kept = own && ((!before && !behind) || nearer_before || nearer_behind);
  const bool may_launch =
      awaited_ != 0 && !launch_ && slice.line.find(awaited_text_) != std::string_view::npos;
  if (!kept && !may_launch) return;
  const Json event = ParseJson(slice.line);
  const Call call{RecordOf(slice), NumberOf(event, "sf")};
  if (may_launch && NumberOf(ArgumentsOf(event), "correlation") == awaited_) launch_ = call;
  if (!kept) return;
  if (nearer_before) {
    before_ = call;
  } else if (nearer_behind) {
    behind_ = call;
  } else {
    calls_.push_back(call);
  }
}

// The two calls of the thread between which most of the gap lies.
std::pair<std::optional<WithinTime::Call>, std::optional<WithinTime::Call>> WithinTime::EndsOfGap()
    const {
  const EvidenceRecord& time = shown_.record;
  std::vector<Call> own = calls_;
  StableSort(&own,
             [](const Call& a, const Call& b) { return a.record.begin_ns < b.record.begin_ns; });
  std::pair<std::optional<Call>, std::optional<Call>> ends = {before_, behind_};
  const Call* last = before_ ? &*before_ : nullptr;  // that ended last so far: calls may nest
  uint64_t most_ns = 0;
  for (size_t i = 0; i <= own.size(); ++i) {
    const uint64_t from =
        last != nullptr ? std::max(last->record.end_ns, time.begin_ns) : time.begin_ns;
    const uint64_t until =
        i < own.size() ? std::min(own[i].record.begin_ns, time.end_ns) : time.end_ns;
    if (until > from && until - from > most_ns) {
      most_ns = until - from;
      ends.first.reset();
      if (last != nullptr) ends.first = *last;
      ends.second = i < own.size() ? std::optional<Call>(own[i]) : behind_;
    }
    if (i < own.size() && (last == nullptr || own[i].record.end_ns > last->record.end_ns))
      last = &own[i];
  }
  return ends;
}

EvidenceStack WithinTime::StackOf(const char* end, const std::optional<Call>& call) const {
  EvidenceStack stack;
  stack.end = end;
  if (!call) {
    stack.unknown = "the trace has no such call";
    return stack;
  }
  stack.call = call->record;
  std::string next = call->frame == 0 ? "" : std::to_string(call->frame);
  while (!next.empty() && stack.frames.size() < kMostFrames) {
    const auto frame = frames_.find(std::strtoull(next.c_str(), nullptr, 10));
    if (frame == frames_.end()) break;
    stack.frames.push_back(frame->second.first);
    next = frame->second.second;
  }
  if (stack.frames.empty()) stack.unknown = kNoStack;
  return stack;
}

std::vector<EvidenceStack> WithinTime::Stacks() const {
  if (is_gap_) {
    const auto [from, until] = EndsOfGap();
    return {StackOf("the thread's call before that time of the host", from),
            StackOf("the thread's call that ended it", until)};
  }
  if (shown_.record.category != "sync_wait") return {};
  const auto waits = std::find_if(calls_.begin(), calls_.end(), [this](const Call& call) {
    return call.record.begin_ns <= shown_.record.begin_ns && call.frame != 0;
  });
  std::optional<Call> wait;
  if (waits != calls_.end()) {
    wait = *waits;
  } else if (!calls_.empty()) {
    wait = calls_.front();
  }
  return {StackOf("the call that waits", wait),
          StackOf("the call that submitted what was waited for", launch_)};
}

void WithinTime::Take(EvidenceSlice* slice) const {
  slice->records_in_all = in_all_;
  for (auto record = records_.rbegin(); record != records_.rend(); ++record)
    slice->records.push_back(record->second);
  slice->stacks = Stacks();
}

// The finding's own, else that of the rank that it names, else the first. Empty: there is none.
std::string TraceOf(const Report& report, const ReportFinding& finding) {
  std::string first, named;
  for (const ReportRank& rank : report.ranks) {
    if (rank.rank < 0 || rank.name != Text("rank-", rank.rank)) continue;
    if (rank.name == finding.trace) return rank.name;
    if (first.empty()) first = rank.name;
    if (finding.rank == Text("rank ", rank.rank)) named = rank.name;
  }
  return named.empty() ? first : named;
}

}  // namespace

EvidenceSlice SliceOf(const Report& report, const ReportFinding& finding) {
  EvidenceSlice slice;
  slice.trace = TraceOf(report, finding);
  TimeOfFinding time(finding);
  if (!time.IsKnown() || slice.trace.empty()) {
    slice.unknown = "no single time is known that shows this finding: it is a sum over the run";
    return slice;
  }
  const std::string path = Text(report.directory, "/", slice.trace, ".trace.json.gz");
  Status status = ReadTrace(path, {[&time](const TraceSlice& each) { time.Look(each); }, {}});
  if (time.best().fit == 0) {
    slice.unknown =
        status.ok() ? Text("the trace of ", slice.trace, " shows no such time") : status.message();
    return slice;
  }
  slice.is = time.Words();
  slice.begin_ns = time.best().record.begin_ns;
  slice.end_ns = time.best().record.end_ns;
  WithinTime within(time.best());
  status = ReadTrace(path, {[&within](const TraceSlice& each) { within.Look(each); },
                            [&within](uint64_t number, std::string_view frame) {
                              within.LookAtFrame(number, frame);
                            }});
  within.Take(&slice);
  return slice;
}

}  // namespace syncline
