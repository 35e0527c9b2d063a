// SPDX-License-Identifier: Apache-2.0
// The consumer of a node: one thread talks to processes, one drains their segments.
#include "launcher/record/recorder.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>

#include "inject/consumer/guarded_mapping.h"
#include "inject/consumer/poll_pace.h"
#include "inject/consumer/segment_drain.h"
#include "inject/core/clock.h"
#include "launcher/host/held_directory.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/record/bells.h"
#include "launcher/record/foreign_segment.h"
#include "launcher/record/hand_over_server.h"
#include "launcher/record/mapped_memory.h"
#include "launcher/record/other_roots.h"
#include "launcher/record/process_watch.h"
#include "launcher/record/refusal_text.h"
#include "launcher/record/rest_spool.h"
#include "launcher/record/spool_maker.h"
#include "launcher/start/unrecorded.h"

namespace syncline {
namespace {

constexpr uint64_t kAnchorEveryNs = 4000000000;
constexpr uint64_t kBudgetEveryNs = 200000000;
constexpr uint64_t kSpaceWaitNs = 1000000000;  // at the end, for a full file system
constexpr uint64_t kDyingNs = 3000000000;      // at the end, for a killed process with much memory
constexpr int kMostLastRounds = 64;  // of what has connected, before all else waits no more
constexpr uint64_t kLastBreathNs =
    20000000;  // processes that end together with the program are waited for this long

// Segments and notes of one process of another user that are not done with: each takes descriptors.
// A process that becomes other programs has a few at a time.
constexpr ptrdiff_t kMostOfAnother = 32;

// A process that recorded or sent a note. The server thread makes it; after that only the consumer
// thread touches `drain`, `spool` and `memory`.
struct AttachedProcess {
  AttachedProcess(int pid, int pidfd) : watch(pid, pidfd), process{} { process.pid = pid; }
  ~AttachedProcess() {
    if (memory_fd >= 0) close(memory_fd);
  }

  ProcessWatch watch;
  RecordedProcess process;  // its pid: outside our pid namespace as the process itself sees it
  bool ours = true;         // of the launcher's user
  ForeignSegment foreign;   // where it is not
  int memory_fd = -1;
  ino_t inode = 0;          // of that file; never changes
  int own_pid = 0;          // of the process, as that file says, and
  uint64_t start_time = 0;  // when it started; these never change
  GuardedMapping memory;
  std::unique_ptr<SegmentDrain> drain;
  SpoolFile spool;
  SpoolFile rest;  // of a process that outlives us, held until we are done with its segment
  std::atomic<bool> settled{false};  // all that came with its first message was taken
  std::atomic<bool> gone{false};
  std::atomic<bool> replaced{false};  // by another program in the same process
  std::atomic<uint64_t> gone_ns{0};
  std::atomic<bool> waits_for_space{false};  // its records, which are in memory
  bool finished = false;                     // the consumer thread's
  bool recorded = false;  // of a note: its process handed over a segment too; under the lock
};

// Whether this is the note of the process that is `pid` here, 0 outside our pid namespace, and
// `own_pid` for itself.
bool IsOf(const AttachedProcess& attached, int pid, int own_pid, uint64_t start_time) {
  const StartNote* note = attached.process.note.get();
  return attached.watch.pid() == pid && note != nullptr && note->facts.pid == own_pid &&
         note->facts.start_time == start_time;
}

class RecorderThreads final : public Recorder {
 public:
  ~RecorderThreads() override {
    Stop();
    if (stop_fd_ >= 0) close(stop_fd_);
  }

  explicit RecorderThreads(const std::string& run_directory) : other_roots_(run_directory) {}
  bool Begin(const RecorderConfig& config, std::string* error);
  bool HasRecords() const override { return any_.load(std::memory_order_relaxed); }
  std::vector<int> Recording() const override;
  void ChildStarted(int pid) override;
  void ChildEnded(int pid, int wait_status) override;
  RecorderResult Finish() override;

