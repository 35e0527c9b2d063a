// SPDX-License-Identifier: Apache-2.0
// Where bytes of an output file go: the file itself, or a compressor in front of it.
#pragma once

#include <string_view>

#include "base/status.h"

namespace syncline {

// Each call to Write is one unit: a compressor makes one independent member of it.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status Write(std::string_view bytes) = 0;
};

}  // namespace syncline
