// SPDX-License-Identifier: Apache-2.0
// Which ranks processes say they are of, and which launcher gave them that.
#include "launcher/record/rank_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "model/run/spool_facts.h"
#include "offline/told_places.h"

namespace syncline {
namespace {

// A process before it is known to which group it belongs.
struct Member {
  ProcessInput input;
  int rank;
  uint32_t kind;     // LauncherKind, 0: unknown
  int attempt = -1;  // as in RankFacts
  int spawned = -1;
};

Member FromRecorder(const RecordedProcess& process) {
  Member member{{}, -1, 0};
  member.input.spool = process.spool_path;
  member.input.note = process.note;
  member.input.outer_pid = process.pid;
  member.input.running = !process.gone;
  member.input.status_known = process.status_known;
  member.input.wait_status = process.wait_status;
  member.input.end_monotonic_ns = process.end_monotonic_ns;
  if (process.note != nullptr) {
    member.rank = process.note->facts.rank.rank;
    member.kind = process.note->facts.rank.launcher;
    member.attempt = process.note->facts.rank.attempt;
    member.spawned = process.note->facts.rank.spawned;
  }
  SpoolFacts facts;
  if (!process.spool_path.empty() && ReadSpoolFacts(process.spool_path, &facts).ok()) {
    member.rank = facts.rank;
    member.kind = facts.launcher;
    member.attempt = facts.attempt;
    member.spawned = facts.spawned;
  }
  return member;
}

Member FromScan(const FoundSpool& spool, const RecordedRun& request) {
  Member member{
      {}, spool.facts.rank, spool.facts.launcher, spool.facts.attempt, spool.facts.spawned};
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

// A rank beside those of the job, with a number of theirs: of an attempt that the launcher gave up,
// or of another MPI_COMM_WORLD.
struct Beside {
  int spawned;  // 0: of an earlier attempt
  int rank;
  int attempt;
  auto operator<=>(const Beside&) const = default;  // NOLINT(modernize-use-nullptr)
};

// With a word to the ranks that began anew. None has met those of the job as a rank of its number.
void AddBeside(std::map<Beside, RankGroup>* beside, std::vector<RankGroup>* groups) {
  for (auto& [which, group] : *beside) {
    if (!HasSpool(group)) continue;
    group.beside = which.rank;
    group.counts = which.spawned > 0;
    group.name = Text("rank-", which.rank, group.counts ? "-spawn-" : "-attempt-",
                      group.counts ? which.spawned : which.attempt);
    const auto last =
        std::find_if(groups->begin(), groups->end(),
                     [rank = which.rank](const auto& other) { return other.rank == rank; });
    if (!group.counts && last != groups->end())
      last->notes.push_back(Text("its launcher started it anew: attempt ", which.attempt,
                                 " does not count here, its trace is run/", group.name,
                                 ".trace.json.gz"));
    groups->push_back(std::move(group));
  }
}

}  // namespace

std::vector<RankGroup> GroupByRank(const RecordedRun& request) {
  std::vector<Member> members;
  for (const RecordedProcess& process : request.processes) members.push_back(FromRecorder(process));
  for (const FoundSpool& spool : request.spools) {
    if (spool.problem.empty() && !spool.running) members.push_back(FromScan(spool, request));
  }

  uint32_t innermost = UINT32_MAX;  // kinds are in the order of rank.def: inner launchers first
  bool any_rank = false;
  for (const Member& member : members) {
    if (member.rank < 0) continue;
    any_rank = true;
    if (member.kind != 0) innermost = std::min(innermost, member.kind);
  }
  const bool own_counts = request.own_rank.rank >= 0 &&
                          (innermost == UINT32_MAX || request.own_rank.launcher == innermost);
  const int fallback = own_counts                               ? request.own_rank.rank
                       : any_rank || request.own_rank.rank >= 0 ? -1
                                                                : 0;

  int last = -1;  // of a rank that did not start again, too: its last attempt failed
  for (const Member& member : members) last = std::max(last, member.attempt);
  Groups groups;
  std::map<Beside, RankGroup> beside;
  for (Member& member : members) {
    const bool outer = member.kind != 0 && member.kind > innermost;
    const int rank = member.rank >= 0 && !outer ? member.rank : fallback;
    const int spawned = std::max(member.spawned, 0);
    const bool is_earlier = member.attempt >= 0 && member.attempt < last;
    const bool is_beside = rank >= 0 && !outer && (is_earlier || spawned > 0);
    RankGroup& group = is_beside ? beside[{spawned, rank, member.attempt}] : groups[rank];
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
  return result;
}

}  // namespace syncline
