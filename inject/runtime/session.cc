// SPDX-License-Identifier: Apache-2.0
// The session's state machine.
#include "inject/runtime/session.h"

#include <pthread.h>

#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/collect_list.h"
#include "inject/core/collector.h"
#include "inject/core/futex.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/process_facts.h"
#include "inject/core/range_gate.h"
#include "inject/core/rank_list.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"
#include "inject/runtime/collector_calls.h"
#include "inject/runtime/exit_hooks.h"
#include "inject/runtime/hand_over.h"
#include "inject/runtime/in_process_consumer.h"
#include "inject/runtime/not_recorded.h"
#include "inject/runtime/rings.h"
#include "inject/runtime/segment_maker.h"
#include "inject/runtime/spawn_recovery.h"
#include "inject/runtime/thread_entry.h"
#include "inject/runtime/thread_logs.h"

// What pthread_atfork calls; weak, because musl lacks it (recording_allowed.cc).
extern "C" __attribute__((weak)) int __register_atfork(void (*)(), void (*)(), void (*)(), void*);

namespace syncline {
namespace {

// For how many kOneWaitNs a thread's first record waits while another thread makes the segment.
// That takes less than a millisecond; the rest is for machines whose processors or disks are taken.
constexpr int kStartWaits = 12;

std::atomic<ProcessState*> g_process;
std::atomic<uint64_t> g_early_losses[kLossKinds];  // before there is a segment
std::atomic<bool> g_fork_handler;
std::atomic<uint32_t> g_left_out;  // told to the launcher; a fork's child need not tell it again

// Of kernels without MADV_WIPEONFORK all that is inherited is forgotten here.
void ForkChild() {
  ErrnoKeeper keeper;
  CloseInheritedSpool();
  ProcessState* process = FindProcess();
  if (process != nullptr && (process->state.load(std::memory_order_relaxed) != SessionState::kOff ||
                             process->started.load(std::memory_order_relaxed) != 0)) {
    g_process.store(nullptr, std::memory_order_relaxed);
  }
  t_log = nullptr;
  BeForksChildInWords();
  LogSetArea(nullptr, nullptr, 0);  // it is the parent's
  for (size_t i = 0; i < kLossKinds; ++i) g_early_losses[i].store(0, std::memory_order_relaxed);
  TellCollectorsOfFork();
}

// On CLOCK_MONOTONIC; without /proc when its segment was made.
uint64_t StartOfProcess(const SegmentHeader& header) {
  constexpr uint64_t kNsOfClockTick = 10'000'000;  // USER_HZ is 100 on all that we run on
  const uint64_t boottime = header.facts.start_time * kNsOfClockTick;
  const uint64_t age = header.start.boottime_ns - boottime;
  const bool known = header.facts.start_time != 0 && age < header.start.monotonic_ns;
  return header.start.monotonic_ns - (known ? age : 0);
}

// Makes `memory` the segment that threads enter. False: no memory to keep notes of it.
bool Install(ProcessState* process, const SegmentMemory& memory) {
  Session& session = process->session;
  SegmentNotes* notes =
      InitSegment(memory, static_cast<uint64_t>(OptionNumber(OptionIndex("memory.ring"))));
  if (notes == nullptr) return false;
  SegmentHeader* header = notes->header;
  session.notes.store(notes, std::memory_order_release);
  session.bytes = memory.bytes;
  session.header.store(header);
  LogSetArea(&header->log_bytes, header->log, kLogBytes);
  PrepareGate(header, StartOfProcess(*header));
  for (size_t i = 0; i < kLossKinds; ++i) {
    header->losses[i].fetch_add(g_early_losses[i].exchange(0));
  }
  return true;
}

void ReportUnknownVariable(const char* name, const char* nearest, void*) {
  TextBuffer text;
  text.Add(name).Add(", which is no option of Syncline");
  if (*nearest != '\0') text.Add("; the nearest is ").Add(nearest);
  Log(LogLevel::kWarn, "ignored the variable", text.text());
}

void ReportBadValue(size_t index, const char* value, void*) {
  char name[64];
  OptionVariable(index, name);
  TextBuffer text;
  text.Add(name).Add("=").Add(value).Add("; it counts as ").Add(OptionText(index));
  Log(LogLevel::kWarn,
      "ignored the value of a variable, which is none of its option:", text.text());
}

// A launcher refuses such a list; without one the program runs, and its trace says so.
void ReportUnknownCollectors() {
  const char* list = OptionText(OptionIndex("collect"));
  TextBuffer unknown;
  for (std::string_view word = NextWord(&list); !word.empty(); word = NextWord(&list)) {
    if (IsCollectorWord(word)) continue;
    unknown.Add(unknown.length() == 0 ? "" : ", ").Add(word.data(), word.size());
  }
  if (unknown.length() != 0)
    Log(LogLevel::kWarn,
        "ignored in SYNCLINE_COLLECT, because no collector has this name:", unknown.text());
}

// What a launcher refuses before the program starts, and what nobody can know before.
void ReportRanks() {
  const char* list = OptionText(OptionIndex("ranks"));
  if (*list == '\0') return;
  TextBuffer bad;
  for (const char* rest = list;;) {
    const std::string_view word = NextWord(&rest);
    if (word.empty()) break;
    if (ParseRankWord(word).kind != RankWord::Kind::kBad) continue;
    bad.Add(bad.length() == 0 ? "" : ", ").Add(word.data(), word.size());
  }
  if (bad.length() != 0)
    Log(LogLevel::kWarn, "ignored in SYNCLINE_RANKS, because they name no rank:", bad.text());
  const RankFacts rank = FindRank(Environment);
  if (rank.rank < 0) {
    Log(LogLevel::kWarn, "recorded although --ranks was given, because it has no rank");
  } else if (ChooseRank(list, rank) == RankChoice::kUnknown) {
    Log(LogLevel::kWarn,
        "recorded although --ranks may not mean it, because its number on the node is not known");
  }
}

void SendNoteOfProcess(uint32_t left_out) {
  if (*VariableText(Variable::kSocket) == '\0') return;
  ChooseClockCalls();
  StartNote note;
  std::memset(&note, 0, offsetof(StartNote, facts));
  FillProcessFacts(&note.facts);
  note.magic = kStartNoteMagic;
  note.layout_version = kLayoutVersion;
  note.clock = static_cast<uint32_t>(
      ClockId::kMonotonic);  // the TSC is looked for only by processes that record
  note.left_out = left_out;
  note.start = TakeAnchor(ClockId::kMonotonic);
  SendNote(note);
}

// One starter at a time (SessionState::kStarting); not on the stack, which may be a small one.
InProcessFiles g_in_process_files;

bool FindFiles(bool launcher_near) {
  ProcessFacts facts;
  FillProcessFacts(&facts);
  g_in_process_files = InProcessFiles();
  if (FindInProcessFiles(facts, launcher_near, &g_in_process_files)) return true;
  TellNoFiles(g_in_process_files.error, g_in_process_files.folder.text());
  return false;
}

// False, and told.
bool NoMemory() {
  CountLoss(kLoss_no_segment);
  TellNotRecorded(
      "no memory for records (ulimit -v or -f is too small, or -l for a program that locks its "
      "memory)");
  return false;
}

// Makes `memory` the present segment, or gives it back: no descriptor stays open in the program,
// and no file that nobody finds.
bool InstallOrDiscard(ProcessState* process, const SegmentMemory& memory) {
  if (memory.memory == nullptr) return false;
  if (Install(process, memory)) return true;
  if (memory.fd >= 0) SysClose(memory.fd);
  SysUnmap(memory.memory, memory.mapped);
  if (memory.path[0] != '\0') {
    SysCall(SYS_unlink, AsLong(memory.path));
    SysCall(SYS_unlink, AsLong(g_in_process_files.link.text()));
  }
  return false;
}

// Recording with a consumer of our own; `launcher_near`: a launcher of this node will write the
// traces. False: no memory or no place for the spool.
bool StartAlone(ProcessState* process, bool launcher_near) {
  if (!FindFiles(launcher_near)) return false;
  SegmentMemory memory = MakeInProcessSegment(g_in_process_files.link.text());
  if (!InstallOrDiscard(process, memory)) return NoMemory();
  if (memory.fd >= 0) SysClose(memory.fd);
  process->session.handed_over.store(false, std::memory_order_relaxed);
  if (!StartInProcessConsumer(process, g_in_process_files, false)) {
    if (memory.path[0] != '\0') {
      SysCall(SYS_unlink, AsLong(memory.path));
      SysCall(SYS_unlink, AsLong(g_in_process_files.link.text()));
    }
    return false;
  }
  ClaimRecovery(g_in_process_files, process->session.header.load(std::memory_order_relaxed)->facts);
  return true;
}

// Recording into a segment that the launcher at the other end of `socket` drains.
bool StartHandedOver(ProcessState* process, int socket) {
  SegmentMemory memory = MakeSharedSegment();
  if (!InstallOrDiscard(process, memory)) return NoMemory();
  Session& session = process->session;
  Doorbell* doorbell = nullptr;
  const HandOverResult result = HandOverSegment(socket, memory.fd, memory.bytes, &doorbell);
  SysClose(memory.fd);
  if (result == HandOverResult::kRefused) return false;
  if (result == HandOverResult::kFailed) {  // nobody has it: drained here, but it does not survive
                                            // the process
    static_cast<SegmentHeader*>(memory.memory)
        ->degraded.fetch_or(kAnonymousMemory, std::memory_order_relaxed);
    return FindFiles(true) && StartInProcessConsumer(process, g_in_process_files, false);
  }
  if (doorbell == nullptr)
    session.header.load()->degraded.fetch_or(kNoDoorbell, std::memory_order_relaxed);
  session.doorbell.store(doorbell, std::memory_order_release);
  session.handed_over.store(true, std::memory_order_release);
  return true;
}

bool Start(ProcessState* process) {
  g_clock = NodeClock();
  PrepareThreadEnd();
  WatchForks();
  const bool alone = std::strcmp(OptionText(OptionIndex("consumer")), "process") == 0;
  const int socket = ConnectToLauncher(!alone);
  const bool good =
      socket >= 0 && !alone ? StartHandedOver(process, socket) : StartAlone(process, socket >= 0);
  if (socket >= 0) SysClose(socket);
  if (!good) return false;
  ForEachUnknownVariable(ReportUnknownVariable, nullptr);
  ForEachBadValue(ReportBadValue, nullptr);
  ReportUnknownCollectors();
  ReportRanks();
  InstallExitHooks();
  StartDueCollectors(process, true);
  return true;
}

// Ends kStarting. Thousands of threads may wait for it: none of them polls.
void SetState(ProcessState* process, SessionState state) {
  // Release: pairs with the acquire in EnsureSession; whoever sees kOn sees the whole session.
  process->state.store(state, std::memory_order_release);
  WakeAll(&process->state);
}

}  // namespace

void BeForksChild() { ForkChild(); }

void WatchForks() {
  if (__register_atfork != nullptr && !g_fork_handler.exchange(true))
    __register_atfork(nullptr, nullptr, ForkChild, nullptr);  // null: as the program itself
}

ProcessState* FindProcess() { return g_process.load(std::memory_order_acquire); }

ProcessState* GetProcess() {
  ProcessState* process = FindProcess();
  if (process != nullptr) return process;  // in a fork's child all zeros
  ChooseClockCalls();                      // before the first look at a clock
  auto* made = static_cast<ProcessState*>(MapWiped(sizeof(ProcessState)));
  if (made == nullptr) return nullptr;
  if (g_process.compare_exchange_strong(process, made, std::memory_order_acq_rel)) return made;
  SysUnmap(made, sizeof(ProcessState));
  return process;
}

bool CollectorEnabled(const char* name) {
  return IsCollected(OptionText(OptionIndex("collect")), name);
}

bool EnsureSession(ProcessState* process) {
  const uint32_t tid = SysTid();
  CountedWaits waits(kStartWaits);
  for (;;) {
    SessionState state = process->state.load(std::memory_order_acquire);
    if (state == SessionState::kOn) return true;
    if (state == SessionState::kRefused) return false;
    if (state == SessionState::kOff &&
        process->state.compare_exchange_strong(state, SessionState::kStarting)) {
      process->starter.store(tid, std::memory_order_relaxed);
      const bool on = RecordingAllowed() && Start(process);
      SetState(process, on ? SessionState::kOn : SessionState::kRefused);
      return on;
    }
    if (process->starter.load(std::memory_order_relaxed) == tid ||
        process->starts_slowly.load(std::memory_order_relaxed))
      return false;
    if (!waits.Wait(&process->state, static_cast<uint32_t>(SessionState::kStarting))) {
      process->starts_slowly.store(true, std::memory_order_relaxed);
      return false;
    }
  }
}

bool TakeOver(ProcessState* process, bool ends) {
  Session& session = process->session;
  const SignalBlocker blocker;  // a handler that left this by a jump would keep `taking_over`
  if (!session.handed_over.load(std::memory_order_acquire) || session.taking_over.exchange(true))
    return false;
  SegmentHeader* header = session.header.load(std::memory_order_acquire);
  Continued result = ContinueAfterLauncher(process, ends);
  // One that nobody has drained yet is begun anew.
  if (result == Continued::kFailed && header->consumer.spool.load(std::memory_order_relaxed) == 0 &&
      FindFiles(false) && StartInProcessConsumer(process, g_in_process_files, ends))
    result = Continued::kYes;
  if (result != Continued::kYes) {
    // It may also be that this process, locked into a sandbox since, sees neither spool nor socket:
    // nothing changes. If the launcher is gone, the recording has no end, which readers tell.
    session.taking_over.store(false);
    return false;
  }
  header->degraded.fetch_or(kAnonymousMemory, std::memory_order_relaxed);
  session.handed_over.store(false, std::memory_order_release);
  Log(LogLevel::kWarn, "the launcher is gone; this process now drains its records itself");
  return true;
}

void RecoverAtExit(ProcessState* process) {
  const ProcessFacts& facts = NotesOf(process)->facts;
  if (FindInProcessFiles(facts, false, &g_in_process_files))
    ClaimRecovery(g_in_process_files, facts);
}

void CountLoss(Loss kind, uint64_t count) {
  ProcessState* process = FindProcess();
  // Added first and moved then, as Install does: sequentially consistent, so that one of the two
  // sees what the other did.
  g_early_losses[kind].fetch_add(count);
  SegmentHeader* header = process == nullptr ? nullptr : process->session.header.load();
  if (header != nullptr) header->losses[kind].fetch_add(g_early_losses[kind].exchange(0));
}

void TellLeftOut(Source source) {
  const uint32_t bit = uint32_t{1} << source;
  if ((g_left_out.load(std::memory_order_relaxed) & bit) != 0) return;
  if ((g_left_out.fetch_or(bit, std::memory_order_relaxed) & bit) != 0 || !RecordingAllowed())
    return;
  const ErrnoKeeper keeper;
  SendNoteOfProcess(bit);
}

void SendStartNote() { SendNoteOfProcess(0); }

}  // namespace syncline
