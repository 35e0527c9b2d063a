// SPDX-License-Identifier: Apache-2.0
// Tests of the process's half of the talk with its launcher: whom it trusts, and what it makes of
// each answer.
#include "inject/runtime/hand_over.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "inject/core/collector.h"
#include "inject/core/process_facts.h"
#include "inject/core/sys.h"
#include "inject/runtime/session.h"
#include "inject/runtime/test_support.h"

namespace syncline {
namespace {

constexpr uint64_t kBytes = 1 << 20;

int MakeMemory(uint64_t bytes) {
  const long fd = SysCall(SYS_memfd_create, AsLong("hand_over_test"), 1);
  EXPECT_EQ(ftruncate(static_cast<int>(fd), static_cast<off_t>(bytes)), 0);
  return static_cast<int>(fd);
}

ino_t Inode(int fd) {
  struct stat facts = {};
  EXPECT_EQ(fstat(fd, &facts), 0);
  return facts.st_ino;
}

// A process whose launcher's socket is `name` below a folder.
class Talk {
 public:
  explicit Talk(const std::string& name = "socket") : name_(folder_.path() + "/" + name) {
    setenv("SYNCLINE_SOCKET", name_.c_str(), 1);
  }
  const std::string& name() const { return name_; }

 private:
  TestFolder folder_;
  std::string name_;
};

// A connection of which the launcher's end is in the test's hands.
class Connection {
 public:
  Connection() : launcher_(talk_.name()), memory_(MakeMemory(kBytes)) {
    process_end_ = ConnectToLauncher(false);
    launcher_end_ = launcher_.Accept();
    EXPECT_GE(process_end_, 0);
    EXPECT_GE(launcher_end_, 0);
  }
  ~Connection() {
    close(process_end_);
    close(memory_);
    Hangup();
  }
  void Reply(uint32_t magic, uint32_t accepted, int fd) {
    PretendLauncher::Send(launcher_end_, {magic, accepted}, fd);
  }
  HandOverResult HandOver() { return HandOverSegment(process_end_, memory_, kBytes, &doorbell); }
  void Hangup() {
    if (launcher_end_ >= 0) close(launcher_end_);
    launcher_end_ = -1;
  }
  int launcher_end() const { return launcher_end_; }
  int memory() const { return memory_; }

  Doorbell* doorbell = nullptr;

 private:
  Talk talk_;
  PretendLauncher launcher_;
  int memory_;
  int process_end_ = -1;
  int launcher_end_ = -1;
};

TEST(HandOver, TheMessageCarriesTheSegment) {
  InOwnProcess([] {
    Connection talk;
    talk.Reply(kHandOverMagic, 1, -1);
    EXPECT_EQ(talk.HandOver(), HandOverResult::kAccepted);
    int fd = -1;
    const std::string text = PretendLauncher::Receive(talk.launcher_end(), &fd);
    struct HandOver message;
    ASSERT_EQ(text.size(), sizeof(message));
    std::memcpy(&message, text.data(), sizeof(message));
    EXPECT_EQ(message.magic, kHandOverMagic);
    EXPECT_EQ(message.layout_version, kLayoutVersion);
    EXPECT_EQ(message.segment_bytes, kBytes);
    EXPECT_NE(message.build[0], '\0');
    ASSERT_GE(fd, 0);
    EXPECT_EQ(Inode(fd), Inode(talk.memory()));
  });
}

TEST(HandOver, AnAcceptingLauncherGivesItsDoorbell) {
  InOwnProcess([] {
    Connection talk;
    const int page = MakeMemory(4096);
    talk.Reply(kHandOverMagic, 1, page);
    const size_t open = OpenDescriptors();
    EXPECT_EQ(talk.HandOver(), HandOverResult::kAccepted);
    EXPECT_EQ(OpenDescriptors(), open) << "the doorbell's is closed again";
    ASSERT_NE(talk.doorbell, nullptr);
    const auto* same =
        static_cast<const Doorbell*>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, page, 0));
    talk.doorbell->futex.store(17);
    EXPECT_EQ(same->futex.load(), 17u);
  });
}

TEST(HandOver, ARefusalIsOne) {
  InOwnProcess([] {
    Connection talk;
    talk.Reply(kHandOverMagic, 0, -1);
    EXPECT_EQ(talk.HandOver(), HandOverResult::kRefused);
    EXPECT_EQ(talk.doorbell, nullptr);
  });
}

// It has the segment, and will drain it when it gets a processor.
TEST(HandOver, WhoSaysNothingHasAccepted) {
  InOwnProcess([] {
    Connection talk;
    EXPECT_EQ(talk.HandOver(), HandOverResult::kAccepted);
    EXPECT_EQ(talk.doorbell, nullptr);
  });
}

