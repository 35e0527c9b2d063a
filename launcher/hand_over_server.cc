// SPDX-License-Identifier: Apache-2.0
// Sockets of the launcher.
#include "launcher/hand_over_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace syncline {
namespace {

constexpr int kBacklog = 4096;  // ranks of a node start at once; the kernel cuts it to somaxconn
constexpr int kNoteBufferBytes = 4 << 20;

// A bound socket or -1.
int BindSocket(int type, const std::string& name, bool abstract) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (name.size() + 2 > sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path + (abstract ? 1 : 0), name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 1);
  const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
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

void Reply(int connection, bool accepted, int doorbell_fd) {
  HandOverReply reply = {kHandOverMagic, accepted ? 1u : 0u};
  iovec part = {&reply, sizeof(reply)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (accepted) {
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

}  // namespace

HandOverServer::~HandOverServer() {
  for (const auto* list : {&listeners_, &note_sockets_, &connections_}) {
    for (const int fd : *list) close(fd);
  }
  for (const std::string& path : paths_) unlink(path.c_str());
}

bool HandOverServer::Bind(const std::string& prefix, std::string* error) {
  for (const bool abstract : {false, true}) {
    const int listener = BindSocket(SOCK_SEQPACKET, prefix, abstract);
    if (listener < 0) {
      *error = "cannot make the socket " + prefix + ": " + std::strerror(errno) +
               "; set TMPDIR to a directory that can be written";
      return false;
    }
    listeners_.push_back(listener);
    if (!abstract) paths_.push_back(prefix);
    const int notes = BindSocket(SOCK_DGRAM, prefix + kNoteSuffix, abstract);
    if (notes < 0) {
      *error = "cannot make the socket " + prefix + kNoteSuffix + ": " + std::strerror(errno);
      return false;
    }
    note_sockets_.push_back(notes);
    if (!abstract) paths_.push_back(prefix + kNoteSuffix);
    const int on = 1;
    setsockopt(notes, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
    setsockopt(notes, SOL_SOCKET, SO_RCVBUF, &kNoteBufferBytes, sizeof(kNoteBufferBytes));
    if (listen(listener, kBacklog) != 0) {
      *error = std::string("cannot listen: ") + std::strerror(errno);
      return false;
    }
  }
  return true;
}

void HandOverServer::Accept() {
  for (const int listener : listeners_) {
    for (;;) {
      const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (connection < 0) break;
      connections_.push_back(connection);
    }
  }
}

bool HandOverServer::ReceiveOffer(int connection, int doorbell_fd,
                                  const std::function<bool(const OfferedSegment&)>& offered) {
  OfferedSegment offer = {};
  iovec part = {&offer.message, sizeof(offer.message)};
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  const ssize_t bytes = recvmsg(connection, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  offer.memory_fd = bytes >= 0 ? TakeDescriptor(&header) : -1;
  ucred peer = {};
  socklen_t length = sizeof(peer);
  getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length);
  offer.pid = peer.pid;
  const bool ours = bytes == sizeof(HandOver) && offer.message.magic == kHandOverMagic &&
                    offer.memory_fd >= 0 && peer.uid == geteuid();
  const bool taken = ours && offered(offer);
  if (!ours && offer.memory_fd >= 0) close(offer.memory_fd);
  if (bytes > 0) Reply(connection, taken, doorbell_fd);
  close(connection);
  return true;
}

void HandOverServer::ReceiveNotes(int socket,
                                  const std::function<void(const ReceivedNote&)>& noted) {
  for (;;) {
    ReceivedNote received = {};
    iovec part = {&received.note, sizeof(received.note)};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(4 * sizeof(int))] = {};
    msghdr header = {};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    const ssize_t bytes = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (bytes < 0) return;
    const int stray = TakeDescriptor(&header);
    if (stray >= 0) close(stray);
    ucred peer = {0, static_cast<uid_t>(-1), 0};
    for (cmsghdr* item = CMSG_FIRSTHDR(&header); item != nullptr;
         item = CMSG_NXTHDR(&header, item)) {
      if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_CREDENTIALS)
        std::memcpy(&peer, CMSG_DATA(item), sizeof(peer));
    }
    const StartNote& note = received.note;
    const size_t least = offsetof(StartNote, facts) + offsetof(ProcessFacts, command_line);
    if (static_cast<size_t>(bytes) < least || note.magic != kStartNoteMagic ||
        note.layout_version != kLayoutVersion)
      continue;
    if (peer.uid != geteuid() || note.facts.command_line_bytes > static_cast<size_t>(bytes) - least)
      continue;
    received.pid = peer.pid;
    noted(received);
  }
}

std::vector<size_t> HandOverServer::Serve(int stop_fd, const std::vector<int>& others,
                                          int doorbell_fd,
                                          const std::function<bool(const OfferedSegment&)>& offered,
                                          const std::function<void(const ReceivedNote&)>& noted) {
  std::vector<pollfd> items;
  items.push_back({stop_fd, POLLIN, 0});
  for (const auto* list : {&listeners_, &note_sockets_, &connections_}) {
    for (const int fd : *list) items.push_back({fd, POLLIN, 0});
  }
  const size_t first_other = items.size();
  for (const int fd : others) items.push_back({fd, POLLIN, 0});
  poll(items.data(), items.size(), -1);

  Accept();
  for (const int socket : note_sockets_) ReceiveNotes(socket, noted);
  connections_.erase(std::remove_if(connections_.begin(), connections_.end(),
                                    [&](int connection) {
                                      return ReceiveOffer(connection, doorbell_fd, offered);
                                    }),
                     connections_.end());
  std::vector<size_t> readable;
  for (size_t i = 0; i < others.size(); ++i) {
    if (items[first_other + i].revents != 0) readable.push_back(i);
  }
  return readable;
}

}  // namespace syncline
