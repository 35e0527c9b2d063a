// SPDX-License-Identifier: Apache-2.0
// From spools and notes to runs in order.
#include "model/run/rank_model.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "base/stable_sort.h"
#include "model/run/captured_lines.h"
#include "model/run/gate_filter.h"
#include "model/run/program_name.h"
#include "model/spool/first_block.h"
#include "model/spool/sink_fan.h"
#include "model/spool/spool_reader.h"

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

// A run while the rank's processes are being put in order.
struct Draft {
  std::unique_ptr<ProgramRun> run = std::make_unique<ProgramRun>();
  ProcessInput input;
  uint64_t first_seen_ns = 0;  // when its note or segment was made
  uint64_t birth_ns = 0;       // of the process, as the kernel says
};

using ProcessKey = std::pair<int32_t, uint64_t>;  // outer pid, start time
ProcessKey KeyOf(const Draft& draft) { return {draft.run->outer_pid, draft.run->facts.start_time}; }

// Null: the process has no gate.
std::unique_ptr<GateHistory> ReadGate(SpoolReader* reader, uint64_t most_calls) {
  FirstBlock first;
  (void)reader->Read(&first);
  if (first.process.facts.gate == 0) return nullptr;
  auto gate = std::make_unique<GateHistory>(most_calls);
  (void)reader->Read(gate.get());  // what is damaged is told by the reading that follows
  gate->Finish();
  return gate;
}

// `left_out`: as in GateFilter; null: nobody asks.
Status ReadBehind(const GateHistory* gate, SpoolReader* reader, RecordSink* sink,
                  GatedCounts* left_out) {
  if (gate == nullptr) return reader->Read(sink);
  GateFilter filter(*gate, sink);
  Status status = reader->Read(&filter);
  if (left_out != nullptr) *left_out = filter.left_out();
  return status;
}

void FinishLogs(ProgramRun* run) {
  run->modules->Finish();
  if (run->modules->empty()) run->modules = nullptr;
  run->memory->Finish();
  if (run->memory->empty()) run->memory = nullptr;
}

class RankReader {
 public:
  RankReader(const RankRequest& request, RankModel* model)
      : request_(request),
        model_(model),
        room_(std::make_shared<uint64_t>(request.most_records)),
        range_room_(std::make_shared<uint64_t>(request.most_records)) {
    model->own = request.own;
  }

