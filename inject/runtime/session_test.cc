// SPDX-License-Identifier: Apache-2.0
// Tests of the session: how it starts, why it does not, and what a fork's child finds.
#include "inject/runtime/session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "inject/consumer/segment_drain.h"
#include "inject/core/collector.h"
#include "inject/core/futex.h"
#include "inject/core/sys.h"
#include "inject/runtime/in_process_consumer.h"
#include "inject/runtime/rings.h"
#include "inject/runtime/segment_maker.h"
#include "inject/runtime/test_support.h"
#include "inject/runtime/thread_logs.h"

namespace syncline {
namespace {

// While it lives the soft limit is `value`.
class Limit {
 public:
  Limit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    EXPECT_EQ(getrlimit(resource, &before_), 0);
    const rlimit now = {value, before_.rlim_max};
    EXPECT_EQ(setrlimit(resource, &now), 0);
  }
  ~Limit() { EXPECT_EQ(setrlimit(resource_, &before_), 0); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  __rlimit_resource resource_;
  rlimit before_;
};

uint64_t MappedBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  file >> pages;
  return pages * 4096;
}

TEST(Session, TheFirstRecordStartsIt) {
  Recorded([](Recording& recording) {
    EXPECT_EQ(FindProcess(), nullptr) << "nothing is made before";
    const size_t open = OpenDescriptors();
    ASSERT_TRUE(Push("first"));
    EXPECT_EQ(OpenDescriptors(), open) << "no descriptor stays open";
    const Session& session = recording.process()->session;
    EXPECT_EQ(recording.process()->state.load(), SessionState::kOn);
    EXPECT_TRUE(session.handed_over.load());
    EXPECT_EQ(session.doorbell.load(), nullptr);
    EXPECT_NE(recording.header()->degraded.load() & kNoDoorbell, 0u) << "nobody has answered";
    int fd = -1;
    EXPECT_EQ(PretendLauncher::Receive(recording.launcher.Accept(), &fd).size(), sizeof(HandOver));
    const auto* same = static_cast<const SegmentHeader*>(
        mmap(nullptr, sizeof(SegmentHeader), PROT_READ, MAP_SHARED, fd, 0));
    ASSERT_NE(same, MAP_FAILED);
    EXPECT_EQ(same->ring_count.load(), 1u);
    EXPECT_EQ(same->facts.pid, getpid());
    EXPECT_NE(ftruncate(fd, 0), 0) << "what is handed over cannot be made smaller";
  });
}

TEST(Session, LossesBeforeItAreKeptForIt) {
  Recorded([](Recording& recording) {
    CountLoss(kLoss_bad_payload, 3);
    ASSERT_TRUE(Push("first"));
    EXPECT_EQ(recording.Lost(kLoss_bad_payload), 3u);
    CountLoss(kLoss_bad_payload);
    EXPECT_EQ(recording.Lost(kLoss_bad_payload), 4u);
  });
}

void ExpectRefused(Recording* recording) {
  EXPECT_FALSE(Push("refused"));
  EXPECT_EQ(GetProcess()->state.load(), SessionState::kRefused);
  EXPECT_FALSE(EnsureSession(GetProcess()));
  EXPECT_EQ(recording->launcher.Accept(), -1) << "the launcher was asked";
  EXPECT_TRUE(recording->folder.Files("").size() == 1) << "there is more than the socket";
}

TEST(Session, DisabledMeansAbsent) {
  InOwnProcess([] {
    Recording recording({"SYNCLINE_DISABLE=1"});
    EXPECT_FALSE(RecordingAllowed());
    ExpectRefused(&recording);
  });
}

TEST(Session, ASkippedProgramIsNotRecorded) {
  InOwnProcess([] {
    Recording recording(
        {std::string("SYNCLINE_SKIP=other,") + program_invocation_short_name + ",more"});
    EXPECT_FALSE(RecordingAllowed());
    ExpectRefused(&recording);
  });
}

TEST(Session, APartOfANameSkipsNothing) {
  InOwnProcess([] {
    const std::string name = program_invocation_short_name;
    Recording recording({"SYNCLINE_SKIP=" + name.substr(1) + "," + name + "2"});
    EXPECT_TRUE(RecordingAllowed());
  });
}

TEST(Session, WithoutAFolderNothingIsRecorded) {
  InOwnProcess([] {
    TestFolder folder;
    const std::string file = folder.path() + "/file";
    std::ofstream(file) << "no folder";
    Recording recording({"SYNCLINE_CONSUMER=process", "SYNCLINE_SPOOL=" + file + "/below"});
    EXPECT_FALSE(Push("refused"));
    EXPECT_EQ(recording.process()->state.load(), SessionState::kRefused);
    EXPECT_EQ(recording.header(), nullptr);
  });
}

TEST(Session, WithoutRoomForASegmentNothingIsRecorded) {
  InOwnProcess([] {
    Recording recording({"SYNCLINE_CONSUMER=process"});
    const size_t open = OpenDescriptors();
    {
      const Limit limit(RLIMIT_FSIZE, sizeof(SegmentHeader));
      EXPECT_FALSE(Push("refused"));
    }
    EXPECT_EQ(recording.process()->state.load(), SessionState::kRefused);
    EXPECT_EQ(OpenDescriptors(), open);
    EXPECT_TRUE(recording.folder.Files(".spool").empty());
    EXPECT_TRUE(recording.folder.Files(".segment").empty());
  });
}

// With a little more address space at each try, so that each step of the start fails once.
void ExpectNothingIsLeft(const std::string& consumer) {
  Recording recording({"SYNCLINE_CONSUMER=" + consumer});
  ProcessState* process = GetProcess();
  const size_t open = OpenDescriptors();
  // A segment takes a share of the limit: of a small process it would not get anything at all.
  ASSERT_NE(SysMap(128 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1), nullptr);
  int refused = 0;
  for (uint64_t more = 0; process->state.load() != SessionState::kOn; more += 64 << 10) {
    ASSERT_LT(more, 64u << 20);
    process->state.store(SessionState::kOff);
    {
      const Limit limit(RLIMIT_AS, MappedBytes() + more);
      EnsureSession(process);
    }
    close(recording.launcher.Accept());
    // The thread of a session that is on takes its descriptor when it gets a processor; the program
    // waits for that, but not long.
    if (process->state.load() == SessionState::kOn) break;
    ASSERT_EQ(OpenDescriptors(), open) << more;
    ++refused;
    ASSERT_EQ(process->state.load(), SessionState::kRefused);
    ASSERT_TRUE(recording.folder.Files(".segment").empty()) << more;
  }
  EXPECT_GT(refused, 5);
}

TEST(Session, WithoutAddressSpaceItLeavesNoFile) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs address space";
  InOwnProcess([] { ExpectNothingIsLeft("process"); });
}

