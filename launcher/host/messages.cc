// SPDX-License-Identifier: Apache-2.0
// Messages through spdlog, the only file that sees it: it is slow to compile.
#include "launcher/host/messages.h"

#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>

#include "base/log_commands.h"
#include "base/text.h"
#include "launcher/host/held_directory.h"

namespace syncline {
namespace {

struct Messages {
  std::shared_ptr<spdlog::logger> logger;
  bool quiet = false;

  Messages() : logger(spdlog::stderr_logger_mt("syncline")) {
    logger->set_pattern("syncline: %v");
    logger->set_level(spdlog::level::warn);
    logger->flush_on(spdlog::level::trace);
  }
};

Messages& Instance() {
  static Messages messages;
  return messages;
}

// A line break within a message starts a new line with the prefix.
void Lines(spdlog::level::level_enum level, const std::string& message) {
  const std::string named = WithNameOfHeld(message);
  std::string_view text = named;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string line = WithoutLogCommands(PrintableText(text.substr(0, end)));
    Instance().logger->log(level, "{}", spdlog::string_view_t(line.data(), line.size()));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

void SetUpMessages(bool quiet, std::string_view level) {
  Messages& messages = Instance();
  messages.quiet = quiet;
  const auto wanted = spdlog::level::from_str(std::string(level));
  messages.logger->set_level(quiet                          ? spdlog::level::err
                             : wanted == spdlog::level::off ? spdlog::level::warn
                                                            : wanted);
}

void Say(const std::string& text) {
  if (!Instance().quiet) Lines(spdlog::level::critical, text);
}
void SayError(const std::string& text) { Lines(spdlog::level::err, text); }
void SayWarning(const std::string& text) { Lines(spdlog::level::warn, text); }
void SayInfo(const std::string& text) { Lines(spdlog::level::info, text); }

void ReserveStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    const int mode = fd == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", mode | O_CLOEXEC);
  }
}

}  // namespace syncline
