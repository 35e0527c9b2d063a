// SPDX-License-Identifier: Apache-2.0
// Which threads of a trace work for others, and when: what such a thread launches while another
// one's gradients are computed is that one's.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace syncline {

// A thread that has the others work for it.
struct LentTime {
  uint64_t process = 0;
  uint64_t thread = 0;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

class LentThreads {
 public:
  // Of each row of a thread, and of each range in which IsLent says so.
  void AddRow(uint64_t process, uint64_t thread, std::string_view name);
  void AddTime(const LentTime& time) { times_.push_back(time); }
  // Whether others work in a range of that name and domain.
  static bool IsLent(std::string_view name, std::string_view domain);

  // When all was added.
  void Finish();
  // For whom the thread works at that moment: those who began last come first. Until `take` says
  // true.
  void EachFor(uint64_t process, uint64_t thread, uint64_t ns,
               const std::function<bool(const LentTime&)>& take) const;

 private:
  std::set<std::pair<uint64_t, uint64_t>> helpers_;
  std::vector<LentTime> times_;
  std::vector<uint64_t> latest_end_;  // of all up to each
};

}  // namespace syncline
