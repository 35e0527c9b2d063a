// SPDX-License-Identifier: Apache-2.0
// What a function of this room returns when it can fail: nothing, or a message for the user.
#pragma once

#include <string>
#include <utility>

namespace syncline {

// A message says what failed, why, and what to do about it; it names the file.
class [[nodiscard]] Status {
 public:
  Status() = default;
  static Status Error(std::string message) {
    Status status;
    status.message_ = message.empty() ? "unknown error" : std::move(message);
    return status;
  }
  // What is there could be read, had there been memory.
  static Status OutOfMemory(std::string message) {
    Status status = Error(std::move(message));
    status.is_out_of_memory_ = true;
    return status;
  }
  bool ok() const { return message_.empty(); }
  bool is_out_of_memory() const { return is_out_of_memory_; }
  const std::string& message() const { return message_; }

 private:
  std::string message_;
  bool is_out_of_memory_ = false;
};

}  // namespace syncline
