// SPDX-License-Identifier: Apache-2.0
// What tests of the runtime share.
#include "inject/runtime/test_support.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "inject/core/collector.h"
#include "inject/core/options.h"
#include "inject/runtime/rings.h"

namespace syncline {

CollectorDescription g_test_collectors[2] = {
    {.name = "one", .help = "", .source = 1},
    {.name = "two", .help = "", .source = 2},
};
const CollectorDescription* const kCollectors[] = {&g_test_collectors[0], &g_test_collectors[1]};
const size_t kCollectorCount = 2;

namespace {

constexpr char kOwnProcess[] = "RUNTIME_TEST_OWN_PROCESS";

sockaddr_un Address(const std::string& name, bool abstract, socklen_t* length) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + (abstract ? 1 : 0), name.data(), name.size());
  *length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 1);
  return address;
}

std::string Prepared(const TestFolder& folder, const std::vector<std::string>& options) {
  setenv("SYNCLINE_SOCKET", (folder.path() + "/socket").c_str(), 1);
  setenv("SYNCLINE_SPOOL", (folder.path() + "/spool").c_str(), 1);
  for (const std::string& option : options) {
    const size_t equals = option.find('=');
    setenv(option.substr(0, equals).c_str(), option.c_str() + equals + 1, 1);
  }
  return folder.path() + "/socket";
}

}  // namespace

void InOwnProcess(const std::function<void()>& body) {
  if (Environment(kOwnProcess) != nullptr) return body();
  const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      std::string("--gtest_filter=") + test->test_suite_name() + "." + test->name();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv(kOwnProcess, "1", 1);
    execl("/proc/self/exe", program_invocation_name, filter.c_str(), "--gtest_brief=1", nullptr);
    _exit(127);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

void ExpectInChild(long (*make_child)(), const std::function<bool()>& body) {
  const long child = make_child();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(static_cast<pid_t>(child), &status, 0), child);
  EXPECT_EQ(status, 0);
}

TestFolder::TestFolder() {
  char name[] = "/tmp/syncline-runtime-XXXXXX";
  path_ = mkdtemp(name);
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  for (const std::string& link : Files(".segment"))
    std::filesystem::remove(std::filesystem::read_symlink(link, ignored), ignored);
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TestFolder::Files(const std::string& suffix) const {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_, ignored)) {
    const std::string name = entry.path().string();
    if (name.ends_with(suffix)) found.push_back(name);
  }
  return found;
}

size_t OpenDescriptors() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += entry.path().empty() ? 0 : 1;
  return count;
}

PretendLauncher::PretendLauncher(const std::string& name, bool abstract, int queue)
    : socket_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  socklen_t length;
  const sockaddr_un address = Address(name, abstract, &length);
  EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), length), 0);
  EXPECT_EQ(listen(socket_, queue), 0);
}

PretendLauncher::~PretendLauncher() {
  if (socket_ >= 0) close(socket_);
}

void PretendLauncher::End() {
  close(socket_);
  socket_ = -1;
}

int PretendLauncher::Accept() { return accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }

std::string PretendLauncher::Receive(int connection, int* fd) {
  std::string message(sizeof(StartNote) + 1, '\0');
  iovec part = {message.data(), message.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  const ssize_t bytes = recvmsg(connection, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  message.resize(bytes < 0 ? 0 : static_cast<size_t>(bytes));
  const cmsghdr* rights = CMSG_FIRSTHDR(&header);
  *fd = -1;
  if (rights != nullptr) std::memcpy(fd, CMSG_DATA(rights), sizeof(int));
  return message;
}

void PretendLauncher::Send(int connection, const HandOverReply& reply, int fd) {
  HandOverReply copy = reply;
  iovec part = {&copy, sizeof(copy)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (fd >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof(int));
  }
  EXPECT_EQ(sendmsg(connection, &header, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof(copy)));
}

Recording::Recording(const std::vector<std::string>& options)
    : launcher(Prepared(folder, options)) {
  OptionText(
      OptionIndex("collect"));  // as the library's constructor does, before there are threads
}

SegmentNotes* Recording::notes() const { return NotesOf(process()); }

void Recording::Drain() const {
  for (uint32_t i = 0; i < notes()->count.load(); ++i)
    Control(i)->tail.store(Control(i)->head.load());
}

std::vector<const RecordHead*> Recording::Records(uint32_t ring) const {
  std::vector<const RecordHead*> records;
  const uint64_t bytes = notes()->places[ring].data_bytes;
  const char* data = reinterpret_cast<const char*>(Control(ring)) + DataOffset(bytes);
  for (uint64_t at = Control(ring)->tail.load(); at < Control(ring)->head.load();) {
    records.push_back(reinterpret_cast<const RecordHead*>(data + (at & (bytes - 1))));
    EXPECT_NE(records.back()->slots, 0);
    if (records.back()->slots == 0) break;
    at += uint64_t{records.back()->slots} * kSlotBytes;
  }
  return records;
}

bool Push(const char* name) {
  HookScope scope;
  return scope && PushRange(scope.log(), 1, NameId(scope.log(), name), 0) != nullptr;
}

void Pop() {
  HookScope scope(HookKind::kEnds);
  if (scope) PopRange(scope.log(), 0, Ticks());
}

}  // namespace syncline
