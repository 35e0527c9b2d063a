// SPDX-License-Identifier: Apache-2.0
// Stages, steps and profiler calls as changes of the gate's word.
#include "inject/core/range_gate.h"

#include "inject/core/emit.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/range_names.h"
#include "inject/core/step_schedule.h"
#include "inject/core/sys.h"

namespace syncline {
namespace {

// So many tell how long a step takes.
constexpr uint32_t kMostBareSteps = 1024;

enum StageScope { kOfProcess, kOfThread };  // the words of stage.scope
enum GateBy { kByOptions, kByStages, kByCudaProfiler, kByProgram };

struct GateSetup {
  StepSchedule schedule;
  bool by_thread = false;
  bool by_profiler = false;
  bool by_program = false;
  uint64_t open_after_ns = 0;   // MONOTONIC; 0: at once
  uint64_t close_after_ns = 0;  // 0: never
};

// Ordinary memory: a fork's child finds the stages, steps and times of its parent.
GateSetup g_setup;
bool g_prepared;
std::atomic<std::atomic<GateWord>*> g_gate;  // of the present segment
std::atomic<GateWord> g_copy;                // for a fork's child
std::atomic<uint32_t> g_stepper;             // tid of the thread that has the steps; 0: none yet
std::atomic<bool> g_in_step;                 // one that counts is open
std::atomic<uint64_t> g_steps_begun;         // begun so far, without those inside others
std::atomic<bool> g_steps_are_over;          // no further one is to be recorded
std::atomic<void (*)()> g_opens;
std::atomic<uint32_t> g_bare_steps_to_tell;  // 0: collectors are there, or enough were told

struct ThreadStages {
  uint32_t stages;
  uint32_t excluded;
};
__thread ThreadStages t_stages __attribute__((tls_model("initial-exec")));

StepSchedule ScheduleOfOptions() {
  StepSchedule schedule;
  const char* steps = OptionText(OptionIndex("steps"));
  const char* list = OptionText(OptionIndex("schedule"));
  bool good = true;
  if (*steps != '\0') {
    good = ParseStepWindow(steps, &schedule);
  } else if (*list != '\0') {
    const ParsedSchedule parsed = ParseSchedule(list);
    good = parsed.error == ScheduleError::kNone;
    if (good) schedule = parsed.schedule;
  }
  // A launcher refuses it; without one the program runs, and its trace says so.
  if (!good)
    Log(LogLevel::kWarn,
        "ignored because it is no window of steps:", *steps != '\0' ? steps : list);
  if (!schedule.empty() && *OptionText(OptionIndex("step.range")) == '\0') {
    Log(LogLevel::kWarn,
        "ignored SYNCLINE_STEPS or SYNCLINE_SCHEDULE, because SYNCLINE_STEP_RANGE does not say "
        "what a step is");
    schedule = {};
  }
  return schedule;
}

uint8_t FirstReasons() {
  uint8_t reasons = 0;
  if (AnyStageNames() && !g_setup.by_thread) reasons |= kNoStage;
  if (!g_setup.schedule.empty()) reasons |= kNoStep;
  if (g_setup.by_profiler) reasons |= kNotProfiled;
  return reasons;
}

bool IsGated() {
  return AnyStagesOrExcluded() || !g_setup.schedule.empty() || g_setup.by_profiler ||
         g_setup.by_program || (g_setup.open_after_ns | g_setup.close_after_ns) != 0;
}

void ReadOptions(uint64_t start_ns) {
  const bool all = LoadStageNames();
  g_setup.schedule = ScheduleOfOptions();
  g_setup.by_thread = OptionNumber(OptionIndex("stage.scope")) == kOfThread;
  g_setup.by_profiler = OptionNumber(OptionIndex("gate")) == kByCudaProfiler;
  g_setup.by_program = OptionNumber(OptionIndex("gate")) == kByProgram;
  const auto delay = static_cast<uint64_t>(OptionNumber(OptionIndex("delay")));
  const auto duration = static_cast<uint64_t>(OptionNumber(OptionIndex("duration")));
  if (delay != 0) g_setup.open_after_ns = start_ns + delay;
  if (duration != 0) g_setup.close_after_ns = start_ns + delay + duration;
  if (IsGated()) LoadStepNames();
  if (!all)
    Log(LogLevel::kWarn, "some patterns of stages were ignored: an option takes at most 64");
}

void Tell(ThreadLog& log, GateEvent event, uint64_t ticks, GateWord gate, uint64_t step = 0) {
  GateRecord record = {};
  record.head = {static_cast<uint8_t>(RecordKind::kGate), ReasonsOf(gate), 1, log.tid};
  record.ticks = ticks;
  record.change = ChangesOf(gate);
  record.step = static_cast<uint32_t>(step);
  record.event = event;
  if (!Emit(log, record)) CountLoss(kLoss_ring_full);
}

bool IsShutBy(GateWord gate) { return (ReasonsOf(gate) & ~kTooEarly) != 0; }

// The time of an opening is taken before it, that of a closing after it: what others record in
// between lies within.
template <typename Change>
void ChangeAndTell(ThreadLog& log, Change change) {
  std::atomic<GateWord>* gate = g_gate.load(std::memory_order_acquire);
  const uint64_t before = Ticks();
  const GateChange done = ChangeGate(gate, change);
  g_copy.store(done.after, std::memory_order_relaxed);
  if (done.Opened()) Tell(log, GateEvent::kOpened, before, done.after);
  // Acquire: pairs with WhenOpened.
  void (*opens)() = IsShutBy(done.before) && !IsShutBy(done.after)
                        ? g_opens.load(std::memory_order_acquire)
                        : nullptr;
  if (opens != nullptr) opens();
  if (!done.Closed()) return;
  log.segment->closed_ns.store(MonotonicNs(), std::memory_order_relaxed);
  Tell(log, GateEvent::kClosed, Ticks(), done.after);
}

GateWord Count(GateWord gate, GateWord one, GateWord count, bool enter) {
  if (enter) return count < kMostStages ? gate + one : gate;
  return count > 0 ? gate - one : gate;
}

void CountInProcess(ThreadLog& log, bool excluded, bool enter) {
  ChangeAndTell(log, [=](GateWord gate) {
    gate = excluded ? Count(gate, kOneExcluded, ExcludedOf(gate), enter)
                    : Count(gate, kOneStage, StagesOf(gate), enter);
    gate = WithReason(gate, kNoStage, AnyStageNames() && StagesOf(gate) == 0);
    return WithReason(gate, kExcluded, ExcludedOf(gate) != 0);
  });
}

// The changes of a thread's own gate have numbers among those of the process's.
void SetOutsideStage(ThreadLog& log, bool outside) {
  if (((log.busy & kOutsideStage) != 0) == outside) return;
  std::atomic<GateWord>* gate = g_gate.load(std::memory_order_acquire);
  const uint64_t before = Ticks();
  const GateWord now = gate->fetch_add(kOneChange, std::memory_order_acq_rel) + kOneChange;
  log.busy = outside ? log.busy | kOutsideStage : log.busy & ~kOutsideStage;
  Tell(log, outside ? GateEvent::kThreadClosed : GateEvent::kThreadOpened,
       outside ? Ticks() : before, now);
}

void CountInThread(ThreadLog& log, bool excluded, bool enter) {
  if (t_log != &log && log.tid != SysTid())  // another thread's, which is dead
    return SetOutsideStage(log, true);
  uint32_t& count = excluded ? t_stages.excluded : t_stages.stages;
  if (enter) ++count;
  if (!enter && count != 0) --count;
  SetOutsideStage(log, IsOutsideStage());
}

void CountStage(ThreadLog& log, uint8_t marks, bool enter) {
  if ((marks & (kMarkStage | kMarkExcluded)) == 0) return;
  const bool excluded = (marks & kMarkExcluded) != 0;
  return g_setup.by_thread ? CountInThread(log, excluded, enter)
                           : CountInProcess(log, excluded, enter);
}

// The steps are those of the first thread that has one; what begins while a step is open is none.
// False: it is none.
bool BeginStep(ThreadLog& log) {
  uint32_t stepper = 0;
  if (g_stepper.load(std::memory_order_relaxed) != log.tid &&
      !g_stepper.compare_exchange_strong(stepper, log.tid))
    return false;
  if (g_in_step.exchange(true, std::memory_order_relaxed)) return false;
  const uint64_t step = g_steps_begun.fetch_add(1, std::memory_order_relaxed);
  log.segment->steps.store(step + 1, std::memory_order_relaxed);
  if (!g_setup.schedule.empty()) {
    const bool outside = !g_setup.schedule.Records(step);
    if (outside && g_setup.schedule.IsOver(step)) g_steps_are_over.store(true);
    ChangeAndTell(log, [=](GateWord gate) { return WithReason(gate, kNoStep, outside); });
  }
  const GateWord gate = g_gate.load(std::memory_order_acquire)->load(std::memory_order_relaxed);
  // A step to record that begins while something else closes the gate may be opened within.
  const bool asked = !g_setup.schedule.empty() && g_setup.schedule.Records(step);
  if (asked || !IsClosedFor(log, gate)) Tell(log, GateEvent::kStepBegins, Ticks(), gate, step);
  const uint32_t to_tell = g_bare_steps_to_tell.load(std::memory_order_relaxed);
  if (__builtin_expect(to_tell != 0, 0)) {
    uint32_t expected = to_tell;  // another thread may have ended it
    g_bare_steps_to_tell.compare_exchange_strong(expected, to_tell - 1);
    Tell(log, GateEvent::kBareStepBegins, Ticks(), gate, step);
  }
  return true;
}

// Only at the next step's begin is known that this one was not the program's last.
void EndStep(ThreadLog& log) {
  g_in_step.store(false, std::memory_order_relaxed);
  const StepSchedule& schedule = g_setup.schedule;
  const uint64_t steps = g_steps_begun.load(std::memory_order_relaxed);
  if (schedule.empty() || !schedule.Records(steps - 1) || schedule.Records(steps)) return;
  const GateWord gate = g_gate.load(std::memory_order_acquire)->load(std::memory_order_relaxed);
  Tell(log, GateEvent::kLastStepEnds, Ticks(), gate, steps - 1);
}

}  // namespace

void PrepareGate(SegmentHeader* header, uint64_t start_ns) {
  GateWord gate = g_copy.load(std::memory_order_relaxed);
  if (g_prepared) {  // a fork's child: who had the parent's steps may not be here
    g_stepper.store(0, std::memory_order_relaxed);
    g_in_step.store(false, std::memory_order_relaxed);
    g_bare_steps_to_tell.store(0, std::memory_order_relaxed);  // its own collectors have to leave
  } else {
    ReadOptions(start_ns);
    g_prepared = true;
    gate = FirstReasons();
  }
  const uint64_t now = MonotonicNs();
  gate = WithReason(gate, kTooEarly, now < g_setup.open_after_ns);
  gate = WithReason(gate, kTooLate, g_setup.close_after_ns != 0 && now >= g_setup.close_after_ns);
  header->gate.store(gate, std::memory_order_relaxed);
  header->closed_ns.store(now, std::memory_order_relaxed);
  header->open_after_ns = g_setup.open_after_ns;
  header->close_after_ns = g_setup.close_after_ns;
  const uint32_t of_threads = g_setup.by_thread && AnyStageNames() ? kStagesOfThreads : 0;
  header->facts.gate = IsGated() ? kIsGated | of_threads | ReasonsOf(gate) : 0;
  g_copy.store(gate, std::memory_order_relaxed);
  g_gate.store(&header->gate, std::memory_order_release);
}

bool IsOutsideStage() {
  if (!g_setup.by_thread) return false;
  return (AnyStageNames() && t_stages.stages == 0) || t_stages.excluded != 0;
}

void TellStageOfThread(ThreadLog& log) {
  if (!g_setup.by_thread || t_stages.stages == 0 || (log.busy & kOutsideStage) != 0) return;
  std::atomic<GateWord>* gate = g_gate.load(std::memory_order_acquire);
  const uint64_t now = Ticks();
  const GateWord after = gate->fetch_add(kOneChange, std::memory_order_acq_rel) + kOneChange;
  Tell(log, GateEvent::kThreadOpened, now, after);
}

uint8_t EnterMarked(ThreadLog& log, uint8_t marks, bool nests) {
  if (!nests && g_setup.by_thread) marks &= kMarkStep;
  if ((marks & kMarkStep) != 0 && !BeginStep(log)) marks &= static_cast<uint8_t>(~kMarkStep);
  CountStage(log, marks, true);
  return marks;
}

void LeaveMarked(ThreadLog& log, uint8_t marks) {
  CountStage(log, marks, false);
  if ((marks & kMarkStep) != 0) EndStep(log);
}

bool ProfilerGates() { return OptionNumber(OptionIndex("gate")) == kByCudaProfiler; }

bool RecordingIsOver() {
  const std::atomic<GateWord>* gate = g_gate.load(std::memory_order_acquire);
  return g_steps_are_over.load() ||
         (gate != nullptr && (gate->load(std::memory_order_relaxed) & kTooLate) != 0);
}

bool IsShut() {
  const std::atomic<GateWord>* gate = g_gate.load(std::memory_order_acquire);
  return gate != nullptr && IsShutBy(gate->load(std::memory_order_relaxed));
}

void WhenOpened(void (*opens)()) { g_opens.store(opens, std::memory_order_release); }

void TellBareSteps(bool bare) {
  g_bare_steps_to_tell.store(bare ? kMostBareSteps : 0, std::memory_order_relaxed);
}

void SetProfiled(ThreadLog& log, bool profiled) {
  if (!g_setup.by_profiler) return;
  ChangeAndTell(log, [=](GateWord gate) { return WithReason(gate, kNotProfiled, !profiled); });
}

bool SetPaused(ThreadLog& log, bool paused) {
  if (!g_setup.by_program) return false;
  ChangeAndTell(log, [=](GateWord gate) { return WithReason(gate, kPaused, paused); });
  return true;
}

bool IsRecordingNow() {
  const std::atomic<GateWord>* gate = g_gate.load(std::memory_order_acquire);
  if (gate != nullptr) return IsOpen(gate->load(std::memory_order_relaxed)) && !IsOutsideStage();
  const size_t lists[] = {OptionIndex("stages"), OptionIndex("steps"), OptionIndex("schedule")};
  for (const size_t list : lists) {
    if (*OptionText(list) != '\0') return false;
  }
  return !ProfilerGates() && OptionNumber(OptionIndex("delay")) == 0;
}

}  // namespace syncline