TEST(HandOver, WhoHangsUpAfterwardsHasAccepted) {
  InOwnProcess([] {
    Connection talk;
    ASSERT_EQ(shutdown(talk.launcher_end(), SHUT_WR), 0);
    EXPECT_EQ(talk.HandOver(), HandOverResult::kAccepted);
    EXPECT_EQ(talk.doorbell, nullptr);
  });
}

TEST(HandOver, WhoHangsUpBeforeHasNothing) {
  InOwnProcess([] {
    Connection talk;
    talk.Hangup();
    EXPECT_EQ(talk.HandOver(), HandOverResult::kFailed);
  });
}

TEST(HandOver, AReplyThatIsNoneRefusesNothing) {
  InOwnProcess([] {
    Connection talk;
    talk.Reply(kHandOverMagic + 1, 0, -1);
    EXPECT_EQ(talk.HandOver(), HandOverResult::kAccepted);
    ASSERT_EQ(send(talk.launcher_end(), "x", 1, 0), 1);
    EXPECT_EQ(talk.HandOver(), HandOverResult::kAccepted);
    EXPECT_EQ(talk.doorbell, nullptr);
  });
}

TEST(HandOver, ADoorbellThatCannotBeMappedIsNone) {
  InOwnProcess([] {
    Connection talk;
    int ends[2];
    ASSERT_EQ(pipe2(ends, 0), 0);
    talk.Reply(kHandOverMagic, 1, ends[0]);
    const size_t open = OpenDescriptors();
    EXPECT_EQ(talk.HandOver(), HandOverResult::kAccepted);
    EXPECT_EQ(talk.doorbell, nullptr);
    EXPECT_EQ(OpenDescriptors(), open);
  });
}

TEST(HandOver, ADoorbellThatIsNoWholePageIsNone) {
  InOwnProcess([] {
    Connection talk;
    const int page = MakeMemory(4095);
    talk.Reply(kHandOverMagic, 1, page);
    EXPECT_EQ(talk.HandOver(), HandOverResult::kAccepted);
    EXPECT_EQ(talk.doorbell, nullptr);
    close(page);
  });
}

// --- connecting ---

TEST(HandOver, WithoutAListenerThereIsNobody) {
  InOwnProcess([] {
    const Talk talk;
    const size_t open = OpenDescriptors();
    EXPECT_EQ(ConnectToLauncher(true), -1);
    EXPECT_FALSE(LauncherListens());
    SendStartNote();
    EXPECT_EQ(OpenDescriptors(), open);
  });
}

TEST(HandOver, WithoutANameThereIsNobody) {
  InOwnProcess([] {
    unsetenv("SYNCLINE_SOCKET");
    EXPECT_EQ(ConnectToLauncher(true), -1);
    EXPECT_FALSE(LauncherListens());
    SendStartNote();
  });
}

// 108 bytes of an address, less a NUL in front and one behind.
TEST(HandOver, ANameThatIsTooLongIsNobodys) {
  InOwnProcess([] {
    setenv("SYNCLINE_SOCKET", ("/" + std::string(106, 'n')).c_str(), 1);
    EXPECT_EQ(ConnectToLauncher(true), -1);
    EXPECT_FALSE(LauncherListens());
  });
}

TEST(HandOver, AnAbstractNameIsAskedForOnlyIfMeant) {
  InOwnProcess([] {
    const Talk talk;
    PretendLauncher launcher(talk.name(), true);
    EXPECT_EQ(ConnectToLauncher(false), -1);
    EXPECT_EQ(launcher.Accept(), -1);
    EXPECT_GE(ConnectToLauncher(true), 0);
    EXPECT_GE(launcher.Accept(), 0);
    EXPECT_TRUE(LauncherListens());
  });
}

TEST(HandOver, ALivingLauncherListensAndADeadOneDoesNot) {
  InOwnProcess([] {
    const Talk talk;
    const size_t open = OpenDescriptors();
    {
      const PretendLauncher launcher(talk.name());
      EXPECT_TRUE(LauncherListens());
    }
    EXPECT_FALSE(LauncherListens()) << "its socket's file is still there";
    EXPECT_EQ(OpenDescriptors(), open);
  });
}

TEST(HandOver, ALauncherWhoseQueueIsFullListens) {
  InOwnProcess([] {
    const Talk talk;
    const PretendLauncher launcher(talk.name(), false, 0);
    int connections = 0;
    while (connections < 100 && ConnectToLauncher(false) >= 0) ++connections;
    ASSERT_LT(connections, 100);
    ASSERT_GT(connections, 0);
    EXPECT_TRUE(LauncherListens());
    const size_t open = OpenDescriptors();
    EXPECT_EQ(ConnectToLauncher(false), -1) << "after 5 ms";
    EXPECT_EQ(OpenDescriptors(), open);
  });
}

