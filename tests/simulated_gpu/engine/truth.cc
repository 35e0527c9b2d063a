// SPDX-License-Identifier: Apache-2.0
// Writes the truth file.
#include "tests/simulated_gpu/engine/truth.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/settings.h"

namespace simgpu {
namespace {

std::atomic<int> truth_file{-1};

void Escape(std::string* out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      *out += code;
    } else {
      *out += c;
    }
  }
}

}  // namespace

TruthLine::TruthLine(std::string_view op) {
  text_.reserve(512);
  text_ = "{\"op\":\"";
  text_ += op;
  text_ += '"';
}

TruthLine& TruthLine::Text(std::string_view key, std::string_view value) {
  text_ += ",\"";
  text_ += key;
  text_ += "\":\"";
  Escape(&text_, value);
  text_ += '"';
  return *this;
}

TruthLine& TruthLine::Number(std::string_view key, uint64_t value) {
  text_ += ",\"";
  text_ += key;
  text_ += "\":";
  text_ += std::to_string(value);
  return *this;
}

TruthLine& TruthLine::Flag(std::string_view key, bool value) {
  text_ += ",\"";
  text_ += key;
  text_ += value ? "\":true" : "\":false";
  return *this;
}

void TruthLine::Write() {
  const int file = truth_file.load(std::memory_order_acquire);
  if (file < 0) return;
  text_ += "}\n";
  const int saved = errno;
  // One write: O_APPEND keeps lines of several threads and processes whole.
  if (write(file, text_.data(), text_.size()) != static_cast<ssize_t>(text_.size())) {
    static constexpr char kLost[] =
        "simulated GPU: a line of the truth file could not be written\n";
    (void)!write(2, kLost, sizeof kLost - 1);
  }
  errno = saved;
}

bool TruthIsOn() { return truth_file.load(std::memory_order_relaxed) >= 0; }

void OpenTruth(const TruthHeader& header) {
  const Settings& settings = Settings::OfProcess();
  if (settings.truth.empty() || TruthIsOn()) return;
  int file = open(settings.truth.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    std::fprintf(stderr, "simulated GPU: SIMGPU_TRUTH=%s cannot be written: %s\n",
                 settings.truth.c_str(), std::strerror(errno));
    std::_Exit(125);
  }
  // Out of the way of programs that count on low descriptor numbers.
  const int high = fcntl(file, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) {
    close(file);
    file = high;
  }
  truth_file.store(file, std::memory_order_release);
  TruthLine line("header");
  line.Text("schema", "simgpu.truth/1")
      .Number("version", 1)
      .Text("clock", "CLOCK_MONOTONIC")
      .Number("seed", settings.seed)
      .Number("devices", header.devices)
      .Text("device_name", header.device_name)
      .Number("pid", static_cast<uint64_t>(getpid()))
      .Number("time_ns", Now());
  if (header.interface != nullptr) line.Text("interface", header.interface);
  line.Write();
}

void ForgetTruth() {
  const int file = truth_file.exchange(-1);
  if (file >= 0) close(file);
}

}  // namespace simgpu
