// SPDX-License-Identifier: Apache-2.0
// Sockets of the launcher.
#include "launcher/record/hand_over_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "inject/core/clock.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"
#include "launcher/start/unrecorded.h"

namespace syncline {
namespace {

constexpr int kBacklog = 4096;  // ranks of a node start at once; the kernel cuts it to somaxconn
// A process sends right after it has connected. More silent connections than these, or longer
// silence, is somebody else's doing.
constexpr size_t kMostSilent = 256;
constexpr size_t kMostSilentOfOthers = 128;  // other users', who so cannot push ours out
constexpr int kMostAtOnce = 1024;            // then those are heard that have connected
constexpr uint64_t kLongestSilenceNs = 1000000000;
constexpr int kMostAncestors = 4096;

// A bound socket or -1.
int BindSocket(const std::string& name, bool abstract) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (name.size() + 2 > sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path + (abstract ? 1 : 0), name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

// The descriptor that came with a message, or -1.
int TakeDescriptor(msghdr* header) {
  int taken = -1;
  for (cmsghdr* part = CMSG_FIRSTHDR(header); part != nullptr; part = CMSG_NXTHDR(header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      if (taken < 0) {
        taken = fd;
      } else {
        close(fd);
      }
    }
  }
  return taken;
}

// A handle on a peer that has no number in our pid namespace; -1: the kernel does not know how.
int PeerPidfd(int connection) {
  constexpr int kPeerPidfd = 77;  // SO_PEERPIDFD of Linux 6.5, which older headers lack
  int pidfd = -1;
  socklen_t length = sizeof(pidfd);
  return getsockopt(connection, SOL_SOCKET, kPeerPidfd, &pidfd, &length) == 0 ? pidfd : -1;
}

// `doorbell_fd` -1: without one.
void Reply(int connection, bool accepted, int doorbell_fd) {
  HandOverReply reply = {kHandOverMagic, accepted ? 1u : 0u};
  iovec part = {&reply, sizeof(reply)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (doorbell_fd >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &doorbell_fd, sizeof(int));
  }
  sendmsg(connection, &header,
          MSG_NOSIGNAL | MSG_DONTWAIT);  // a process that is already gone is no error
}

// All messages begin with magic and layout, in every layout.
bool OfOtherLayout(const HandOver& message, size_t bytes) {
  constexpr size_t kHead = offsetof(HandOver, layout_version) + sizeof(message.layout_version);
  return bytes >= kHead &&
         (message.magic == kHandOverMagic || message.magic == kStartNoteMagic ||
          message.magic == kLostNoteMagic) &&
         message.layout_version != kLayoutVersion;
}

// Without a word: a process that ends asks so whether we are there (LauncherListens), and whose it
// was cannot be told any more.
bool HasLeft(int connection) {
  char byte;
  return recv(connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

bool IsNote(const StartNote& note, size_t bytes) {
  constexpr size_t kLeast = offsetof(StartNote, facts) + offsetof(ProcessFacts, command_line);
  return bytes >= kLeast && note.magic == kStartNoteMagic &&
         note.facts.command_line_bytes <= bytes - kLeast;
}

// 0: it is gone, or /proc is not there.
int ParentOf(int pid) {
  char stat_line[1024];
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  return ReadSmallFile(path.c_str(), stat_line, sizeof(stat_line)) > 0 ? ParentOfStat(stat_line)
                                                                       : 0;
}

}  // namespace

bool IsBelowThis(int pid) {
  for (int i = 0; i < kMostAncestors && pid > 1; ++i) {
    pid = ParentOf(pid);
    if (pid == getpid()) return true;
  }
  return false;
}

bool MayHandOver(const ucred& peer, uid_t us) {
  return peer.uid == us || (us == 0 && IsBelowThis(peer.pid));
}

void HandOverServer::Close(const Connection& connection) {
  close(connection.fd);
  if (connection.pidfd >= 0) close(connection.pidfd);
}

void HandOverServer::Close() {
  for (const int fd : listeners_) close(fd);
  for (const Connection& connection : connections_) Close(connection);
  for (const std::string& path : paths_) unlink(path.c_str());
  if (spare_fd_ >= 0) close(spare_fd_);
  listeners_.clear();
  connections_.clear();
  paths_.clear();
  spare_fd_ = -1;
}

bool HandOverServer::Bind(const std::string& prefix, std::string* error) {
  for (const bool abstract : {false, true}) {
    const int listener = BindSocket(prefix, abstract);
    if (listener < 0) {
      const bool full = errno == EMFILE || errno == ENFILE;
      *error = "cannot make the socket " + prefix + ": " + SetupErrorText(errno) +
               (full ? "" : "; set TMPDIR to a directory that can be written");
      return false;
    }
    listeners_.push_back(listener);
    if (!abstract) paths_.push_back(prefix);
    if (listen(listener, kBacklog) != 0) {
      *error = std::string("cannot listen: ") + std::strerror(errno);
      return false;
    }
  }
  spare_fd_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return true;
}

void HandOverServer::Admit(int fd) {
  Connection connection = {fd, -1, {}, MonotonicNs()};
  socklen_t length = sizeof(connection.peer);
  const bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &connection.peer, &length) == 0;
  if (known && MayHandOver(connection.peer, geteuid())) {
    if (connection.peer.pid == 0) connection.pidfd = PeerPidfd(fd);
    connections_.push_back(connection);
    return;
  }
  if (!HasLeft(fd) && refused_.other_users++ == 0) {
    refused_.user = connection.peer.uid;
    refused_.pid = connection.peer.pid;
  }
  close(fd);
}

// Where no descriptor is left, a connection would stay at the door and wake us for ever. False:
// there is none.
bool HandOverServer::TakeOneAway(int listener) {
  if (spare_fd_ < 0) return false;
  close(spare_fd_);
  const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd >= 0) {
    close(fd);
    ++refused_.no_descriptors;
  }
  spare_fd_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return fd >= 0;
}

void HandOverServer::Accept() {
  has_more_ = false;
  for (const int listener : listeners_) {
    int heard = 0;
    for (; heard < kMostAtOnce; ++heard) {
      const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0) {
        Admit(fd);
      } else if ((errno != EMFILE && errno != ENFILE) || !TakeOneAway(listener)) {
        break;
      }
    }
    has_more_ = has_more_ || heard == kMostAtOnce;
  }
}

// Drops the oldest ones that are `such`, until `most` of them are left.
template <typename Such>
void HandOverServer::DropOldest(size_t most, const Such& such) {
  auto left = static_cast<size_t>(std::count_if(connections_.begin(), connections_.end(), such));
  refused_.silent += std::erase_if(connections_, [&](const Connection& one) {
    if (left <= most || !such(one)) return false;
    --left;
    Close(one);
    return true;
  });
}

void HandOverServer::DropSilent() {
  const uint64_t now = MonotonicNs();
  DropOldest(0, [now](const Connection& one) { return now - one.since_ns > kLongestSilenceNs; });
  DropOldest(kMostSilentOfOthers,
             [us = geteuid()](const Connection& one) { return one.peer.uid != us; });
  DropOldest(kMostSilent, [](const Connection&) { return true; });
}

// A process sends a note and then an offer.
void HandOverServer::CountOtherLayout(int pid, uint32_t layout) {
  if (refused_.other_layout == 0) {
    refused_.layout = layout;
    refused_.layout_pid = pid;
  }
  if (refused_.other_layout == 0 || pid != last_of_other_layout_) ++refused_.other_layout;
  last_of_other_layout_ = pid;
}

// True: the connection is done.
bool HandOverServer::Receive(Connection* connection, const DoorbellOf& doorbell_of,
                             const Offered& offered, const Noted& noted, const Lost& lost) {
  ReceivedNote received = {};  // the longest message
  iovec part = {&received.note, sizeof(received.note)};
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  const ssize_t got = recvmsg(connection->fd, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  const size_t bytes = got < 0 ? 0 : static_cast<size_t>(got);
  OfferedSegment offer = {
      connection->peer.pid, -1, connection->peer.uid, got < 0 ? -1 : TakeDescriptor(&header), {}};
  std::memcpy(&offer.message, &received.note, sizeof(offer.message));
  LostProgramNote lost_program;
  std::memcpy(&lost_program, &received.note, sizeof(lost_program));
  const bool is_offer =
      bytes == sizeof(HandOver) && offer.message.magic == kHandOverMagic && offer.memory_fd >= 0;
  if (OfOtherLayout(offer.message, bytes)) {
    if (offer.memory_fd >= 0) close(offer.memory_fd);
    Reply(connection->fd, false, -1);
    CountOtherLayout(connection->peer.pid, offer.message.layout_version);
  } else if (is_offer) {
    std::swap(offer.pidfd, connection->pidfd);
    const bool accepted = offered(offer);
    Reply(connection->fd, accepted, accepted ? doorbell_of(connection->peer.uid) : -1);
  } else {
    if (offer.memory_fd >= 0) close(offer.memory_fd);
    received.pid = connection->peer.pid;
    received.pidfd = -1;
    received.user = connection->peer.uid;
    if (IsNote(received.note, bytes)) {
      std::swap(received.pidfd, connection->pidfd);
      noted(received);
    } else if (bytes == sizeof(LostProgramNote) && lost_program.magic == kLostNoteMagic) {
      lost(lost_program);
    } else if (bytes != 0) {  // who only asks whether a launcher is there says nothing
      ++refused_.silent;
    }
  }
  Close(*connection);
  return true;
}

std::vector<size_t> HandOverServer::Serve(int stop_fd, const std::vector<int>& others,
                                          const DoorbellOf& doorbell_of, const Offered& offered,
                                          const Noted& noted, const Lost& lost) {
  std::vector<pollfd> items;
  items.push_back({stop_fd, POLLIN, 0});
  for (const int fd : listeners_) items.push_back({fd, POLLIN, 0});
  for (const Connection& connection : connections_) items.push_back({connection.fd, POLLIN, 0});
  const size_t first_other = items.size();
  for (const int fd : others) items.push_back({fd, POLLIN, 0});
  constexpr int kSilenceMs = static_cast<int>(kLongestSilenceNs / 1000000);
  poll(items.data(), items.size(), connections_.empty() ? -1 : kSilenceMs);

  Accept();
  std::erase_if(connections_, [&](Connection& connection) {
    return Receive(&connection, doorbell_of, offered, noted, lost);
  });
  DropSilent();
  std::vector<size_t> readable;
  for (size_t i = 0; i < others.size(); ++i) {
    if (items[first_other + i].revents != 0) readable.push_back(i);
  }
  return readable;
}

}  // namespace syncline
