// SPDX-License-Identifier: Apache-2.0
// What commands print for people and programs.
#pragma once

#include <cstddef>
#include <string_view>

#include "writers/files/byte_sink.h"

namespace syncline {

size_t TerminalColumns();  // COLUMNS, else the terminal's own, else 100
bool WantsColours();

class StandardOutput : public ByteSink {
 public:
  Status Write(std::string_view bytes) override;
  Status Flush();
};

}  // namespace syncline
