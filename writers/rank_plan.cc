// SPDX-License-Identifier: Apache-2.0
// From spools and notes to images in order.
#include "writers/rank_plan.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "writers/program_name.h"
#include "writers/spool_reader.h"

namespace syncline {
namespace {

constexpr uint64_t kSecond = 1000000000;
constexpr uint64_t kClockTick = kSecond / 100;  // of ProcessFacts::start_time
constexpr uint64_t kDay = 86400 * kSecond;
constexpr uint64_t kLongestLife = 3653 * kDay;

uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
uint64_t Plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

bool SameText(const ProcessFacts& a, const ProcessFacts& b) {
  const auto command = [](const ProcessFacts& facts) {
    return std::string_view(facts.command_line,
                            std::min<size_t>(facts.command_line_bytes, sizeof(facts.command_line)));
  };
  return FieldText(a.executable) == FieldText(b.executable) && command(a) == command(b);
}

// An image while the plan is made.
struct Draft {
  std::unique_ptr<Image> image = std::make_unique<Image>();
  ProcessInput input;
  uint64_t first_seen_ns = 0;  // when its note or segment was made
  uint64_t birth_ns = 0;       // of the process, as the kernel says
};

using ProcessKey = std::pair<int32_t, uint64_t>;  // outer pid, start time
ProcessKey KeyOf(const Draft& draft) {
  return {draft.image->outer_pid, draft.image->facts.start_time};
}

class Planner {
 public:
  Planner(const PlanRequest& request, RankPlan* plan) : request_(request), plan_(plan) {}

  Status Run() {
    plan_->rank = request_.rank;
    for (const ProcessInput& input : request_.processes) {
      Draft draft;
      draft.input = input;
      if (!Read(&draft)) return Status::Error("cancelled");
      drafts_.push_back(std::move(draft));
    }
    AttachNotes();
    if (drafts_.empty()) {
      return Status::Error("no process of this rank was recorded: there is nothing to write");
    }
    ChooseAnchor();
    BuildClocks();
    for (Draft& draft : drafts_) PlaceInTime(&draft);
    CheckBase();
    Sort();
    OrderLives();
    GiveRows();
    for (Draft& draft : drafts_) {
      CountLosses(draft.image.get());
      draft.image->index = static_cast<uint32_t>(plan_->images.size());
      if (draft.image->readable()) plan_->gpu_rows.Add(draft.image->index, draft.image->survey.gpu);
      plan_->images.push_back(std::move(draft.image));
    }
    FindWorldSize();
    return Status();
  }

 private:
  bool Read(Draft* draft);
  void TakeFacts(Draft* draft);
  void AttachNotes();
  void ChooseAnchor();
  void BuildClocks();
  void PlaceInTime(Draft* draft);
  void CheckBase();
  void FindEnd(Draft* draft);
  void FindExit(Draft* draft);
  uint64_t NoteTime(const Anchor& anchor) const;
  uint64_t OnLine(uint64_t monotonic_ns) const {
    return plan_->job_anchor.realtime_ns + (monotonic_ns - plan_->job_anchor.monotonic_ns);
  }
  void Sort();
  void OrderLives();
  void GiveRows();
  static void CountLosses(Image* image);
  void FindWorldSize();

