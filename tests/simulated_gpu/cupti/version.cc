// SPDX-License-Identifier: Apache-2.0
// The table of CUPTI_API_VERSION by toolkit, and SIMGPU_CUPTI_VERSION.
#include "tests/simulated_gpu/cupti/version.h"

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace simgpu::cupti {
namespace {

struct ApiVersionRow {
  Version toolkit;
  uint32_t api_version;
};

// The list in the comment of cupti_version.h. A toolkit that is not in it kept the number of the
// one before.
constexpr ApiVersionRow kApiVersions[] = {{1200, 19}, {1202, 20}, {1203, 21}, {1204, 22},
                                          {1205, 23}, {1206, 24}, {1208, 26}, {1209, 28}};

std::atomic<Version> g_presented{0};

}  // namespace

std::optional<Version> ParseVersion(std::string_view text) {
  uint32_t major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto [dot, bad_major] = std::from_chars(text.data(), end, major);
  if (bad_major != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, bad_minor] = std::from_chars(dot + 1, end, minor);
  if (bad_minor != std::errc() || rest != end) return std::nullopt;
  if (major < 12 || major > 99 || minor > 99) return std::nullopt;
  return MakeVersion(major, minor);
}

Version Presented() {
  // Two threads may both read the environment: they find the same.
  Version presented = g_presented.load(std::memory_order_relaxed);
  if (presented != 0) return presented;
  const char* text = std::getenv("SIMGPU_CUPTI_VERSION");
  const std::optional<Version> asked =
      text == nullptr || *text == '\0' ? kDefaultVersion : ParseVersion(text);
  if (!asked) {
    std::fprintf(
        stderr,
        "simulated CUPTI: SIMGPU_CUPTI_VERSION=%s is no version; give one such as 12.4 or 13.0\n",
        text);
    std::_Exit(125);
  }
  g_presented.store(*asked, std::memory_order_relaxed);
  return *asked;
}

uint32_t ApiVersion(Version version) {
  constexpr Version kUpdated =
      1300;  // 13.0 stands for its Update 1, whose headers this is built with
  if (version == kUpdated) return 130001;
  if (version > kUpdated) return version / 100 * 10000 + version % 100 * 100;
  uint32_t number = 0;
  for (const ApiVersionRow& row : kApiVersions) {
    if (row.toolkit <= version) number = row.api_version;
  }
  return number;
}

void PresentForTest(Version version) { g_presented.store(version, std::memory_order_relaxed); }

}  // namespace simgpu::cupti
