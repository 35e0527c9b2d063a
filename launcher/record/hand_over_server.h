// SPDX-License-Identifier: Apache-2.0
// The launcher's half of the talk with recorded processes: sockets, credentials, descriptors;
// handover.h has the messages.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "inject/core/handover.h"

namespace syncline {

// A segment that a process offers. Both descriptors are the receiver's to close.
struct OfferedSegment {
  int pid;    // as the kernel tells it, in our pid namespace; 0: the process is outside of that
  int pidfd;  // for pid 0, from Linux 6.5 on; else -1
  uid_t user;
  int memory_fd;
  HandOver message;
};

struct ReceivedNote {
  int pid;    // as above
  int pidfd;  // the receiver's to close
  uid_t user;
  StartNote note;  // what was not sent is zero
};

// The processes that were sent away.
struct RefusedPeers {
  uint64_t other_users = 0;     // connections of users that we do not record
  uid_t user = 0;               // of the first of them
  int pid = 0;                  // of the first of them
  uint64_t no_descriptors = 0;  // connections for which the limit of open files had no room
  uint64_t other_layout = 0;    // processes whose library writes records of another layout
  uint32_t layout = 0;          // of the first of them
  int layout_pid = 0;           // the first of them
  uint64_t silent = 0;          // connections that did not say what they want, or nonsense
};

// Not thread-safe: one thread owns it.
class HandOverServer {
 public:
  using Offered = std::function<bool(const OfferedSegment&)>;
  using Noted = std::function<void(const ReceivedNote&)>;
  using Lost = std::function<void(const LostProgramNote&)>;
  using DoorbellOf = std::function<int(uid_t)>;  // a descriptor that stays the caller's; -1: none

  ~HandOverServer() { Close(); }

  // Binds `prefix` in the file system and as an abstract name. False: *error says why.
  bool Bind(const std::string& prefix, std::string* error);
  // Nobody can connect any more: a process that tries drains itself. Idempotent.
  void Close();

  // Whether a process has connected and not sent its message yet.
  bool HasPending() const { return !connections_.empty(); }
  // Whether more have connected than were heard at once.
  bool HasMore() const { return has_more_; }

  // Waits until a message is there, `stop_fd` is readable, or a descriptor of `others` is; handles
  // all messages. `offered` returns whether the segment is taken; the answer carries the doorbell
  // of the process's user. The indices of `others` that are readable come back.
  std::vector<size_t> Serve(int stop_fd, const std::vector<int>& others,
                            const DoorbellOf& doorbell_of, const Offered& offered,
                            const Noted& noted, const Lost& lost);

  const RefusedPeers& refused() const { return refused_; }

 private:
  struct Connection {
    int fd;
    int pidfd;  // -1: none
    ucred peer;
    uint64_t since_ns;
  };

  static void Close(const Connection& connection);
  void Accept();
  void Admit(int fd);
  bool TakeOneAway(int listener);
  template <typename Such>
  void DropOldest(size_t most, const Such& such);
  void DropSilent();
  void CountOtherLayout(int pid, uint32_t layout);
  bool Receive(Connection* connection, const DoorbellOf& doorbell_of, const Offered& offered,
               const Noted& noted, const Lost& lost);

  std::vector<int> listeners_;
  bool has_more_ = false;
  std::vector<Connection> connections_;  // accepted, nothing received yet; the oldest first
  std::vector<std::string> paths_;
  int spare_fd_ = -1;  // given up for a moment where there is no other
  RefusedPeers refused_;
  int last_of_other_layout_ = 0;
};

// Whether this process has started process `pid`, directly or not.
bool IsBelowThis(int pid);

// Whether a launcher that runs as `us` takes what a process of `peer` offers: of its own user, and
// as root of every process that the launcher has started, directly or not.
bool MayHandOver(const ucred& peer, uid_t us);

}  // namespace syncline
