// SPDX-License-Identifier: Apache-2.0
// Reads a spool while somebody appends to it: each whole block once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "inject/core/spool_format.h"

namespace syncline {

class SpoolTail {
 public:
  explicit SpoolTail(std::string path) : path_(std::move(path)) {}

  using TakeBlock = std::function<void(const BlockHead& head, std::string_view payload)>;
  // What came since the last time. A block that is not whole yet, or is damaged, is where it ends.
  // The file is open meanwhile only: there may be more of them than a process may have open.
  void Read(const TakeBlock& take);

 private:
  const std::string path_;
  uint64_t at_ = 0;
};

}  // namespace syncline