  const PlanRequest& request_;
  RankPlan* plan_;
  std::vector<Draft> drafts_;
  uint64_t read_before_ = 0;
};

// False: cancelled.
bool Planner::Read(Draft* draft) {
  Image& image = *draft->image;
  image.spool = draft->input.spool;
  bool cancelled = false;
  if (!image.spool.empty()) {
    SpoolReader reader;
    Status status = reader.Open(image.spool);
    uint64_t bytes = 0;
    if (status.ok()) {
      image.survey = Survey([&](uint64_t read, uint64_t /*total*/) {
        bytes = read;
        cancelled = request_.progress && !request_.progress(read_before_ + read);
        return !cancelled;
      });
      status = reader.Read(&image.survey);
      image.survey.gpu.Finish();
      image.damage = reader.damage();
    }
    read_before_ += bytes;
    if (!status.ok()) image.problem = status.message();
  }
  TakeFacts(draft);
  return !cancelled;
}

void Planner::TakeFacts(Draft* draft) {
  Image& image = *draft->image;
  const ProcessInput& input = draft->input;
  image.outer_pid = input.outer_pid;
  if (image.survey.has_process) {
    const SpoolProcess& process = image.survey.process;
    image.facts = process.facts;
    image.clock = process.clock;
    image.consumer = process.consumer;
    image.build = FieldText(process.build);
    if (image.outer_pid == 0) image.outer_pid = process.outer_pid;
  } else if (input.note != nullptr) {
    image.facts = input.note->facts;
    image.clock = input.note->clock;
  }
  if (image.outer_pid <= 0 || static_cast<uint32_t>(image.outer_pid) > kMaxRealId) {
    image.outer_pid = image.facts.pid > 0 && static_cast<uint32_t>(image.facts.pid) <= kMaxRealId
                          ? image.facts.pid
                          : 0;
  }
  image.name = ProgramName(image.facts);
}

// A program that sent a note and recorded later may come as two inputs: the note then only says
// when it began.
void Planner::AttachNotes() {
  for (Draft& spool : drafts_) {
    if (spool.image->spool.empty() || spool.input.note != nullptr) continue;
    for (Draft& note : drafts_) {
      if (!note.image->spool.empty() || note.input.note == nullptr || KeyOf(note) != KeyOf(spool))
        continue;
      if (!SameText(note.image->facts, spool.image->facts)) continue;
      spool.input.note = std::move(note.input.note);
      if (!spool.input.status_known && note.input.status_known) {
        spool.input.status_known = true;
        spool.input.wait_status = note.input.wait_status;
      }
      spool.input.running = spool.input.running || note.input.running;
      if (spool.input.end_monotonic_ns == 0) {
        spool.input.end_monotonic_ns = note.input.end_monotonic_ns;
      }
      break;
    }
  }
  std::erase_if(drafts_, [](const Draft& draft) {
    return draft.image->spool.empty() && draft.input.note == nullptr;
  });
}

void Planner::ChooseAnchor() {
  if (request_.job_anchor && request_.job_anchor->realtime_ns != 0) {
    plan_->job_anchor = *request_.job_anchor;
  } else {
    auto consider = [this](const Anchor& anchor) {
      if (anchor.realtime_ns == 0) return;
      Anchor& best = plan_->job_anchor;
      if (best.realtime_ns == 0 || anchor.realtime_ns < best.realtime_ns) best = anchor;
    };
    for (const Draft& draft : drafts_) {
      const Survey& survey = draft.image->survey;
      if (survey.has_process) consider(survey.process.consumer_start);
    }
    for (const Draft& draft : drafts_) {
      if (plan_->job_anchor.realtime_ns != 0) break;
      for (const Anchor& anchor : draft.image->survey.anchors) consider(anchor);
      if (draft.input.note != nullptr) consider(draft.input.note->start);
    }
  }
  plan_->base = request_.base.value_or(BaseTimeOf(BaseFrom::kGrid, plan_->job_anchor.realtime_ns));
}

// The TSC of a machine has one rate: who was recorded longest tells it to those whose anchors are
// too close.
void Planner::BuildClocks() {
  uint64_t longest = 0;
  double rate = request_.ticks_per_second;
  for (int round = 0; round < 2; ++round) {
    for (Draft& draft : drafts_) {
      Image& image = *draft.image;
      if (image.spool.empty() || !image.problem.empty()) continue;
      image.timeline.Build(image.survey.process, image.survey.anchors, plan_->job_anchor, rate);
      const bool tsc = image.clock == static_cast<uint32_t>(ClockId::kTsc);
      if (request_.ticks_per_second == 0 && tsc && image.timeline.span_ns() > longest) {
        longest = image.timeline.span_ns();
        rate = image.timeline.ticks_per_second();
      }
    }
  }
  for (Draft& draft : drafts_) {
    Image& image = *draft.image;
    image.device_timeline.Build(image.survey.gpu.clocks, &image.timeline);
    if (!image.spool.empty() && image.problem.empty() && !image.timeline.valid()) {
      image.problem = "spool " + image.spool +
                      " holds no usable clock readings: its records cannot be placed in time";
    }
  }
}

// A note's time namespace is not known: where its MONOTONIC does not fit the job's, REALTIME
// counts.
uint64_t Planner::NoteTime(const Anchor& anchor) const {
  const uint64_t line = OnLine(anchor.monotonic_ns);
  const uint64_t apart = Minus(line, anchor.realtime_ns) + Minus(anchor.realtime_ns, line);
  return apart < kSecond / 1000 ? line : anchor.realtime_ns;
}

void Planner::PlaceInTime(Draft* draft) {
  Image& image = *draft->image;
  const Survey& survey = image.survey;
  Anchor start{};
  if (image.readable() && survey.has_process && survey.process.start.ticks != 0) {
    start = survey.process.start;
    draft->first_seen_ns = image.timeline.Convert(start.ticks);
  } else if (image.readable() && !survey.anchors.empty()) {
    draft->first_seen_ns = image.timeline.Convert(survey.anchors.front().ticks);
  } else if (survey.has_process && survey.process.consumer_start.realtime_ns != 0) {
    draft->first_seen_ns = OnLine(survey.process.consumer_start.monotonic_ns);
  }
  if (draft->input.note != nullptr) {
    const uint64_t noted = NoteTime(draft->input.note->start);
    if (draft->first_seen_ns == 0 || noted < draft->first_seen_ns) {
      draft->first_seen_ns = noted;
      start = draft->input.note->start;
    }
  }
  if (draft->first_seen_ns == 0) draft->first_seen_ns = plan_->job_anchor.realtime_ns;
  const uint64_t born =
      image.facts.start_time > UINT64_MAX / kClockTick ? 0 : image.facts.start_time * kClockTick;
  const uint64_t age = Minus(start.boottime_ns, born);
  const bool plausible = born != 0 && start.boottime_ns >= born && age < kLongestLife;
  draft->birth_ns = plausible ? Minus(draft->first_seen_ns, age) : draft->first_seen_ns;
  FindExit(draft);
  FindEnd(draft);
  if (image.readable())
    image.gpu_periods = GpuPeriods(survey.gpu_modes, &image.timeline, image.end_ns);
}

// No time may lie before the base: readers drop what has a negative time. (A process that became
// the recorded program may be older: its life is then shown from the base on.)
void Planner::CheckBase() {
  uint64_t first = UINT64_MAX;
  for (const Draft& draft : drafts_) first = std::min(first, draft.first_seen_ns);
  if (first >= plan_->base.ns) return;
  plan_->base_problem =
      "the clock here is " + std::to_string((plan_->base.ns - first) / kSecond + 1) +
      " s before the base that the job's times count from (" + BaseFromName(plan_->base.from) +
      "): this rank's count from its own first second, see baseTimeNanoseconds; set the clocks of "
      "the nodes (NTP) to see its ranks side by side";
  plan_->base = BaseTimeOf(BaseFrom::kRank, first);
}

void Planner::FindExit(Draft* draft) {
  Image& image = *draft->image;
  const Survey& survey = image.survey;
  int status = 0;
  if (draft->input.status_known) {
    status = draft->input.wait_status;
    image.exit.source = "wait status";
  } else if (survey.has_end && survey.end.status_known == 1) {
    status = survey.end.wait_status;
    image.exit.source = "wait status";
  } else if (survey.has_counters && survey.counters.exit_state == 1) {
    image.exit = {ExitKind::kExited, survey.counters.exit_status & 0xff, "exit hook"};
    return;
  } else {
    image.exit.kind = draft->input.running ? ExitKind::kRunning : ExitKind::kUnknown;
    return;
  }
  if (WIFSIGNALED(status)) {
    image.exit.kind = ExitKind::kSignaled;
    image.exit.value = WTERMSIG(status);
  } else {
    image.exit.kind = ExitKind::kExited;
    image.exit.value = WEXITSTATUS(status);
  }
}

void Planner::FindEnd(Draft* draft) {
  Image& image = *draft->image;
  const Survey& survey = image.survey;
  Timeline& line = image.timeline;
  uint64_t end = draft->first_seen_ns;
  uint64_t gone = 0;  // when it was seen to be gone
  if (draft->input.end_monotonic_ns != 0) gone = OnLine(draft->input.end_monotonic_ns);
  if (image.readable()) {
    if (survey.has_end && survey.end.ticks != 0) gone = line.Convert(survey.end.ticks);
    uint64_t last_anchor = end;
    for (const Anchor& anchor : survey.anchors) {
      last_anchor = std::max(last_anchor, line.Convert(anchor.ticks));
    }
    const uint64_t limit = gone != 0 ? gone : Plus(last_anchor, kDay);
    const uint64_t last = line.Convert(survey.last_ticks);
    if (survey.last_ticks != 0 && last <= limit) end = std::max(end, last);
    const bool hook = survey.has_counters && survey.counters.exit_state == 1;
    const uint64_t exit = hook ? line.Convert(survey.counters.exit_ticks) : 0;
    if (exit != 0 && exit <= limit) {
      end = std::max(end, exit);
      image.end_known = true;
    } else if (gone == 0) {
      end = std::max(end, last_anchor);
    }
  }
  if (gone != 0 && !image.end_known) {
    end = std::max(end, gone);
    image.end_known = true;
  }
  image.end_ns = end;
}

void Planner::Sort() {
  // Processes in the order of their births, the images of one by time.
  std::map<ProcessKey, uint64_t> births;
  for (const Draft& draft : drafts_) {
    auto [at, is_new] = births.try_emplace(KeyOf(draft), draft.birth_ns);
    if (!is_new) at->second = std::min(at->second, draft.birth_ns);
  }
  std::stable_sort(drafts_.begin(), drafts_.end(), [&births](const Draft& a, const Draft& b) {
    return std::tuple(births[KeyOf(a)], KeyOf(a), a.first_seen_ns) <
           std::tuple(births[KeyOf(b)], KeyOf(b), b.first_seen_ns);
  });
}

// The images of one process follow each other without overlap.
void Planner::OrderLives() {
  for (size_t i = 0; i < drafts_.size(); ++i) {
    Draft& draft = drafts_[i];
    Image& image = *draft.image;
    const bool first = i == 0 || KeyOf(drafts_[i - 1]) != KeyOf(draft);
    if (first) {
      image.begin_ns = std::min(draft.birth_ns, draft.first_seen_ns);
    } else {
      Image& before = *drafts_[i - 1].image;
      image.begin_ns = std::max(draft.first_seen_ns, before.begin_ns);
      before.end_ns = std::max(before.begin_ns, std::min(before.end_ns, image.begin_ns));
      image.continues = SameText(before.facts, image.facts);
      if (before.exit.kind == ExitKind::kUnknown && !image.continues) {
        before.exit.source = "became another program";
      }
    }
    image.end_ns = std::max(image.end_ns, image.begin_ns);
    if (image.readable()) {
      const Survey& survey = image.survey;
      const uint64_t from = survey.has_process ? survey.process.start.ticks : survey.last_ticks;
      image.clock_error_ns = image.timeline.ErrorNs(from, std::max(from, survey.last_ticks));
    }
  }
}

void Planner::GiveRows() {
  std::set<uint32_t> taken;
  for (size_t i = 0; i < drafts_.size(); ++i) {
    Image& image = *drafts_[i].image;
    if (i > 0 && KeyOf(drafts_[i - 1]) == KeyOf(drafts_[i])) {
      image.rows = drafts_[i - 1].image->rows;
      continue;
    }
    auto pid = static_cast<uint32_t>(image.outer_pid);
    if (pid == 0) pid = kMaxRealId;  // unknown: damaged
    if (pid < kSmallestHostPid) pid += kPidStep;
    while (pid < UINT32_MAX - kPidStep && taken.contains(pid)) pid += kPidStep;
    taken.insert(pid);
    image.rows.pid = pid;
    image.rows.own_namespace = image.facts.pid != image.outer_pid;
  }
}

// Who reaches the exit hook flushes, and counts there what did not come. Of who does not, nobody
// else can count what a vendor held. Records that came and could not be used are counted already.
uint64_t Undelivered(const Survey& survey) {
  if (survey.has_counters && survey.counters.exit_state == 1) return 0;
  uint64_t known = 0;
  for (const Loss kind : {kLoss_cupti_dropped, kLoss_gpu_unfinished, kLoss_cupti_garbage})
    known += survey.has_counters ? survey.counters.losses[kind] : 0;
  const uint64_t missing = survey.gpu.work.CountWithout(survey.gpu.ops);
  return missing - std::min(missing, known);
}

void Planner::CountLosses(Image* image) {
  const Survey& survey = image->survey;
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    image->losses[kind] = survey.has_counters ? survey.counters.losses[kind] : 0;
  }
  image->losses[kLoss_bad_payload] += survey.bad_payloads;
  image->losses[kLoss_damaged] += image->damage.records_damaged + image->damage.blocks_lost;
  if (survey.counters.dropped_bytes != 0)  // of names, at least
    image->losses[kLoss_disk_full] = std::max<uint64_t>(image->losses[kLoss_disk_full], 1);
  image->losses[kLoss_gpu_undelivered] += Undelivered(survey);
}

void Planner::FindWorldSize() {
  plan_->world_size = request_.world_size;
  for (const auto& image : plan_->images) {
    if (plan_->world_size > 0) break;
    plan_->world_size = image->facts.rank.world_size;
  }
}

}  // namespace

Status MakePlan(const PlanRequest& request, RankPlan* plan) { return Planner(request, plan).Run(); }

}  // namespace syncline