 private:
  void ServerLoop();
  void ServeOnce();
  void ConsumerLoop();
  bool TakeSegment(const OfferedSegment& offer);
  void TakeNote(const ReceivedNote& received);
  bool HasTooMany(int pid, uid_t user);
  std::shared_ptr<AttachedProcess> Attach(const OfferedSegment& offer, std::string* why);
  void TellOfBroken(const AttachedProcess& attached);
  bool MakeSpool(AttachedProcess* attached, SegmentHeader* header, std::string* why);
  std::vector<std::shared_ptr<AttachedProcess>> Attached();
  void FinishProcess(AttachedProcess* attached, bool gone);
  void LeaveRest(AttachedProcess* attached);
  void Keep(const AttachedProcess& attached);
  void Retire();
  void DescribeRefusals();
  void WatchBudget(const std::vector<std::shared_ptr<AttachedProcess>>& all);
  void TellOfMemory(bool of_all);
  void TellOfDisk(const AttachedProcess& attached);
  template <typename Predicate>
  void WaitWhileAny(Predicate predicate, uint64_t most_ns);
  void Stop();

  RecorderConfig config_;
  DiskBudget budget_{};
  std::unique_ptr<SpoolMaker> spool_maker_;
  HandOverServer server_;
  Bells bells_;
  int stop_fd_ = -1;
  std::thread server_thread_;
  std::thread consumer_thread_;
  std::atomic<bool> stop_server_{false};
  std::atomic<bool> stop_consumer_{false};
  std::atomic<bool> over_budget_{false};       // for other users' processes
  std::atomic<bool> ours_over_budget_{false};  // for those of our own
  std::atomic<bool> attached_{false};          // a segment since the last poll
  std::atomic<bool> any_{false};               // or before; pairs with nothing
  uint64_t budget_checked_ns_ = 0;
  bool told_of_memory_ = false;
  bool told_of_disk_ = false;
  std::atomic<uint64_t> foreign_bytes_{0};  // mapped, of other users' segments
  OtherRoots other_roots_;                  // the consumer thread's
  int rounds_with_more_ = 0;                // the server thread's: one behind the other

  mutable std::mutex mutex_;  // guards the fields below
  std::vector<std::shared_ptr<AttachedProcess>>
      processes_;  // of living processes, and not drained ones
  // Notes seen to the end, by rank and whether the process recorded something too: it is shown
  // then, whatever becomes of its note.
  std::map<std::pair<int, bool>, uint64_t> notes_;
  uint64_t refused_segments_ = 0;
  uint64_t broken_segments_ = 0;
  RecorderResult result_{};
  std::atomic<int> child_pid_{0};
  std::atomic<bool> child_ended_{false};
  int child_status_ = 0;
};

bool RecorderThreads::Begin(const RecorderConfig& config, std::string* error) {
  config_ = config;
  spool_maker_ = std::make_unique<SpoolMaker>(config.spool_directory, config.make_local_folder);
  budget_.process_bytes = config.disk_process;
  budget_.node_bytes = config.disk_node;
  budget_.reserve_bytes = config.disk_reserve;
  stop_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_fd_ < 0) {
    *error = "cannot make an eventfd: " + SetupErrorText(errno);
    return false;
  }
  if (!bells_.Make(error) || !server_.Bind(config.socket_prefix, error)) return false;
  SignalBlocker blocker;  // inherited: signals are for the launcher's main thread
  // Thrown on: where no thread can be had, the program's processes get none from us either.
  server_thread_ = std::thread([this] { ServerLoop(); });
  consumer_thread_ = std::thread([this] { ConsumerLoop(); });
  return true;
}

void RecorderThreads::ServerLoop() {
  while (!stop_server_.load(std::memory_order_acquire)) ServeOnce();
  // What was sent before now is ours, also from processes that are gone; `stop_fd_` is readable, so
  // nothing here waits.
  const uint64_t deadline = MonotonicNs() + uint64_t{kHandOverWaitMs} * 1000000;
  int rounds = 0;
  do {
    ServeOnce();
  } while (server_.HasMore() ? ++rounds < kMostLastRounds
                             : server_.HasPending() && MonotonicNs() < deadline);
  server_.Close();  // whoever begins to record now drains itself
}

void RecorderThreads::ServeOnce() {
  std::vector<std::shared_ptr<AttachedProcess>> watched;
  std::vector<int> fds;
  for (const auto& attached : Attached()) {
    if (attached->gone.load(std::memory_order_relaxed) || attached->watch.fd() < 0) continue;
    watched.push_back(attached);
    fds.push_back(attached->watch.fd());
  }
  const auto ended = server_.Serve(
      stop_fd_, fds, [this](uid_t user) { return bells_.Of(user); },
      [this](const OfferedSegment& offer) { return TakeSegment(offer); },
      [this](const ReceivedNote& received) { TakeNote(received); },
      [this](const LostProgramNote& note) {
        std::lock_guard<std::mutex> lock(mutex_);
        CountLostProgram(note, &result_.lost_programs);
      });
  // What was not heard yet may be of processes that are gone: each sends a note, then a segment.
  if (server_.HasMore() && ++rounds_with_more_ < kMostLastRounds) return;
  rounds_with_more_ = 0;
  for (const size_t index : ended) {
    watched[index]->gone_ns.store(MonotonicNs(), std::memory_order_relaxed);
    watched[index]->gone.store(true, std::memory_order_release);
  }
  for (const auto& attached : Attached()) attached->settled.store(true, std::memory_order_release);
}

std::vector<std::shared_ptr<AttachedProcess>> RecorderThreads::Attached() {
  std::lock_guard<std::mutex> lock(mutex_);
  return processes_;
}

std::vector<int> RecorderThreads::Recording() const {
  std::vector<int> pids;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& attached : processes_) {
    if (attached->ours && attached->watch.pid() != 0 &&
        !attached->gone.load(std::memory_order_relaxed))
      pids.push_back(attached->watch.pid());
  }
  return pids;
}

