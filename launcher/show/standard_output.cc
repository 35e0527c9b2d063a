// SPDX-License-Identifier: Apache-2.0
// stdout, and what the terminal behind it can show.
#include "launcher/show/standard_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "base/text.h"
#include "inject/core/options.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

Status WriteFailure() {
  return Status::Error(Text("cannot write to stdout: ", ErrorText(errno), "."));
}

}  // namespace

size_t TerminalColumns() {
  constexpr size_t kUnknown = 100, kMost = 1000;
  const char* told = Environment("COLUMNS");
  size_t columns = 0;
  if (told != nullptr) std::from_chars(told, told + std::strlen(told), columns);
  winsize size = {};
  if (columns == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? kUnknown : std::min(columns, kMost);
}

// https://no-color.org: a variable that is set and not empty.
bool WantsColours() {
  const char* no_color = Environment("NO_COLOR");
  const char* terminal = Environment("TERM");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

Status StandardOutput::Write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return Status();
  return WriteFailure();
}

Status StandardOutput::Flush() { return std::fflush(stdout) == 0 ? Status() : WriteFailure(); }

}  // namespace syncline
