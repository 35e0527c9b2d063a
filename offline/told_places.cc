// SPDX-License-Identifier: Apache-2.0
// Communicators come first: arguments may be those of nodes.
#include "offline/told_places.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "analysis/collectives/communicator_places.h"
#include "model/spool/first_block.h"
#include "model/spool/spool_reader.h"
#include "offline/parallel_for.h"

namespace syncline {
namespace {

using Places = std::vector<std::optional<ToldPlace>>;

constexpr int kMostRanks = 1 << 20;  // no job has more: the number is something else
constexpr std::string_view kOfRank[] = {"--rank", "--local_rank", "--local-rank"};

// Whether the places are of at least two processes, and no two have the same one.
bool TellsApart(const Places& places) {
  std::set<int> ranks;
  for (const auto& place : places) {
    if (place && !ranks.insert(place->rank).second) return false;
  }
  return ranks.size() >= 2;
}

// What its first block says; none: not known.
std::optional<ProcessFacts> FactsOf(const std::string& path) {
  FirstBlock first;
  SpoolReader reader;
  if (path.empty() || !reader.Open(path).ok()) return std::nullopt;
  (void)reader.Read(&first);  // "stopped" is how it ends
  if (!first.found) return std::nullopt;
  return first.process.facts;
}

std::map<uint64_t, CommunicatorPlace> CommunicatorsOf(const std::string& path) {
  CommunicatorPlaces places;
  SpoolReader reader;
  if (!path.empty() && reader.Open(path).ok()) (void)reader.Read(&places);  // as far as it can
  return places.found();
}

// Of the largest communicator, then the one of most of them, that tells several of them apart.
Places OfCommunicators(const std::vector<std::string>& spools) {
  std::vector<std::map<uint64_t, CommunicatorPlace>> found(spools.size());
  const std::atomic<bool> never{false};
  ParallelFor(spools.size(), never, [&](size_t i) { found[i] = CommunicatorsOf(spools[i]); });
  std::map<uint64_t, Places> communicators;
  for (size_t i = 0; i < spools.size(); ++i) {
    for (const auto& [id, place] : found[i]) {
      Places& members = communicators[id];
      members.resize(spools.size());
      if (!place.several)
        members[i] = {static_cast<int>(place.rank), static_cast<int>(place.ranks)};
    }
  }
  Places best(spools.size());
  std::tuple<int, size_t> most{0, 0};
  for (const auto& [id, members] : communicators) {
    if (!TellsApart(members)) continue;
    std::tuple<int, size_t> size{0, 0};
    for (const auto& place : members) {
      if (place) size = {place->ranks, std::get<1>(size) + 1};
    }
    if (size <= most) continue;
    most = size;
    best = members;
  }
  return best;
}

std::optional<ToldPlace> PlaceIn(std::string_view command_line) {
  for (std::string_view rest = command_line; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    for (const std::string_view name : kOfRank) {
      if (!word.starts_with(name)) continue;
      const bool is_whole = word == name;
      if (!is_whole && word[name.size()] != '=') continue;
      const std::string_view text =
          is_whole ? rest.substr(0, rest.find('\0')) : word.substr(name.size() + 1);
      int rank = -1;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
      if (error == std::errc() && end == text.data() + text.size() && rank >= 0 &&
          rank < kMostRanks)
        return ToldPlace{rank, -1};
    }
  }
  return std::nullopt;
}

Places OfArguments(const std::vector<std::optional<ProcessFacts>>& facts) {
  Places places(facts.size());
  for (size_t i = 0; i < facts.size(); ++i) {
    if (!facts[i]) continue;
    const size_t bytes =
        std::min<size_t>(facts[i]->command_line_bytes, sizeof(facts[i]->command_line));
    places[i] = PlaceIn({facts[i]->command_line, bytes});
  }
  return places;
}

// What a rank's process starts is of that rank: a loader's workers are.
void GiveToChildren(const std::vector<std::optional<ProcessFacts>>& facts, Places* places) {
  std::map<int32_t, size_t> by_pid;
  for (size_t i = 0; i < facts.size(); ++i) {
    if (facts[i]) by_pid.emplace(facts[i]->pid, i);
  }
  for (size_t i = 0; i < facts.size(); ++i) {
    std::optional<ToldPlace> place;
    size_t at = i;
    for (size_t most = facts.size(); !place && most != 0 && facts[at]; --most) {
      place = (*places)[at];
      const auto parent = by_pid.find(facts[at]->ppid);
      if (parent == by_pid.end()) break;
      at = parent->second;
    }
    if (place && !(*places)[i]) (*places)[i] = place;
  }
}

}  // namespace

Places FindToldPlaces(const std::vector<std::string>& spools) {
  std::vector<std::optional<ProcessFacts>> facts;
  for (const std::string& spool : spools) facts.push_back(FactsOf(spool));
  Places places = OfCommunicators(spools);
  if (!TellsApart(places)) places = OfArguments(facts);
  if (!TellsApart(places)) return Places(spools.size());
  GiveToChildren(facts, &places);
  return places;
}

}  // namespace syncline