bool RecorderThreads::MakeSpool(AttachedProcess* attached, SegmentHeader* header,
                                std::string* why) {
  const int pid = attached->process.pid;
  const auto begin = [&] {
    attached->drain = std::make_unique<SegmentDrain>();
    return attached->drain->Open(header, attached->memory.bytes(), &attached->spool, pid,
                                 ConsumerKind::kLauncher);
  };
  attached->process.spool_path =
      spool_maker_->Make(pid, attached->start_time, &budget_, &attached->spool, begin);
  if (!attached->process.spool_path.empty()) return true;
  const int error = attached->spool.error();
  *why = error == 0 ? Text("process ", pid, ": ", attached->drain->why())
                    : Text("cannot create a spool in ", ShellQuote(config_.spool_directory), ": ",
                           ErrorText(error));
  return false;
}

std::shared_ptr<AttachedProcess> RecorderThreads::Attach(const OfferedSegment& offer,
                                                         std::string* why) {
  auto attached = std::make_shared<AttachedProcess>(offer.pid, offer.pidfd);
  attached->memory_fd = offer.memory_fd;
  struct stat info;
  if (fstat(offer.memory_fd, &info) != 0 ||
      info.st_size < static_cast<off_t>(sizeof(SegmentHeader))) {
    *why = "process " + std::to_string(offer.pid) + " handed over something that is no segment";
    return nullptr;
  }
  attached->ours = offer.user == geteuid();
  if (!attached->ours)
    *why = attached->foreign.Admit(offer, static_cast<uint64_t>(info.st_size), &foreign_bytes_);
  if (!why->empty()) return nullptr;
  attached->inode = info.st_ino;
  if (const int error = attached->memory.Map(offer.memory_fd, static_cast<size_t>(info.st_size));
      error != 0) {
    *why = std::string("cannot map a segment: ") + std::strerror(error);
    return nullptr;
  }
  auto* header = static_cast<SegmentHeader*>(attached->memory.memory());
  attached->own_pid = header->facts.pid;
  attached->start_time = header->facts.start_time;
  if (offer.pid == 0) attached->process.pid = attached->own_pid;
  if (!MakeSpool(attached.get(), header, why)) return nullptr;
  SetSpoolPath(header, NameOfHeld(attached->spool.path()).c_str());
  return attached;
}

// With the lock held.
bool RecorderThreads::HasTooMany(int pid, uid_t user) {
  const auto is_its = [pid](const auto& attached) { return attached->watch.pid() == pid; };
  return user != geteuid() &&
         std::count_if(processes_.begin(), processes_.end(), is_its) >= kMostOfAnother;
}

