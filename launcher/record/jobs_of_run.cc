// SPDX-License-Identifier: Apache-2.0
// Processes -> who started them -> jobs.
#include "launcher/record/jobs_of_run.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"

namespace syncline {
namespace {

constexpr size_t kNone = SIZE_MAX;

// Ranks that are of one job for certain, or, once added up, a job.
struct Ranks {
  std::set<std::pair<int, int>> numbers;  // with the attempt
  std::set<uint32_t> names;               // RankFacts::job
  std::set<int> worlds;
  std::set<int> recorded;

  void Add(const Ranks& other) {
    numbers.insert(other.numbers.begin(), other.numbers.end());
    names.insert(other.names.begin(), other.names.end());
    worlds.insert(other.worlds.begin(), other.worlds.end());
    recorded.insert(other.recorded.begin(), other.recorded.end());
  }
};

template <typename Set>
bool Meet(const Set& a, const Set& b) {
  return std::any_of(a.begin(), a.end(), [&b](const auto& one) { return b.contains(one); });
}

class JobFinder {
 public:
  explicit JobFinder(const std::vector<JobMember>& members)
      : members_(members), group_of_(members.size(), kNone) {}

  JobsOfRun Find() {
    MakeGroups();
    for (const Ranks& group : groups_) job_of_.push_back(JobOf(group));
    return Number();
  }

 private:
  std::vector<size_t> InOrder() const {
    std::vector<size_t> order(members_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    StableSort(&order, [this](size_t a, size_t b) {
      return members_[a].start_realtime_ns < members_[b].start_realtime_ns;
    });
    return order;
  }

  void MakeGroups() {
    std::map<std::tuple<uint32_t, uint32_t, int>, size_t> known;
    std::map<int, size_t> by_pid;
    for (const size_t i : InOrder()) {
      const JobMember& member = members_[i];
      const RankFacts& rank = member.rank;
      const bool told = rank.starter != 0 || rank.job != 0;
      if (rank.spawned > 0 || !told) continue;  // of a job that is there
      const auto parent = by_pid.find(member.parent_pid);
      const auto key = rank.starter != 0 ? std::tuple(rank.starter, 0u, 0)
                                         : std::tuple(0u, rank.job, rank.world_size);
      if (parent != by_pid.end() && IsOneRank(members_[parent->second].rank, rank))
        group_of_[i] = group_of_[parent->second];
      else
        group_of_[i] = known.try_emplace(key, known.size()).first->second;
      if (member.own_pid != 0) by_pid[member.own_pid] = i;
      groups_.resize(known.size());
      Ranks& group = groups_[group_of_[i]];
      group.numbers.emplace(rank.rank, rank.attempt);
      if (rank.job != 0) group.names.insert(rank.job);
      group.worlds.insert(rank.world_size);
      if (member.recorded) group.recorded.insert(rank.rank);
    }
  }

  static bool IsOneRank(const RankFacts& a, const RankFacts& b) {
    return a.rank == b.rank && a.world_size == b.world_size && a.attempt == b.attempt;
  }

  // The last job that has its name, so that the agents of several nodes are of one; else the last
  // one that it may be of.
  size_t JobOf(const Ranks& group) {
    for (const bool by_name : {true, false}) {
      for (size_t job = jobs_.size(); job-- > 0;) {
        Ranks& one = jobs_[job];
        const bool fits = by_name ? Meet(one.names, group.names) : Meet(one.worlds, group.worlds);
        if (!fits || Meet(one.numbers, group.numbers)) continue;
        one.Add(group);
        return job;
      }
    }
    jobs_.push_back(group);
    return jobs_.size() - 1;
  }

  JobsOfRun Number() const {
    JobsOfRun result;
    std::vector<int> numbers;
    size_t best = 0;
    for (size_t job = 0; job < jobs_.size(); ++job) {
      numbers.push_back(jobs_[job].recorded.empty() ? 0 : ++result.jobs);
      if (jobs_[job].recorded.size() > jobs_[best].recorded.size()) best = job;
    }
    result.counts = numbers.empty() ? 0 : numbers[best];
    for (size_t i = 0; i < members_.size(); ++i) {
      size_t job = group_of_[i] == kNone ? best : job_of_[group_of_[i]];
      if (members_[i].rank.spawned > 0) job = OfName(members_[i].rank.job, best);
      result.of.push_back(numbers.empty() ? 0 : numbers[job]);
    }
    return result;
  }

  size_t OfName(uint32_t name, size_t otherwise) const {
    for (size_t job = 0; job < jobs_.size(); ++job) {
      if (name != 0 && jobs_[job].names.contains(name)) return job;
    }
    return otherwise;
  }

  const std::vector<JobMember>& members_;
  std::vector<size_t> group_of_;  // by member
  std::vector<Ranks> groups_;     // in the order in which they began
  std::vector<size_t> job_of_;    // by group
  std::vector<Ranks> jobs_;
};

}  // namespace

JobsOfRun FindJobs(const std::vector<JobMember>& members) { return JobFinder(members).Find(); }

}  // namespace syncline
