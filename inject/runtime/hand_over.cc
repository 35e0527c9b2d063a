// SPDX-License-Identifier: Apache-2.0
// Sockets of the injected side: opened for one message and closed again.
#include "inject/runtime/hand_over.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/options.h"
#include "inject/core/sealed.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"
#include "inject/core/version.h"

namespace syncline {
namespace {

constexpr uint64_t kRetryNs = 200000;

// `abstract`: the same name outside the file system, for a process that sees another root
// directory.
bool FillAddress(bool abstract, sockaddr_un* address, socklen_t* length) {
  const char* name = VariableText(Variable::kSocket);
  const size_t bytes = std::strlen(name);
  if (bytes == 0 || bytes + 2 > sizeof(address->sun_path)) return false;
  std::memset(address, 0, sizeof(*address));
  address->sun_family = AF_UNIX;
  std::memcpy(address->sun_path + (abstract ? 1 : 0), name, bytes);
  *length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + bytes + 1);
  return true;
}

constexpr uid_t kNobody = static_cast<uid_t>(-1);

uid_t Listener(int fd) {
  ucred listener = {};
  socklen_t length = sizeof(listener);
  const long result =
      SysCall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, AsLong(&listener), AsLong(&length));
  return result == 0 ? listener.uid : kNobody;
}

bool ListenerIsOurUser(int fd) { return Listener(fd) == static_cast<uid_t>(SysCall(SYS_geteuid)); }

// Whether our own user or root listens. Anybody can bind the abstract name of a launcher that is
// gone (/proc/net/unix shows it), and would get our memory.
bool ListenerIsTrusted(int fd) { return Listener(fd) == 0 || ListenerIsOurUser(fd); }

// `deadline` 0: waits for nothing, and asks no clock.
int Connect(bool abstract, uint64_t deadline) {
  sockaddr_un address;
  socklen_t length;
  if (!FillAddress(abstract, &address, &length)) return -1;
  const long fd = SysCall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  for (;;) {
    const long result = SysCall(SYS_connect, fd, AsLong(&address), length);
    if (result == 0 && ListenerIsTrusted(static_cast<int>(fd))) return static_cast<int>(fd);
    if (result != -EAGAIN || deadline == 0 || MonotonicNs() > deadline)
      break;  // EAGAIN: many processes start at once
    SysSleepNs(kRetryNs);
  }
  SysClose(static_cast<int>(fd));
  return -1;
}

// A page that went away would end this process at its next ring. Where a sandbox refuses sealed
// memory the launcher of our own user has other.
Doorbell* MapDoorbell(int socket, int fd) {
  constexpr long kBytes = 4096;
  if (SysCall(SYS_lseek, fd, 0, SEEK_END) < kBytes) return nullptr;
  if (!CannotShrink(fd) && !ListenerIsOurUser(socket)) return nullptr;
  return static_cast<Doorbell*>(SysMap(kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd));
}

bool WaitReadable(int fd) {
  pollfd item = {fd, POLLIN, 0};
  timespec time = {0, kHandOverWaitMs * 1000000};
  return SysCall(SYS_ppoll, AsLong(&item), 1, AsLong(&time), 0, 8) == 1;
}

}  // namespace

int ConnectToLauncher(bool abstract) {
  const uint64_t deadline = MonotonicNs() + uint64_t{kHandOverWaitMs} * 1000000;
  const int fd = Connect(false, deadline);
  return fd >= 0 || !abstract ? fd : Connect(true, deadline);
}

HandOverResult HandOverSegment(int socket, int memory_fd, uint64_t bytes, Doorbell** doorbell) {
  HandOver message = {kHandOverMagic, kLayoutVersion, bytes, {}};
  CopyText(message.build, sizeof(message.build), kVersion);
  iovec part = {&message, sizeof(message)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &memory_fd, sizeof(int));
  if (SysCall(SYS_sendmsg, socket, AsLong(&header), MSG_NOSIGNAL) < 0)
    return HandOverResult::kFailed;

  HandOverReply reply = {};
  part = {&reply, sizeof(reply)};
  std::memset(control, 0, sizeof(control));
  header.msg_controllen = sizeof(control);
  if (!WaitReadable(socket)) return HandOverResult::kAccepted;
  if (SysCall(SYS_recvmsg, socket, AsLong(&header), MSG_CMSG_CLOEXEC) != sizeof(reply))
    return HandOverResult::kAccepted;
  rights = CMSG_FIRSTHDR(&header);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS &&
      rights->cmsg_len == CMSG_LEN(sizeof(int))) {
    int fd;
    std::memcpy(&fd, CMSG_DATA(rights), sizeof(int));
    *doorbell = MapDoorbell(socket, fd);
    SysClose(fd);
  }
  return reply.magic != kHandOverMagic || reply.accepted != 0 ? HandOverResult::kAccepted
                                                              : HandOverResult::kRefused;
}

bool LauncherListens() {
  for (const bool abstract : {false, true}) {
    sockaddr_un address;
    socklen_t length;
    if (!FillAddress(abstract, &address, &length)) return false;
    const long fd = SysCall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return true;  // not known
    const long result = SysCall(SYS_connect, fd, AsLong(&address), length);
    const bool listens = result == -EAGAIN ||  // and many wait for it
                         (result == 0 && ListenerIsTrusted(static_cast<int>(fd)));
    SysClose(static_cast<int>(fd));
    if (listens) return true;
  }
  return false;
}

void SendLostProgram(const LostProgramNote& note) {
  int fd = Connect(false, 0);
  if (fd < 0) fd = Connect(true, 0);
  if (fd < 0) return;
  SysCall(SYS_sendto, fd, AsLong(&note), sizeof(note), MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
  SysClose(fd);
}

void SendNote(const StartNote& note) {
  const int fd = ConnectToLauncher(true);
  if (fd < 0) return;
  // The command line is at the end of the facts and mostly short: only what is used is sent.
  const size_t bytes = offsetof(StartNote, facts) + offsetof(ProcessFacts, command_line) +
                       note.facts.command_line_bytes;
  SysCall(SYS_sendto, fd, AsLong(&note), static_cast<long>(bytes), MSG_DONTWAIT | MSG_NOSIGNAL, 0,
          0);
  SysClose(fd);
}

}  // namespace syncline
