// SPDX-License-Identifier: Apache-2.0
// The duration model.
#include "tests/simulated_gpu/engine/durations.h"

#include <fnmatch.h>

#include <cstdio>
#include <cstdlib>

#include "tests/simulated_gpu/engine/settings.h"

namespace simgpu {
namespace {

constexpr uint64_t kMultiprocessors = 132, kThreadsPerMultiprocessor = 2048;

std::optional<uint64_t> ParseTime(const std::string& text) {
  char* unit = nullptr;
  const double number = std::strtod(text.c_str(), &unit);
  if (unit == text.c_str() || number < 0) return std::nullopt;
  const std::string_view name = unit;
  const double scale = name == "ns"   ? 1
                       : name == "us" ? 1e3
                       : name == "ms" ? 1e6
                       : name == "s"  ? 1e9
                                      : 0;
  if (scale == 0) return std::nullopt;
  return static_cast<uint64_t>(number * scale);
}

uint64_t Mix(uint64_t x) {  // splitmix64's finaliser
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

uint64_t At(double start_ns, uint64_t bytes, double bytes_per_ns) {
  return static_cast<uint64_t>(start_ns + static_cast<double>(bytes) / bytes_per_ns);
}

}  // namespace

std::optional<Durations> Durations::Parse(std::string_view rules, uint64_t seed, double jitter,
                                          std::string* error) {
  Durations durations;
  durations.seed_ = seed;
  durations.jitter_ = jitter;
  while (!rules.empty()) {
    const std::string item(rules.substr(0, rules.find(',')));
    rules.remove_prefix(item.size() < rules.size() ? item.size() + 1 : rules.size());
    if (item.empty()) continue;
    const size_t equals = item.rfind('=');
    const std::optional<uint64_t> ns =
        equals == std::string::npos ? std::nullopt : ParseTime(item.substr(equals + 1));
    if (!ns || equals == 0) {
      *error = "SIMGPU_DURATIONS: '" + item + "' is not PATTERN=TIME with a time such as 20us, 2ms";
      return std::nullopt;
    }
    durations.rows_.push_back({item.substr(0, equals), *ns});
  }
  return durations;
}

std::optional<uint64_t> Durations::Rule(const char* name) const {
  for (const Row& row : rows_) {
    if (fnmatch(row.pattern.c_str(), name, 0) == 0) return row.ns;
  }
  return std::nullopt;
}

uint64_t Durations::OfGrid(uint64_t blocks, uint64_t threads_per_block) {
  const uint64_t waves =
      blocks * threads_per_block / (kMultiprocessors * kThreadsPerMultiprocessor);
  return 1500 + 2000 * (waves + 1);
}

uint64_t Durations::OfCopy(CopyKind kind, bool pageable, uint64_t bytes) {
  switch (kind) {
    case CopyKind::kDeviceToDevice:
      return At(1500, bytes, 1500);
    case CopyKind::kPeerToPeer:
      return At(2000, bytes, 200);
    case CopyKind::kHostToHost:
      return At(500, bytes, 10);
    default:
      return At(1500, bytes, pageable ? 8 : 25);
  }
}

uint64_t Durations::OfMemset(uint64_t bytes) { return At(1200, bytes, 2000); }

uint64_t Durations::Vary(uint64_t ns, uint32_t device, uint32_t stream, uint64_t sequence) const {
  if (jitter_ == 0) return ns;
  const uint64_t bits =
      Mix(Mix(seed_ ^ (uint64_t{device} << 40) ^ (uint64_t{stream} << 20)) + sequence);
  const double unit = static_cast<double>(bits >> 11) / static_cast<double>(1ull << 53);  // [0, 1)
  return static_cast<uint64_t>(static_cast<double>(ns) * (1 + jitter_ * (2 * unit - 1)));
}

const Durations& Durations::OfProcess() {
  static const Durations& durations = *[] {
    const Settings& settings = Settings::OfProcess();
    std::string error;
    auto parsed = Parse(settings.durations, settings.seed, settings.jitter, &error);
    if (!parsed) {
      std::fprintf(stderr, "simulated GPU: %s\n", error.c_str());
      std::_Exit(125);
    }
    return new Durations(*parsed);
  }();
  return durations;
}

}  // namespace simgpu
