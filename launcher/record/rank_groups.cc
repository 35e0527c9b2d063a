// SPDX-License-Identifier: Apache-2.0
// Which ranks processes say they are of, and which launcher gave them that.
#include "launcher/record/rank_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "launcher/record/jobs_of_run.h"
#include "launcher/record/numbering.h"
#include "model/run/spool_facts.h"
#include "offline/told_places.h"

namespace syncline {
namespace {

constexpr int kSilentJob = -1;  // one that recorded nothing

// A process before it is known to which group it belongs.
struct Member {
  ProcessInput input;
  JobMember of;
  int job = 0;  // 0: that of the run, else the number of another one

  int rank() const { return of.rank.rank; }
  uint32_t kind() const { return of.rank.launcher; }
};

JobMember OfSpool(const SpoolFacts& facts) {
  return {{facts.rank, facts.world_size, -1, -1, -1, facts.launcher, facts.attempt, facts.spawned,
           facts.job, facts.starter},
          facts.own_pid,
          facts.parent_pid,
          facts.start_realtime_ns,
          true};
}

Member FromRecorder(const RecordedProcess& process) {
  Member member;
  member.input.spool = process.spool_path;
  member.input.note = process.note;
  member.input.outer_pid = process.pid;
  member.input.running = !process.gone;
  member.input.status_known = process.status_known;
  member.input.wait_status = process.wait_status;
  member.input.end_monotonic_ns = process.end_monotonic_ns;
  if (process.note != nullptr) {
    const ProcessFacts& facts = process.note->facts;
    member.of = {facts.rank, facts.pid, facts.ppid, process.note->start.realtime_ns, false};
  }
  SpoolFacts facts;
  if (!process.spool_path.empty() && ReadSpoolFacts(process.spool_path, &facts).ok())
    member.of = OfSpool(facts);
  return member;
}

Member FromScan(const FoundSpool& spool, const RecordedRun& request) {
  Member member{{}, OfSpool(spool.facts)};
  member.input.spool = spool.path;
  member.input.outer_pid = spool.facts.pid;
  member.input.running = spool.running;
  if (request.child_pid != 0 && spool.facts.pid == request.child_pid) {
    member.input.status_known = true;
    member.input.wait_status = request.child_status;
  }
  return member;
}

size_t SpoolsOf(const RankGroup& group) {
  return static_cast<size_t>(
      std::count_if(group.inputs.begin(), group.inputs.end(),
                    [](const ProcessInput& input) { return !input.spool.empty(); }));
}

bool HasSpool(const RankGroup& group) { return SpoolsOf(group) != 0; }

using Groups = std::map<int, RankGroup>;
using Places = std::vector<std::optional<ToldPlace>>;

// The places of each group's inputs. Empty: those of each group are of one rank.
std::map<int, Places> PlacesOf(const Groups& groups) {
  const bool may_be_several = std::any_of(
      groups.begin(), groups.end(), [](const auto& group) { return SpoolsOf(group.second) > 1; });
  if (!may_be_several) return {};
  std::vector<std::string> spools;
  for (const auto& [rank, group] : groups) {
    for (const ProcessInput& input : group.inputs) spools.push_back(input.spool);
  }
  const Places all = FindToldPlaces(spools);
  std::map<int, Places> of_groups;
  bool several = false;
  auto next = all.begin();
  for (const auto& [rank, group] : groups) {
    Places& places = of_groups[rank];
    std::set<int> ranks;
    for (size_t i = 0; i < group.inputs.size(); ++i) {
      places.push_back(*next++);
      if (places.back()) ranks.insert(places.back()->rank);
    }
    several = several || ranks.size() > 1;
    // Nobody knows whether its number means the same as theirs.
    if (ranks.empty() && rank >= 0 && HasSpool(group)) return {};
  }
  return several ? of_groups : std::map<int, Places>();
}

// Ranks that no launcher numbered, children of one process, say their numbers themselves. That
// process is none of them.
Groups AsTheySay(Groups groups) {
  std::map<int, Places> of_groups = PlacesOf(groups);
  if (of_groups.empty()) return groups;
  Groups apart;
  for (auto& [number, group] : groups) {
    const Places& places = of_groups.at(number);
    std::set<int> ranks;
    for (const auto& place : places) {
      if (place) ranks.insert(place->rank);
    }
    const int fallback = ranks.size() > 1 ? -1 : ranks.empty() ? number : *ranks.begin();
    for (size_t i = 0; i < places.size(); ++i) {
      RankGroup& own = apart[places[i] ? places[i]->rank : fallback];
      if (places[i]) own.world_size = places[i]->ranks;
      own.inputs.push_back(std::move(group.inputs[i]));
    }
  }
  return apart;
}

// A rank beside those of the job, with a number of theirs: of another job, of an attempt that the
// launcher gave up, or of another MPI_COMM_WORLD.
struct Beside {
  int job;      // 0: that of the run
  int spawned;  // 0: in none
  int rank;
  int attempt;                                      // -1: the last one
  auto operator<=>(const Beside&) const = default;  // NOLINT(modernize-use-nullptr)
};

std::string NameOf(const Beside& which) {
  std::string name = Text("rank-", which.rank);
  if (which.job != 0) name += Text("-job-", which.job);
  if (which.spawned != 0) name += Text("-spawn-", which.spawned);
  if (which.attempt >= 0) name += Text("-attempt-", which.attempt);
  return name;
}

// With a word to the ranks that began anew. None has met those of the job as a rank of its number.
void AddBeside(std::map<Beside, RankGroup>* beside, std::vector<RankGroup>* groups) {
  for (auto& [which, group] : *beside) {
    if (!HasSpool(group)) continue;
    group.beside = which.rank;
    group.counts = which.attempt < 0;
    group.name = NameOf(which);
    const auto last =
        std::find_if(groups->begin(), groups->end(),
                     [rank = which.rank](const auto& other) { return other.rank == rank; });
    if (!group.counts && which.job == 0 && last != groups->end())
      last->notes.push_back(Text("its launcher started it anew: attempt ", which.attempt,
                                 " does not count here, its trace is run/", group.name,
                                 ".trace.json.gz"));
    groups->push_back(std::move(group));
  }
}

// Whether it has a number that counts.
bool IsNumbered(const Member& member, uint32_t innermost) {
  return member.rank() >= 0 && (member.kind() == 0 || member.kind() <= innermost);
}

uint32_t InnermostOf(const std::vector<Member>& members) {
  uint32_t innermost = UINT32_MAX;  // kinds are in the order of rank.def: inner launchers first
  for (const Member& member : members) {
    if (member.rank() >= 0 && member.kind() != 0) innermost = std::min(innermost, member.kind());
  }
  return innermost;
}

// With the numbers that count.
std::vector<Member> MembersOf(const RecordedRun& request) {
  std::vector<Member> members;
  for (const RecordedProcess& process : request.processes) members.push_back(FromRecorder(process));
  for (const FoundSpool& spool : request.spools) {
    if (spool.problem.empty() && !spool.running) members.push_back(FromScan(spool, request));
  }
  std::vector<JobMember> facts;
  for (const Member& member : members) facts.push_back(member.of);
  ChooseNumbers(&facts);
  for (size_t i = 0; i < members.size(); ++i) members[i].of = facts[i];
  return members;
}

// How many jobs ran.
int TellJobsApart(uint32_t innermost, std::vector<Member>* members) {
  std::vector<Member*> numbered;
  std::vector<JobMember> facts;
  for (Member& member : *members) {
    if (!IsNumbered(member, innermost)) continue;
    numbered.push_back(&member);
    facts.push_back(member.of);
  }
  const JobsOfRun jobs = FindJobs(facts);
  for (size_t i = 0; i < numbered.size(); ++i) {
    const int job = jobs.of[i];
    numbered[i]->job = job == jobs.counts ? 0 : job == 0 ? kSilentJob : job;
  }
  return jobs.jobs;
}

// To the first rank of the job that counts.
void TellOfJobs(int jobs, std::vector<RankGroup>* groups) {
  const auto first = std::find_if(groups->begin(), groups->end(),
                                  [](const RankGroup& group) { return group.rank >= 0; });
  if (jobs < 2 || first == groups->end()) return;
  first->notes.push_back(
      Text(jobs,
           " jobs ran, and this is the one with the most ranks, or the first of such: what "
           "ranks did together is told of it alone. Ranks of another one are `rank-N-job-J`"));
}

// Of each rank its last attempt, for a rank that did not start again, too: its last one failed.
std::map<int, int> LastAttempts(const std::vector<Member>& members) {
  std::map<int, int> last;  // by job
  for (const Member& member : members) {
    const auto [of_job, first] = last.try_emplace(member.job, member.of.rank.attempt);
    of_job->second = std::max(of_job->second, member.of.rank.attempt);
  }
  return last;
}

}  // namespace

std::vector<RankGroup> GroupByRank(const RecordedRun& request) {
  std::vector<Member> members = MembersOf(request);
  const uint32_t innermost = InnermostOf(members);
  bool any_rank = std::any_of(members.begin(), members.end(),
                              [](const Member& member) { return member.rank() >= 0; });
  const bool own_counts = request.own_rank.rank >= 0 &&
                          (innermost == UINT32_MAX || request.own_rank.launcher == innermost);
  const int fallback = own_counts                               ? request.own_rank.rank
                       : any_rank || request.own_rank.rank >= 0 ? -1
                                                                : 0;

  const int jobs = TellJobsApart(innermost, &members);
  const std::map<int, int> last = LastAttempts(members);
  Groups groups;
  std::map<Beside, RankGroup> beside;
  for (Member& member : members) {
    const bool numbered = IsNumbered(member, innermost);
    const int rank = numbered ? member.rank() : fallback;
    const int attempt = member.of.rank.attempt;
    const Beside which = {member.job, std::max(member.of.rank.spawned, 0), rank,
                          attempt < last.at(member.job) ? attempt : -1};
    const bool is_beside = numbered && (which.job != 0 || which.spawned > 0 || which.attempt >= 0);
    RankGroup& group = is_beside ? beside[which] : groups[rank];
    group.inputs.push_back(std::move(member.input));
  }
  groups = AsTheySay(std::move(groups));
  any_rank = any_rank || groups.size() > 1;
  std::vector<RankGroup> result;
  for (auto& [rank, group] : groups) {
    group.rank = rank;
    if (rank == 0 && !any_rank && !own_counts) group.world_size = 1;
    group.name = rank >= 0                   ? Text("rank-", rank)
                 : request.own_rank.rank > 0 ? Text("launcher-", request.own_rank.rank)
                                             : "launcher";
    // Helpers without a rank of their own, such as mpirun, only show if they recorded something.
    if (rank >= 0 ? any_rank || own_counts || HasSpool(group) : HasSpool(group))
      result.push_back(std::move(group));
  }
  AddBeside(&beside, &result);
  TellOfJobs(jobs, &result);
  return result;
}

}  // namespace syncline