bool RecorderThreads::TakeSegment(const OfferedSegment& offer) {
  std::string why;
  std::shared_ptr<AttachedProcess> attached;
  const bool ours = offer.user == geteuid();
  std::unique_lock<std::mutex> lock(mutex_);
  if (HasTooMany(offer.pid, offer.user)) {
    why = "process " + std::to_string(offer.pid) + " of uid " + std::to_string(offer.user) +
          " handed over more than the launcher keeps for one process";
  } else if ((ours ? ours_over_budget_ : over_budget_).load(std::memory_order_relaxed)) {
    why = "the memory budget of the node is used up: process " + std::to_string(offer.pid) +
          " is not recorded (raise --memory-node)";
  }
  lock.unlock();
  if (why.empty()) {
    attached = Attach(offer, &why);
  } else {
    close(offer.memory_fd);
    if (offer.pidfd >= 0) close(offer.pidfd);
  }
  lock.lock();
  if (attached == nullptr) {
    if (refused_segments_++ == 0) result_.refusals.push_back(why);
    return false;
  }
  // A program that another one took the place of (exec) writes no more: its segment need not wait
  // for the process's end.
  for (const auto& before : processes_) {
    if (before->watch.pid() == offer.pid && before->inode != 0 &&
        !MapsFile(offer.pid, before->inode))
      before->replaced.store(true, std::memory_order_release);
    if (IsOf(*before, offer.pid, attached->own_pid, attached->start_time)) before->recorded = true;
  }
  processes_.push_back(attached);
  any_.store(true, std::memory_order_relaxed);
  attached_.store(true, std::memory_order_release);
  bells_.Ring();
  return true;
}

void RecorderThreads::TakeNote(const ReceivedNote& received) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (received.note.left_out != 0 || HasTooMany(received.pid, received.user)) {
    result_.left_out |= received.note.left_out;
    if (received.pidfd >= 0) close(received.pidfd);
    return;
  }
  for (const auto& attached : processes_) {
    // the next program in the same process (exec): its facts are the ones to show
    if (IsOf(*attached, received.pid, received.note.facts.pid, received.note.facts.start_time)) {
      auto note = std::make_shared<StartNote>(received.note);
      note->start = attached->process.note->start;
      attached->process.note = std::move(note);
      if (received.pidfd >= 0) close(received.pidfd);
      return;
    }
  }
  auto attached = std::make_shared<AttachedProcess>(received.pid, received.pidfd);
  attached->ours = received.user == geteuid();
  if (received.pid == 0) attached->process.pid = received.note.facts.pid;
  attached->process.note = std::make_shared<StartNote>(received.note);
  attached->process.start_realtime_ns = received.note.start.realtime_ns;
  processes_.push_back(attached);
}

void RecorderThreads::FinishProcess(AttachedProcess* attached, bool gone) {
  if (attached->finished) return;
  attached->finished = true;
  RecordedProcess& process = attached->process;
  process.gone = gone;
  process.end_monotonic_ns = attached->gone_ns.load(std::memory_order_relaxed);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (attached->watch.pid() == child_pid_ && child_ended_) {
      process.status_known = true;
      process.wait_status = child_status_;
    }
  }
  if (!process.status_known)
    process.status_known = gone && attached->watch.ExitStatus(&process.wait_status);
  if (attached->drain != nullptr) {
    if (attached->memory.broken()) attached->drain->CountDamage();
    attached->drain->Finish(gone, process.status_known, process.wait_status);
  }
  process.spool_path = spool_maker_->SaveIfRemoved(attached->spool, process.spool_path);
  if (attached->drain != nullptr && !gone) LeaveRest(attached);
  if (attached->memory.broken()) TellOfBroken(*attached);
  attached->spool.Close();
  attached->memory.Unmap();
  attached->foreign.Release();
  if (attached->memory_fd >= 0) close(attached->memory_fd);
  attached->memory_fd = -1;
  attached->drain.reset();
}

// Of a process that cut its memory short, or whose file system has no room for it.
void RecorderThreads::TellOfBroken(const AttachedProcess& attached) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (broken_segments_++ != 0) return;
  result_.refusals.push_back(
      "the memory of process " + std::to_string(attached.process.pid) +
      " was cut short (somebody truncated it, or its file system is full): what it recorded from "
      "then on, and a moment before, is lost");
}