TEST(Session, WithoutAddressSpaceItLeavesNoDescriptor) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs address space";
  InOwnProcess([] { ExpectNothingIsLeft("auto"); });
}

TEST(Session, ARingThatCannotBeMappedIsTold) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs address space";
  Recorded([](Recording& recording) {
    {
      const Limit limit(RLIMIT_AS, MappedBytes() + (64 << 20));
      ASSERT_TRUE(Push("main"));
    }
    const SegmentNotes* notes = recording.notes();
    ASSERT_LT(notes->piece_end, notes->segment_bytes) << "it is mapped piece by piece";
    const Limit limit(RLIMIT_AS, MappedBytes());
    const uint64_t used = notes->bytes_used.load();
    EXPECT_EQ(TakeRing(recording.process(), 1 << 20), -1);
    EXPECT_EQ(notes->bytes_used.load(), used);
    EXPECT_NE(recording.header()->degraded.load() & kNoAddressSpace, 0u);
  });
}

// --- forks ---

bool BeginsAnew(Recording& recording) {
  const ProcessState* process = FindProcess();
  const bool empty = process->state.load() == SessionState::kOff &&
                     process->session.header.load() == nullptr && process->log_count.load() == 0 &&
                     (t_log == nullptr || t_log->depth_limit == 0);
  const bool recorded = Push("of the child");
  return empty && recorded && recording.header()->facts.pid == SysPid() && t_log->depth == 1 &&
         recording.header()->next_stream.load() == 1;
}

void ExpectForkBeginsAnew(long (*make_child)()) {
  Recording recording;
  CountLoss(kLoss_bad_payload, 3);
  ASSERT_TRUE(Push("of the parent"));
  const uint64_t head = t_log->control->head.load();
  ExpectInChild(make_child, [&recording] {
    return BeginsAnew(recording) && recording.Lost(kLoss_bad_payload) == 0;
  });
  EXPECT_EQ(t_log->control->head.load(), head) << "the child wrote into its parent's ring";
  EXPECT_EQ(t_log->depth, 1u);
  int fd = -1;
  EXPECT_FALSE(PretendLauncher::Receive(recording.launcher.Accept(), &fd).empty());
  EXPECT_FALSE(PretendLauncher::Receive(recording.launcher.Accept(), &fd).empty())
      << "the child's segment";
}