// Another user's process that has bound the launcher's name. Tells what came by its exit status.
int ListenAsNobody(const std::string& name, int ready) {
  if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) return 1;
  PretendLauncher launcher(name, true);
  if (write(ready, "r", 1) != 1) return 2;
  char end;
  // The other end of the pipe closes when the process has tried everything.
  if (read(ready, &end, 1) != 0) return 3;
  for (int connection; (connection = launcher.Accept()) >= 0;) {
    int fd = -1;
    if (!PretendLauncher::Receive(connection, &fd).empty() || fd >= 0) return 4;
  }
  return 0;
}

TEST(HandOver, AnotherUserGetsNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  InOwnProcess([] {
    const Talk talk;
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(ends[0]);
      _exit(ListenAsNobody(talk.name(), ends[1]));
    }
    close(ends[1]);
    char ready = 0;
    ASSERT_EQ(read(ends[0], &ready, 1), 1);
    // Root trusts itself alone: uid 65534 is neither root nor the process's user.
    EXPECT_EQ(ConnectToLauncher(true), -1);
    EXPECT_FALSE(LauncherListens());
    SendStartNote();
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
}

// --- the note of a process that has a rank ---

TEST(HandOver, ANoteEndsWithWhatIsUsedOfTheCommandLine) {
  InOwnProcess([] {
    const Talk talk;
    PretendLauncher launcher(talk.name());
    static StartNote note;
    note.magic = kStartNoteMagic;
    note.facts.command_line_bytes = 5;
    std::memcpy(note.facts.command_line, "a\0bcdefg", 8);
    SendNote(note);
    int fd = -1;
    const std::string text = PretendLauncher::Receive(launcher.Accept(), &fd);
    ASSERT_EQ(text.size(), offsetof(StartNote, facts.command_line) + 5);
    EXPECT_EQ(text.substr(text.size() - 5), std::string("a\0bcd", 5));
    EXPECT_EQ(fd, -1);
  });
}

TEST(HandOver, TheStartNoteSaysWhoItIs) {
  InOwnProcess([] {
    const Talk talk;
    PretendLauncher launcher(talk.name());
    const size_t open = OpenDescriptors();
    SendStartNote();
    EXPECT_EQ(OpenDescriptors(), open);
    int fd = -1;
    const std::string text = PretendLauncher::Receive(launcher.Accept(), &fd);
    static StartNote note;
    ASSERT_LE(text.size(), sizeof(note));
    ASSERT_GT(text.size(), offsetof(StartNote, facts.command_line));
    std::memcpy(&note, text.data(), text.size());
    EXPECT_EQ(note.magic, kStartNoteMagic);
    EXPECT_EQ(note.layout_version, kLayoutVersion);
    EXPECT_EQ(note.clock, static_cast<uint32_t>(ClockId::kMonotonic));
    EXPECT_EQ(note.facts.pid, getpid());
    EXPECT_EQ(offsetof(StartNote, facts.command_line) + note.facts.command_line_bytes, text.size());
    EXPECT_EQ(note.left_out, 0u);
  });
}

// 0: nothing was sent.
uint32_t LeftOutOfNote(PretendLauncher* launcher) {
  int fd = -1;
  const int connection = launcher->Accept();
  if (connection < 0) return 0;
  const std::string text = PretendLauncher::Receive(connection, &fd);
  close(connection);
  static StartNote note;
  if (text.size() < offsetof(StartNote, facts.command_line) || text.size() > sizeof(note)) return 0;
  std::memcpy(&note, text.data(), text.size());
  return note.magic == kStartNoteMagic ? note.left_out : 0;
}

TEST(HandOver, WhatIsLeftOutIsToldOnceForEachCollector) {
  InOwnProcess([] {
    const Talk talk;
    PretendLauncher launcher(talk.name());
    errno = 4711;
    TellLeftOut(2);
    EXPECT_EQ(errno, 4711);
    EXPECT_EQ(LeftOutOfNote(&launcher), 4u);
    TellLeftOut(2);
    EXPECT_EQ(LeftOutOfNote(&launcher), 0u);
    TellLeftOut(1);
    EXPECT_EQ(LeftOutOfNote(&launcher), 2u);
  });
}

TEST(HandOver, AProcessThatIsNotToBeRecordedTellsNothing) {
  InOwnProcess([] {
    setenv("SYNCLINE_DISABLE", "1", 1);
    const Talk talk;
    PretendLauncher launcher(talk.name());
    TellLeftOut(2);
    EXPECT_EQ(LeftOutOfNote(&launcher), 0u);
  });
}

}  // namespace
}  // namespace syncline
