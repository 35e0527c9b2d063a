// SPDX-License-Identifier: Apache-2.0
// Functions and lines by debug information, whatever that information does to its reader.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "symbols/line_frame.h"
#include "symbols/line_server.h"

namespace syncline {

// Asks a process of its own. One that dies, or does not answer in time, is begun anew; the file
// that it was asked about is not asked about again.
class NativeLines {
 public:
  struct Limits {
    int answer_ms = kLineSeconds * 1000;
    int failures = 5;     // after so many nothing is asked any more
    int all_ms = 60'000;  // all answers together
  };

  NativeLines() = default;
  // For tests: what serves, and how long it may take.
  NativeLines(void (*serve)(int socket), Limits limits) : serve_(serve), limits_(limits) {}
  ~NativeLines();
  NativeLines(const NativeLines&) = delete;
  NativeLines& operator=(const NativeLines&) = delete;

  // The innermost first. Empty: nothing is known. `path` has debug information.
  std::vector<LineFrame> At(const std::string& path, uint64_t address);
  // Why lines are missing, each once, as sentences.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  bool Start();
  void Stop();
  bool Receive(std::string_view* bytes);
  bool Ask(const std::string& path, uint64_t address, std::vector<LineFrame>* frames);

  void (*serve_)(int socket) = ServeLines;
  Limits limits_;
  pid_t child_ = -1;
  int socket_ = -1;
  int failures_ = 0;
  std::chrono::steady_clock::duration waited_{0};
  bool over_ = false;
  std::vector<char> answer_;
  std::unordered_set<std::string> bad_;
  std::vector<std::string> problems_;
};

}  // namespace syncline