TEST(Session, AForksChildBeginsAnew) {
  InOwnProcess([] { ExpectForkBeginsAnew([] { return static_cast<long>(fork()); }); });
}

TEST(Session, ARawClonesChildBeginsAnew) {
  if (kUnderTsan) GTEST_SKIP() << "ThreadSanitizer does not see the clone";
  InOwnProcess([] { ExpectForkBeginsAnew([] { return SysCall(SYS_clone, SIGCHLD); }); });
}

TEST(Session, ALossOfTheParentIsNotTheChilds) {
  Recorded([](Recording& recording) {
    ASSERT_TRUE(Push("installs what a fork calls"));
    ExpectInChild([] { return static_cast<long>(fork()); },
                  [&recording] {
                    CountLoss(kLoss_bad_payload);  // before the child has a segment
                    return Push("first") && recording.Lost(kLoss_bad_payload) == 1;
                  });
    EXPECT_EQ(recording.Lost(kLoss_bad_payload), 0u);
  });
}

// --- a start that hangs ---

TEST(Session, AStartThatHungIsNotWaitedForAgain) {
  Recorded([](Recording& recording) {
    ProcessState* process = GetProcess();
    process->state.store(SessionState::kStarting);
    process->starter.store(1);
    process->starts_slowly.store(true);
    EXPECT_FALSE(Push("lost"));
    Pop();
    process->state.store(SessionState::kOff);
    ASSERT_TRUE(Push("first"));
    EXPECT_EQ(recording.Lost(kLoss_starting), 1u);
    EXPECT_EQ(recording.Lost(kLoss_unbalanced_pop), 0u);
  });
}

TEST(Session, WhoStartsItDoesNotWaitForItself) {
  Recorded([](Recording&) {
    ProcessState* process = GetProcess();
    process->state.store(SessionState::kStarting);
    process->starter.store(SysTid());
    EXPECT_FALSE(EnsureSession(process));
    EXPECT_FALSE(process->starts_slowly.load());
  });
}

// Longer than all waits for a start together: a debugger, a suspended machine, a paused guest.
TEST(Session, AStopOfTheProcessIsNotTimeOfTheStart) {
  Recorded([](Recording&) {
    ProcessState* process = GetProcess();
    process->state.store(SessionState::kStarting);
    process->starter.store(1);
    bool pushed = false;
    std::thread waiting([&pushed] { pushed = Push("first"); });
    usleep(50000);
    const pid_t waker = fork();
    if (waker == 0) {
      usleep(3500000);
      kill(getppid(), SIGCONT);
      _exit(0);
    }
    kill(getpid(), SIGSTOP);
    usleep(30000);  // the thread that waits looks first
    process->state.store(SessionState::kOff);
    WakeAll(&process->state);
    waiting.join();
    waitpid(waker, nullptr, 0);
    EXPECT_TRUE(pushed);
    EXPECT_FALSE(process->starts_slowly.load());
  });
}

TEST(Session, WhoWaitsForTheStartIsInIt) {
  Recorded([](Recording&) {
    constexpr size_t kThreads = 8;
    std::vector<std::thread> threads;
    std::vector<uint64_t> streams(kThreads);
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([i, &streams] {
        if (Push("first")) streams[i] = t_log->stream;
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const uint64_t stream : streams) EXPECT_NE(stream, 0u);
  });
}

// --- taking over ---

// What a launcher does with a segment, as far as a process can see.
class PretendConsumer {
 public:
  explicit PretendConsumer(const Recording& recording, ConsumerKind kind = ConsumerKind::kLauncher,
                           const std::string& below = "") {
    const ProcessFacts& facts = recording.header()->facts;
    path_ = recording.folder.path() + below + "/" + std::to_string(facts.pid) + "-" +
            std::to_string(facts.start_time) + "-0.spool";
    EXPECT_TRUE(spool_.Create(path_.c_str(), &budget_));
    EXPECT_TRUE(drain_.Open(recording.header(), recording.process()->session.bytes, &spool_,
                            getpid(), kind));
    SetSpoolPath(recording.header(), path_.c_str());
  }
  void Drain() {
    uint32_t fullest;
    drain_.Drain(&fullest);
  }
  void Die() { spool_.Close(); }
  const std::string& path() const { return path_; }
  // Ranges in the spool.
  int Ranges() const {
    std::ifstream file(path_, std::ios::binary);
    int ranges = 0;
    BlockHead head;
    while (file.read(reinterpret_cast<char*>(&head), sizeof(head))) {
      std::string payload((head.bytes + 7) / 8 * 8, '\0');
      file.read(payload.data(), static_cast<std::streamsize>(payload.size()));
      if (head.type != static_cast<uint16_t>(BlockType::kRecords)) continue;
      for (size_t at = 0; at < head.bytes;) {
        RecordHead record;
        std::memcpy(&record, payload.data() + at, sizeof(record));
        ranges += record.kind == static_cast<uint8_t>(RecordKind::kRange);
        at += record.slots * kSlotBytes;
      }
    }
    return ranges;
  }

 private:
  std::string path_;
  DiskBudget budget_{UINT64_MAX, UINT64_MAX, 0, {}};
  SpoolFile spool_;
  SegmentDrain drain_;
};

long Threads() { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); }