// The process lives on, and takes its segment over when it notices that we have ended. Both spools
// are held meanwhile, so that it cannot begin before we are done.
void RecorderThreads::LeaveRest(AttachedProcess* attached) {
  const std::string path = MakeSpoolIn(config_.rest_directory, attached->process.pid,
                                       attached->start_time, &budget_, &attached->rest);
  if (path.empty()) return;
  if (WriteRest(attached->process.spool_path,
                static_cast<SegmentHeader*>(attached->memory.memory()), &attached->rest)) {
    attached->process.rest_path = path;
  } else {
    attached->rest.Close();
    unlink(path.c_str());
  }
}

// With the lock held.
void RecorderThreads::Keep(const AttachedProcess& attached) {
  const RecordedProcess& process = attached.process;
  const int rank = process.note != nullptr ? process.note->facts.rank.rank : -1;
  if (!process.spool_path.empty() || notes_[{rank, attached.recorded}]++ < kMostSilentOfRank) {
    result_.processes.push_back(process);
  } else if (!attached.recorded) {
    ++result_.silent_left_out[rank];
  }
}

// What is known of a finished process is kept, its descriptors are given back.
void RecorderThreads::Retire() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(processes_, [this](const std::shared_ptr<AttachedProcess>& attached) {
    if (attached->finished) Keep(*attached);
    return attached->finished;
  });
}

void RecorderThreads::DescribeRefusals() {
  for (std::string& sentence : other_roots_.Describe())
    result_.refusals.push_back(std::move(sentence));
  if (refused_segments_ > 1) {
    result_.refusals.push_back(std::to_string(refused_segments_) +
                               " processes were refused in all; the first is named above");
  }
  if (broken_segments_ > 1) {
    result_.refusals.push_back("the memory of " + std::to_string(broken_segments_) +
                               " processes was cut short in all; the first is named above");
  }
  for (std::string& sentence : RefusalTexts(server_.refused()))
    result_.refusals.push_back(std::move(sentence));
}

// Adds up what the segments really take; above the budget no ring grows and no process is admitted
// any more. What other users fill leaves our own user's processes half of it.
void RecorderThreads::WatchBudget(const std::vector<std::shared_ptr<AttachedProcess>>& all) {
  const uint64_t now = MonotonicNs();
  if (now - budget_checked_ns_ < kBudgetEveryNs) return;
  budget_checked_ns_ = now;
  uint64_t used = 0;
  uint64_t ours = 0;
  struct stat info;
  for (const auto& attached : all) {
    if (attached->memory_fd < 0 || fstat(attached->memory_fd, &info) != 0) continue;
    const uint64_t bytes = static_cast<uint64_t>(info.st_blocks) * 512;
    used += bytes;
    if (attached->ours) ours += bytes;
  }
  const bool over = used > config_.memory_node;
  const bool ours_over = over && ours > config_.memory_node / 2;
  if (over) TellOfMemory(ours_over);
  over_budget_.store(over, std::memory_order_relaxed);
  ours_over_budget_.store(ours_over, std::memory_order_relaxed);
  bells_.TellOverBudget(ours_over, over);
}

// A job runs for days: who can still do something about it shall know now, not at its end.
void RecorderThreads::TellOfMemory(bool of_all) {
  if (told_of_memory_) return;
  told_of_memory_ = true;
  SayWarning(Text("the records of this node take more than ", SizeText(config_.memory_node),
                  " of memory: ",
                  of_all ? "rings grow no more, and no further process is recorded"
                         : "rings of other users' processes grow no more, and no further one of "
                           "theirs is recorded",
                  "; what is lost is counted (raise --memory-node)"));
}

void RecorderThreads::TellOfDisk(const AttachedProcess& attached) {
  const bool waits = attached.drain->waits_for_space();
  if (told_of_disk_ || (!waits && attached.drain->dropped_bytes() == 0)) return;
  told_of_disk_ = true;
  const std::string where = ShellQuote(config_.spool_directory);
  if (waits) {
    SayWarning(Text("the file system of ", where,
                    " is full: records wait in memory, and what finds no room there is lost and "
                    "counted (free space there)"));
  } else if (attached.spool.error() == 0) {
    SayWarning(Text("the spools in ", where,
                    " have reached their budget: what comes now is lost and counted (raise "
                    "--disk-process or --disk-node)"));
  } else {
    SayWarning(Text("cannot write to ", where, ": ", ErrorText(attached.spool.error()),
                    ": what comes now is lost and counted",
                    attached.spool.error() == EFBIG ? " (raise ulimit -f)" : ""));
  }
}

