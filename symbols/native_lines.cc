// SPDX-License-Identifier: Apache-2.0
// A fork without exec: it needs no file to be found again, and works in any program. The launcher
// may have threads then: glibc makes heap and loader usable in the child, and were something else
// locked there for ever, the time limit ends it.
#include "symbols/native_lines.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>

namespace syncline {

NativeLines::~NativeLines() { Stop(); }

// False, and over_: there will be no lines.
bool NativeLines::Start() {
  int ends[2];
  over_ = true;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    problems_.push_back("no lines of native code: no socket could be made");
    return false;
  }
  child_ = fork();
  if (child_ == 0) {
    close(ends[0]);  // or this process would wait for itself where /proc does not name its files
    serve_(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  socket_ = ends[0];
  std::string_view hello;
  if (child_ > 0 && Receive(&hello) && hello == "\1") {
    over_ = false;
    return true;
  }
  problems_.push_back(hello == std::string_view("\0", 1)
                          ? "no lines of native code: elfutils' libdw (libdw.so.1) was not found"
                          : "no lines of native code: the process that reads them did not start");
  Stop();
  return false;
}

void NativeLines::Stop() {
  if (socket_ >= 0) close(socket_);
  if (child_ > 0) {
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  socket_ = -1;
  child_ = -1;
}

// One message, until the next. False: none came in time, or never will.
bool NativeLines::Receive(std::string_view* bytes) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t kMostBytes = 256 << 10;
  const auto deadline = Clock::now() + std::chrono::milliseconds(limits_.answer_ms);
  pollfd ready{socket_, POLLIN, 0};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int count = left <= 0 ? 0 : poll(&ready, 1, static_cast<int>(left));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    answer_.resize(kMostBytes);
    const ssize_t got = recv(socket_, answer_.data(), answer_.size(), MSG_DONTWAIT);
    *bytes = {answer_.data(), got < 0 ? 0 : static_cast<size_t>(got)};
    return got > 0;
  }
}

bool NativeLines::Ask(const std::string& path, uint64_t address, std::vector<LineFrame>* frames) {
  std::string request(reinterpret_cast<const char*>(&address), sizeof(address));
  request += path;
  if (send(socket_, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size()))
    return false;
  std::string_view answer;
  return Receive(&answer) && answer[0] == '=' && DecodeFrames(answer.substr(1), frames);
}

std::vector<LineFrame> NativeLines::At(const std::string& path, uint64_t address) {
  std::vector<LineFrame> frames;
  if (over_ || path.size() > PATH_MAX || bad_.contains(path) || (child_ < 0 && !Start()))
    return frames;
  const auto begin = std::chrono::steady_clock::now();
  const bool answered = Ask(path, address, &frames);
  waited_ += std::chrono::steady_clock::now() - begin;
  if (waited_ > std::chrono::milliseconds(limits_.all_ms) && !over_) {
    over_ = true;
    problems_.push_back("not all lines of native code: to read them took more than a minute");
  }
  if (answered) return frames;
  Stop();
  bad_.insert(path);
  problems_.push_back("no lines of " + path +
                      ": its debug information could not be read, or not within 10 s");
  if (++failures_ < limits_.failures) return {};
  over_ = true;
  problems_.push_back("no lines of native code any more: too much debug information is damaged");
  return {};
}

}  // namespace syncline