void PushAndPop(int times) {
  for (int i = 0; i < times; ++i) {
    ASSERT_TRUE(Push("a range"));
    Pop();
  }
}

TEST(TakeOver, GoesOnInTheSpoolThatWasLeft) {
  Recorded([](Recording& recording) {
    PushAndPop(3);
    PretendConsumer consumer(recording);
    consumer.Drain();
    PushAndPop(4);
    EXPECT_FALSE(TakeOver(recording.process(), false)) << "it is held";
    consumer.Die();
    EXPECT_FALSE(TakeOver(recording.process(), false)) << "somebody listens";
    recording.launcher.End();
    EXPECT_TRUE(TakeOver(recording.process(), false));
    EXPECT_FALSE(TakeOver(recording.process(), false)) << "once";
    PushAndPop(5);
    EXPECT_TRUE(DrainAtExit(recording.process()));
    PushAndPop(1);
    EXPECT_TRUE(DrainAtExit(recording.process()));
    EXPECT_EQ(consumer.Ranges(), 13);
    EXPECT_EQ(recording.folder.Files(".spool").size(), 1u);
    EXPECT_TRUE(recording.folder.Files(".segment").empty());
  });
}

TEST(TakeOver, ASpoolWithALongPathIsFound) {
  Recorded([](Recording& recording) {
    PushAndPop(3);
    const std::string name = "/" + std::string(250, 'd');
    const std::string below = name + name + name + name + name;
    std::filesystem::create_directories(recording.folder.path() + below);
    PretendConsumer consumer(recording, ConsumerKind::kLauncher, below);
    consumer.Drain();
    consumer.Die();
    PushAndPop(4);
    recording.launcher.End();
    EXPECT_TRUE(TakeOver(recording.process(), true));
    EXPECT_TRUE(DrainAtExit(recording.process()));
    EXPECT_EQ(consumer.Ranges(), 7);
  });
}

TEST(TakeOver, APathThatIsTooLongIsNotCut) {
  Recorded([](Recording& recording) {
    PushAndPop(1);
    SetSpoolPath(recording.header(), std::string(kSpoolPathBytes, 'd').c_str());
    static char path[kSpoolPathBytes];
    CopySpoolPath(*recording.header(), path);
    EXPECT_STREQ(path, "");
    recording.launcher.End();
    EXPECT_FALSE(TakeOver(recording.process(), false));
  });
}

TEST(TakeOver, AtTheEndItNeedsNoThread) {
  Recorded([](Recording& recording) {
    PushAndPop(3);
    PretendConsumer consumer(recording);
    consumer.Die();
    recording.launcher.End();
    const size_t open = OpenDescriptors();
    EXPECT_TRUE(TakeOver(recording.process(), true));
    EXPECT_EQ(OpenDescriptors(), open);
    EXPECT_TRUE(DrainAtExit(recording.process()));
    EXPECT_EQ(consumer.Ranges(), 3);
  });
}

// A launcher that has ended leaves a spool that is to be gone if nothing follows.
TEST(TakeOver, WithoutMoreRecordsNoRestStays) {
  Recorded([](Recording& recording) {
    PushAndPop(3);
    PretendConsumer consumer(recording, ConsumerKind::kProcess);
    consumer.Drain();
    consumer.Die();
    recording.launcher.End();
    EXPECT_TRUE(TakeOver(recording.process(), true));
    EXPECT_FALSE(DrainAtExit(recording.process()));
    EXPECT_TRUE(recording.folder.Files(".spool").empty());
  });
}

