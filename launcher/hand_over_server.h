// SPDX-License-Identifier: Apache-2.0
// The launcher's half of the talk with recorded processes: sockets, credentials, descriptors;
// handover.h has the messages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "inject/core/handover.h"

namespace syncline {

// A segment that a process offers. `memory_fd` is the receiver's to close.
struct OfferedSegment {
  int pid;  // as the kernel tells it, in our pid namespace
  int memory_fd;
  HandOver message;
};

struct ReceivedNote {
  int pid;
  StartNote note;  // what was not sent is zero
};

// Not thread-safe: one thread owns it. Messages of other users, and messages that are not ours, are
// dropped.
class HandOverServer {
 public:
  ~HandOverServer();

  // Binds `prefix` and `prefix`.note, in the file system and as abstract names. False: *error says
  // why.
  bool Bind(const std::string& prefix, std::string* error);

  // Whether a process has connected and not sent its message yet.
  bool HasPending() const { return !connections_.empty(); }

  // Waits until a message is there, `stop_fd` is readable, or a descriptor of `others` is; handles
  // all messages. `offered` returns whether the segment is taken; the answer carries `doorbell_fd`.
  // The indices of `others` that are readable come back.
  std::vector<size_t> Serve(int stop_fd, const std::vector<int>& others, int doorbell_fd,
                            const std::function<bool(const OfferedSegment&)>& offered,
                            const std::function<void(const ReceivedNote&)>& noted);

 private:
  void Accept();
  bool ReceiveOffer(int connection, int doorbell_fd,
                    const std::function<bool(const OfferedSegment&)>& offered);
  void ReceiveNotes(int socket, const std::function<void(const ReceivedNote&)>& noted);

  std::vector<int> listeners_;
  std::vector<int> note_sockets_;
  std::vector<int> connections_;  // accepted, nothing received yet
  std::vector<std::string> paths_;
};

}  // namespace syncline