  Status Run() {
    model_->rank = request_.rank;
    model_->told_rank = std::max(request_.rank, request_.told_rank);
    model_->most_records = request_.most_records;
    for (const ProcessInput& input : request_.processes) {
      Draft draft;
      draft.input = input;
      draft.run->input = drafts_.size();
      if (!Read(&draft)) return Status::Error("cancelled");
      // A trace without what is there to be read would be taken for complete, and the spool
      // removed.
      if (!unread_.ok()) return unread_;
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
    for (Draft& draft : drafts_) {
      CountLosses(draft.run.get());
      draft.run->index = static_cast<uint32_t>(model_->runs.size());
      model_->runs.push_back(std::move(draft.run));
    }
    NumberSources();
    FindWorldSize();
    return Status();
  }

 private:
  bool Read(Draft* draft);
  void TakeFacts(Draft* draft);
  void AttachNotes();
  void ChooseAnchor();
  void BuildClocks();
  static void BuildSources(ProgramRun* run);
  void PlaceInTime(Draft* draft);
  void CheckBase();
  void FindEnd(Draft* draft);
  void FindExit(Draft* draft);
  uint64_t NoteTime(const Anchor& anchor) const;
  uint64_t OnLine(uint64_t monotonic_ns) const {
    return model_->job_anchor.realtime_ns + (monotonic_ns - model_->job_anchor.monotonic_ns);
  }
  void Sort();
  void OrderLives();
  static void CountLosses(ProgramRun* run);
  void NumberSources();
  void FindWorldSize();

  const RankRequest& request_;
  RankModel* model_;
  std::shared_ptr<uint64_t> room_;        // for records
  std::shared_ptr<uint64_t> range_room_;  // for the ranges around them
  std::vector<Draft> drafts_;
  uint64_t read_before_ = 0;
  Status unread_;  // for want of memory
};

// False: cancelled.
bool RankReader::Read(Draft* draft) {
  ProgramRun& run = *draft->run;
  run.spool = draft->input.spool;
  bool cancelled = false;
  if (!run.spool.empty()) {
    SpoolReader reader;
    Status status = reader.Open(run.spool);
    uint64_t bytes = 0;
    if (status.ok()) {
      run.survey = Survey([&](uint64_t read, uint64_t /*total*/) {
        bytes = read;
        cancelled = request_.progress && !request_.progress(read_before_ + read);
        return !cancelled;
      });
      SinkFan fan;
      fan.Add(&run.survey);
      run.records = std::make_unique<SourceRecordReaders>(room_);
      run.range_log = std::make_unique<RangeLog>(run.survey, range_room_);
      fan.Add(run.records.get());
      fan.Add(run.range_log.get());
      fan.Add(&run.captured);
      run.modules = std::make_unique<ModuleLog>(range_room_);
      fan.Add(run.modules.get());
      run.memory = std::make_unique<MemoryLog>(range_room_);
      fan.Add(run.memory.get());
      if (request_.sinks) {
        for (RecordSink* sink : request_.sinks(run.input)) fan.Add(sink);
      }
      GatedCounts left_out{};
      run.gate = ReadGate(&reader, request_.most_records);
      status = ReadBehind(run.gate.get(), &reader, &fan, &left_out);
      for (size_t kind = 0; kind < left_out.size(); ++kind)
        run.survey.gated[kind] += left_out[kind];
      run.survey.sources.Each([](Source, SourceSurvey& survey) { survey.devices.Finish(); });
      run.damage = reader.damage();
      if (status.ok() && !run.captured.empty()) {
        CapturedLines lines(request_.own, &run.captured);
        status = reader.Read(&lines);
      }
      FinishLogs(&run);
    }
    read_before_ += bytes;
    if (status.is_out_of_memory()) unread_ = status;
    if (!status.ok()) run.problem = status.message();
  }
  TakeFacts(draft);
  return !cancelled;
}

void RankReader::TakeFacts(Draft* draft) {
  ProgramRun& run = *draft->run;
  const ProcessInput& input = draft->input;
  run.outer_pid = input.outer_pid;
  if (run.survey.has_process) {
    const SpoolProcess& process = run.survey.process;
    run.facts = process.facts;
    run.clock = process.clock;
    run.consumer = process.consumer;
    run.build = FieldText(process.build);
    if (run.outer_pid == 0) run.outer_pid = process.outer_pid;
  } else if (input.note != nullptr) {
    run.facts = input.note->facts;
    run.clock = input.note->clock;
  }
  if (run.outer_pid <= 0 || static_cast<uint32_t>(run.outer_pid) > kLargestPid) {
    run.outer_pid = run.facts.pid > 0 && static_cast<uint32_t>(run.facts.pid) <= kLargestPid
                        ? run.facts.pid
                        : 0;
  }
  run.name = ProgramName(run.facts);
}

// A program that sent a note and recorded later may come as two inputs: the note then only says
// when it began.
void RankReader::AttachNotes() {
  for (Draft& spool : drafts_) {
    if (spool.run->spool.empty() || spool.input.note != nullptr) continue;
    for (Draft& note : drafts_) {
      if (!note.run->spool.empty() || note.input.note == nullptr || KeyOf(note) != KeyOf(spool))
        continue;
      if (!SameText(note.run->facts, spool.run->facts)) continue;
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
    return draft.run->spool.empty() && draft.input.note == nullptr;
  });
}

void RankReader::ChooseAnchor() {
  if (request_.job_anchor && request_.job_anchor->realtime_ns != 0) {
    model_->job_anchor = *request_.job_anchor;
  } else {
    auto consider = [this](const Anchor& anchor) {
      if (anchor.realtime_ns == 0) return;
      Anchor& best = model_->job_anchor;
      if (best.realtime_ns == 0 || anchor.realtime_ns < best.realtime_ns) best = anchor;
    };
    for (const Draft& draft : drafts_) {
      const Survey& survey = draft.run->survey;
      if (survey.has_process) consider(survey.process.consumer_start);
    }
    for (const Draft& draft : drafts_) {
      if (model_->job_anchor.realtime_ns != 0) break;
      for (const Anchor& anchor : draft.run->survey.anchors) consider(anchor);
      if (draft.input.note != nullptr) consider(draft.input.note->start);
    }
  }
  model_->base =
      request_.base.value_or(BaseTimeOf(BaseFrom::kGrid, model_->job_anchor.realtime_ns));
}

// The TSC of a machine has one rate: who was recorded longest tells it to those whose anchors are
// too close.
void RankReader::BuildClocks() {
  uint64_t longest = 0;
  double rate = request_.ticks_per_second;
  for (int round = 0; round < 2; ++round) {
    for (Draft& draft : drafts_) {
      ProgramRun& run = *draft.run;
      if (run.spool.empty() || !run.problem.empty()) continue;
      run.timeline.Build(run.survey.process, run.survey.anchors, model_->job_anchor, rate);
      const bool tsc = run.clock == static_cast<uint32_t>(ClockId::kTsc);
      if (request_.ticks_per_second == 0 && tsc && run.timeline.span_ns() > longest) {
        longest = run.timeline.span_ns();
        rate = run.timeline.ticks_per_second();
      }
    }
  }
  for (Draft& draft : drafts_) {
    ProgramRun& run = *draft.run;
    BuildSources(&run);
    if (!run.spool.empty() && run.problem.empty() && !run.timeline.valid()) {
      run.problem = "spool " + run.spool +
                    " holds no usable clock readings: its records cannot be placed in time";
    }
  }
}

void RankReader::BuildSources(ProgramRun* run) {
  run->survey.sources.Each([run](Source source, const SourceSurvey& survey) {
    SourceRun& made = run->sources.Make(source, source, survey);
    made.captured = &run->captured;
    made.clocks.Build(survey.devices.clocks, &run->timeline);
    if (run->records != nullptr) made.records = &run->records->Of(source);
  });
}

// A note's time namespace is not known: where its MONOTONIC does not fit the job's, REALTIME
// counts.
uint64_t RankReader::NoteTime(const Anchor& anchor) const {
  const uint64_t line = OnLine(anchor.monotonic_ns);
  const uint64_t apart = Minus(line, anchor.realtime_ns) + Minus(anchor.realtime_ns, line);
  return apart < kSecond / 1000 ? line : anchor.realtime_ns;
}

void RankReader::PlaceInTime(Draft* draft) {
  ProgramRun& run = *draft->run;
  const Survey& survey = run.survey;
  Anchor start{};
  if (run.readable() && survey.has_process && survey.process.start.ticks != 0) {
    start = survey.process.start;
    draft->first_seen_ns = run.timeline.Convert(start.ticks);
  } else if (run.readable() && !survey.anchors.empty()) {
    draft->first_seen_ns = run.timeline.Convert(survey.anchors.front().ticks);
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
  if (draft->first_seen_ns == 0) draft->first_seen_ns = model_->job_anchor.realtime_ns;
  const uint64_t born =
      run.facts.start_time > UINT64_MAX / kClockTick ? 0 : run.facts.start_time * kClockTick;
  const uint64_t age = Minus(start.boottime_ns, born);
  const bool plausible = born != 0 && start.boottime_ns >= born && age < kLongestLife;
  draft->birth_ns = plausible ? Minus(draft->first_seen_ns, age) : draft->first_seen_ns;
  FindExit(draft);
  FindEnd(draft);
  if (!run.readable()) return;
  if (run.gate != nullptr) {
    run.closed = ClosedTimes(*run.gate, &run.timeline, 0, run.end_ns);
    run.recording_cost = run.gate->CostOfRecording(&run.timeline);
  }
  run.sources.Each([&run](Source, SourceRun& source) {
    source.coverage = CoveragePeriods(source.devices.coverage, &run.timeline, run.end_ns);
  });
}

// No time may lie before the base: readers drop what has a negative time. (A process that became
// the recorded program may be older: its life is then shown from the base on.)
void RankReader::CheckBase() {
  uint64_t first = UINT64_MAX;
  for (const Draft& draft : drafts_) first = std::min(first, draft.first_seen_ns);
  if (first >= model_->base.ns) return;
  model_->base_problem =
      "the clock here is " + std::to_string((model_->base.ns - first) / kSecond + 1) +
      " s before the base that the job's times count from (" + BaseFromName(model_->base.from) +
      "): this rank's count from its own first second, see baseTimeNanoseconds; set the clocks of "
      "the nodes (NTP) to see its ranks side by side";
  model_->base = BaseTimeOf(BaseFrom::kRank, first);
}

void RankReader::FindExit(Draft* draft) {
  ProgramRun& run = *draft->run;
  const Survey& survey = run.survey;
  int status = 0;
  if (draft->input.status_known) {
    status = draft->input.wait_status;
    run.exit.source = "wait status";
  } else if (survey.has_end && survey.end.status_known == 1) {
    status = survey.end.wait_status;
    run.exit.source = "wait status";
  } else if (survey.has_counters && survey.counters.exit_state == 1) {
    run.exit = {ExitKind::kExited, survey.counters.exit_status & 0xff, "exit hook"};
    return;
  } else {
    run.exit.kind = draft->input.running ? ExitKind::kRunning : ExitKind::kUnknown;
    return;
  }
  if (WIFSIGNALED(status)) {
    run.exit.kind = ExitKind::kSignaled;
    run.exit.value = WTERMSIG(status);
  } else {
    run.exit.kind = ExitKind::kExited;
    run.exit.value = WEXITSTATUS(status);
  }
}

void RankReader::FindEnd(Draft* draft) {
  ProgramRun& run = *draft->run;
  const Survey& survey = run.survey;
  Timeline& line = run.timeline;
  uint64_t end = draft->first_seen_ns;
  uint64_t gone = 0;  // when it was seen to be gone
  if (draft->input.end_monotonic_ns != 0) gone = OnLine(draft->input.end_monotonic_ns);
  if (run.readable()) {
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
      run.end_known = true;
    } else if (gone == 0) {
      end = std::max(end, last_anchor);
    }
  }
  if (gone != 0 && !run.end_known) {
    end = std::max(end, gone);
    run.end_known = true;
  }
  run.end_ns = end;
}

void RankReader::Sort() {
  // Processes in the order of their births, the runs of one by time.
  std::map<ProcessKey, uint64_t> births;
  for (const Draft& draft : drafts_) {
    auto [at, is_new] = births.try_emplace(KeyOf(draft), draft.birth_ns);
    if (!is_new) at->second = std::min(at->second, draft.birth_ns);
  }
  StableSort(&drafts_, [&births](const Draft& a, const Draft& b) {
    return std::tuple(births[KeyOf(a)], KeyOf(a), a.first_seen_ns) <
           std::tuple(births[KeyOf(b)], KeyOf(b), b.first_seen_ns);
  });
}

// The runs of one process follow each other without overlap.
void RankReader::OrderLives() {
  for (size_t i = 0; i < drafts_.size(); ++i) {
    Draft& draft = drafts_[i];
    ProgramRun& run = *draft.run;
    const bool first = i == 0 || KeyOf(drafts_[i - 1]) != KeyOf(draft);
    run.same_process = !first;
    if (first) {
      run.begin_ns = std::min(draft.birth_ns, draft.first_seen_ns);
    } else {
      ProgramRun& before = *drafts_[i - 1].run;
      run.begin_ns = std::max(draft.first_seen_ns, before.begin_ns);
      before.end_ns = std::max(before.begin_ns, std::min(before.end_ns, run.begin_ns));
      run.continues = SameText(before.facts, run.facts);
      if (before.exit.kind == ExitKind::kUnknown && !run.continues) {
        before.exit.source = "became another program";
      }
    }
    run.end_ns = std::max(run.end_ns, run.begin_ns);
    if (run.readable()) {
      const Survey& survey = run.survey;
      const uint64_t from = survey.has_process ? survey.process.start.ticks : survey.last_ticks;
      run.clock_error_ns = run.timeline.ErrorNs(from, std::max(from, survey.last_ticks));
    }
  }
}

// A process that reaches the exit hook flushes there, and counts what did not come. For any other
// process, what a vendor held is counted here. Records that came and could not be used are counted
// already.
uint64_t Undelivered(const Survey& survey, const LossCounts& counted) {
  if (survey.has_counters && survey.counters.exit_state == 1) return 0;
  const uint64_t known = LostOfDevices(counted);
  uint64_t missing = 0;
  survey.sources.Each([&missing](Source, const SourceSurvey& source) {
    missing += source.calls.gave_work.CountWithout(source.devices.ops);
  });
  return missing - std::min(missing, known);
}

// Whether the recording stops without a word: nobody was left who could have written the end.
bool HasNoEnd(const Survey& survey) {
  return survey.has_process && !survey.has_end &&
         !(survey.has_counters && survey.counters.exit_state != 0);
}

void RankReader::CountLosses(ProgramRun* run) {
  const Survey& survey = run->survey;
  if (survey.has_counters) run->losses = CountedLosses(survey.counters);
  run->losses[kLoss_gpu_undelivered] += Undelivered(survey, run->losses);
  run->losses[kLoss_bad_payload] += survey.bad_payloads;
  run->losses[kLoss_damaged] += run->damage.records_damaged + run->damage.blocks_lost;
  if (survey.counters.dropped_bytes != 0)  // of names, at least
    run->losses[kLoss_disk_full] = std::max<uint64_t>(run->losses[kLoss_disk_full], 1);
  if (HasNoEnd(survey) && run->exit.kind != ExitKind::kRunning)
    run->losses[kLoss_consumer_gone] = 1;
}

void RankReader::NumberSources() {
  auto next = static_cast<uint32_t>(model_->runs.size());
  for (const auto& run : model_->runs) {
    uint32_t order = 0;
    // Readers know the first one by words without its name: let it be one with devices.
    for (const bool devices : {true, false}) {
      run->sources.Each([&](Source, SourceRun& source) {
        if (source.facts.has_devices != devices) return;
        source.number = order == 0 ? run->index : next++;
        source.order = order++;
      });
    }
  }
  model_->source_runs = next;
}

void RankReader::FindWorldSize() {
  model_->world_size = request_.world_size;
  for (const auto& run : model_->runs) {
    if (model_->world_size > 0) break;
    model_->world_size = run->facts.rank.world_size;
  }
}

}  // namespace

void ProgramRun::FreeRecords() {
  sources.Each([](Source, SourceRun& source) { source.records = nullptr; });
  records = nullptr;
}

uint64_t RoomForStacks(uint64_t most_records) {
  constexpr uint64_t kBytes = 16, kMost = uint64_t{1} << 30;
  return std::min(most_records, kMost / kBytes) * kBytes;
}

Status ReadProgram(const ProgramRun& run, RecordSink* sink, uint64_t stack_room) {
  SpoolReader reader;
  reader.SetStackRoom(stack_room);
  Status status = reader.Open(run.spool);
  return status.ok() ? ReadBehind(run.gate.get(), &reader, sink, nullptr) : status;
}

Status ReadRank(const RankRequest& request, RankModel* model) {
  return RankReader(request, model).Run();
}

}  // namespace syncline