TEST(TakeOver, ARestThatTheThreadHasWrittenStays) {
  Recorded([](Recording& recording) {
    PushAndPop(3);
    PretendConsumer consumer(recording, ConsumerKind::kProcess);
    consumer.Drain();
    consumer.Die();
    recording.launcher.End();
    EXPECT_TRUE(TakeOver(recording.process(), false));
    PushAndPop(4);
    const RingControl* control = recording.Control(t_log->ring);
    while (control->tail.load() != control->head.load())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(DrainAtExit(recording.process()));
    EXPECT_EQ(consumer.Ranges(), 7);
  });
}

TEST(TakeOver, ASegmentThatNobodyTookGetsASpoolOfTheProcess) {
  Recorded([](Recording& recording) {
    PushAndPop(3);
    recording.launcher.End();
    const size_t open = OpenDescriptors();
    EXPECT_TRUE(TakeOver(recording.process(), true));
    EXPECT_EQ(OpenDescriptors(), open);
    EXPECT_EQ(Threads(), 1) << "at the end it needs none";
    EXPECT_EQ(recording.folder.Files(".spool").size(), 1u);
    EXPECT_TRUE(DrainAtExit(recording.process()));
  });
}

TEST(TakeOver, AnotherFileIsNotWrittenTo) {
  Recorded([](Recording& recording) {
    PushAndPop(1);
    const std::string diary = recording.folder.path() + "/diary";
    std::ofstream(diary) << std::string(100008, 'x');
    SetSpoolPath(recording.header(), diary.c_str());
    SetMark(recording.header(), {100000, 0, 0, kNoRing});
    recording.launcher.End();
    EXPECT_FALSE(TakeOver(recording.process(), false));
    EXPECT_TRUE(recording.process()->session.handed_over.load()) << "it may be a sandbox";
    EXPECT_EQ(std::filesystem::file_size(diary), 100008u);
  });
}

// Who holds the segment may write any path into it: one counts only if nobody but this user and
// root could have put the file there.
TEST(TakeOver, ASpoolThatOthersCouldHavePutThereIsNotBelieved) {
  namespace fs = std::filesystem;
  Recorded([](Recording& recording) {
    PushAndPop(3);
    PretendConsumer consumer(recording);
    consumer.Drain();
    consumer.Die();
    recording.launcher.End();
    SegmentHeader* header = recording.header();
    const std::string folder = recording.folder.path();
    const auto expect_not_taken = [&](const char* what) {
      EXPECT_FALSE(TakeOver(recording.process(), true)) << what;
    };
    for (const auto others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(folder, others, fs::perm_options::add);
      expect_not_taken("a folder to which others write");
      fs::permissions(folder, others, fs::perm_options::remove);
    }
    fs::create_directory_symlink(folder, folder + "/link");
    const std::string name = fs::path(consumer.path()).filename();
    SetSpoolPath(header, (folder + "/link/" + name).c_str());
    expect_not_taken("a link in place of the folder");
    const std::string other = folder + "/1-1-0.spool";
    fs::rename(consumer.path(), other);
    fs::create_symlink(other, consumer.path());
    SetSpoolPath(header, consumer.path().c_str());
    expect_not_taken("a link in place of the file");
    fs::remove(consumer.path());
    SetSpoolPath(header, other.c_str());
    expect_not_taken("the name of another process's");
    fs::create_hard_link(other, consumer.path());
    SetSpoolPath(header, consumer.path().c_str());
    expect_not_taken("a file of two names");
    fs::remove(other);
    const SpoolMark mark = MarkOf(*header);
    SetMark(header, {8, 0, 0, kNoRing});
    expect_not_taken("a mark before the first block's end");
    SetMark(header, mark);
    EXPECT_EQ(consumer.Ranges(), 3) << "nothing was cut off";
    header->facts.pid = 1;
    EXPECT_TRUE(TakeOver(recording.process(), true)) << "its own notes say who it is";
  });
}

TEST(TakeOver, RingsThatOthersHideAreDrained) {
  Recorded([](Recording& recording) {
    PushAndPop(3);
    PretendConsumer consumer(recording, ConsumerKind::kProcess);
    consumer.Die();
    recording.launcher.End();
    recording.header()->ring_count.store(0);
    EXPECT_TRUE(TakeOver(recording.process(), true));
    EXPECT_TRUE(DrainAtExit(recording.process()));
    EXPECT_EQ(consumer.Ranges(), 3);
  });
}

TEST(TakeOver, OnlyOfAProcessThatRecords) {
  Recorded([](Recording&) {
    EXPECT_FALSE(TakeOver(GetProcess(), false));
    EXPECT_EQ(GetProcess()->state.load(), SessionState::kOff);
  });
}

}  // namespace
}  // namespace syncline