void RecorderThreads::ConsumerLoop() {
  GuardedMapping::AllowInThread();
  PollPace pace;
  while (!stop_consumer_.load(std::memory_order_acquire)) {
    bells_.Beat();
    uint32_t fullest = 0;
    const auto all = Attached();
    for (const auto& attached : all) {
      if (attached->finished) continue;
      // Who was gone before its message was read may have sent another one: a note, then a segment.
      const bool gone =
          attached->watch.fd() < 0
              ? attached->settled.load(std::memory_order_acquire) && attached->watch.Gone()
              : attached->gone.load(std::memory_order_acquire);
      // The direct child's status comes from its parent, us, a moment later; who that is may come
      // after its end, too.
      const int child = child_pid_;
      const bool wait_for_parent = child == 0 || (attached->watch.pid() == child && !child_ended_);
      if (attached->drain != nullptr && !attached->memory.broken()) {
        uint32_t full = 0;
        attached->drain->Drain(&full);
        attached->drain->Anchors(kAnchorEveryNs);
        TellOfDisk(*attached);
        fullest = std::max(fullest, full);
        attached->waits_for_space.store(attached->drain->waits_for_space(),
                                        std::memory_order_relaxed);
      }
      const bool replaced = attached->replaced.load(std::memory_order_acquire);
      const bool over = replaced || (gone && !wait_for_parent);
      if (over && !attached->waits_for_space.load(std::memory_order_relaxed))
        FinishProcess(attached.get(), true);
    }
    WatchBudget(all);
    other_roots_.Look();
    if (std::any_of(all.begin(), all.end(), [](const auto& s) { return s->finished; })) Retire();
    // What a process records first is taken soon: it may be killed soon, and we with it.
    if (attached_.exchange(false, std::memory_order_acquire)) pace = PollPace();
    bells_.Sleep(pace.Next(fullest));
  }
}

void RecorderThreads::ChildStarted(int pid) {
  std::lock_guard<std::mutex> lock(mutex_);
  child_pid_ = pid;
}

void RecorderThreads::ChildEnded(int pid, int wait_status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (pid != child_pid_) return;
  child_ended_ = true;
  child_status_ = wait_status;
}

void RecorderThreads::Stop() {
  stop_server_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  if (stop_fd_ >= 0 && write(stop_fd_, &one, sizeof(one)) < 0) return;
  if (server_thread_.joinable()) server_thread_.join();
  stop_consumer_.store(true, std::memory_order_release);
  bells_.Ring();
  if (consumer_thread_.joinable()) consumer_thread_.join();
}

// Waits until it is true of no process any more.
template <typename Predicate>
void RecorderThreads::WaitWhileAny(Predicate predicate, uint64_t most_ns) {
  const uint64_t deadline = MonotonicNs() + most_ns;
  for (;;) {
    const auto all = Attached();
    if (std::none_of(all.begin(), all.end(), predicate) || MonotonicNs() > deadline) return;
    SysSleepNs(1000000);
  }
}

RecorderResult RecorderThreads::Finish() {
  WaitWhileAny([](const auto& attached) { return !attached->watch.Gone(); }, kLastBreathNs);
  WaitWhileAny(
      [](const auto& attached) { return !attached->watch.Gone() && attached->watch.Dying(); },
      kDyingNs);
  WaitWhileAny([](const auto& attached) { return attached->waits_for_space.load(); }, kSpaceWaitNs);
  Stop();
  GuardedMapping::AllowInThread();
  for (const auto& attached : processes_) {
    const bool gone = attached->watch.Gone();
    if (gone && attached->gone_ns.load() == 0) attached->gone_ns.store(MonotonicNs());
    FinishProcess(attached.get(), gone);
    Keep(*attached);
  }
  bells_.TellClosing();
  for (const auto& attached : processes_) attached->rest.Close();
  DescribeRefusals();
  DropUnrecordable(&result_.lost_programs);
  return std::move(result_);
}

}  // namespace

std::unique_ptr<Recorder> Recorder::Start(const RecorderConfig& config, std::string* error) {
  auto recorder = std::make_unique<RecorderThreads>(config.run_directory);
  if (!recorder->Begin(config, error)) return nullptr;
  return recorder;
}

}  // namespace syncline
