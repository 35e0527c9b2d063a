// SPDX-License-Identifier: Apache-2.0
// What a value of --ranks says: which ranks of a job are recorded.
#pragma once

#include <string_view>

#include "inject/core/rank.h"
#include "inject/core/text.h"

namespace syncline {

// Words that commas separate; a rank is recorded that one of them names:
//   3           rank 3
//   8-15        ranks 8 to 15, both included
//   every:8     ranks 0, 8, 16 ...
//   node-first  the first rank of each node
//   local:0     the rank with this number on each node; local:0-3 several
struct RankWord {
  enum class Kind : uint8_t { kBad, kRanks, kEvery, kLocal };
  Kind kind = Kind::kBad;
  int32_t first = 0;  // kEvery: the distance
  int32_t last = 0;
};

inline constexpr std::string_view kNodeFirst = "node-first";
inline constexpr std::string_view kEveryRank = "every:";
inline constexpr std::string_view kLocalRank = "local:";

// At most eight digits and nothing else; -1: it is not.
constexpr int32_t RankNumber(std::string_view text) {
  if (text.empty() || text.size() > 8) return -1;
  int32_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

// No substr here: it may throw, and would bring what throws into the injected library.
constexpr RankWord ParseRankWord(std::string_view word) {
  if (word == kNodeFirst) return {RankWord::Kind::kLocal, 0, 0};
  if (word.starts_with(kEveryRank)) {
    word.remove_prefix(kEveryRank.size());
    const int32_t every = RankNumber(word);
    return every > 0 ? RankWord{RankWord::Kind::kEvery, every, every} : RankWord{};
  }
  const bool local = word.starts_with(kLocalRank);
  if (local) word.remove_prefix(kLocalRank.size());
  std::string_view behind = word;  // what follows the dash, or all
  const size_t dash = word.find('-');
  if (dash != std::string_view::npos) {
    behind.remove_prefix(dash + 1);
    word.remove_suffix(word.size() - dash);
  }
  const int32_t first = RankNumber(word);
  const int32_t last = RankNumber(behind);
  if (first < 0 || last < first) return {};
  return {local ? RankWord::Kind::kLocal : RankWord::Kind::kRanks, first, last};
}

enum class RankChoice : uint8_t {
  kRecorded,
  kLeftOut,
  kUnknown,  // a word asks for the number on the node, which is not known
};

// Words that are none count for nothing, and a list without any word chooses all ranks: the
// launcher has refused both before. So does any list where there is no rank.
inline RankChoice ChooseRank(const char* list, const RankFacts& rank) {
  bool names_some = false;
  bool unknown = false;
  for (std::string_view word = NextWord(&list); !word.empty(); word = NextWord(&list)) {
    const RankWord parsed = ParseRankWord(word);
    const auto within = [&](int32_t number) {
      return number >= parsed.first && number <= parsed.last;
    };
    switch (parsed.kind) {
      case RankWord::Kind::kBad:
        continue;
      case RankWord::Kind::kRanks:
        if (within(rank.rank)) return RankChoice::kRecorded;
        break;
      case RankWord::Kind::kEvery:
        if (rank.rank % parsed.first == 0) return RankChoice::kRecorded;
        break;
      case RankWord::Kind::kLocal:
        if (rank.local_rank >= 0 && within(rank.local_rank)) return RankChoice::kRecorded;
        unknown = unknown || rank.local_rank < 0;
        break;
    }
    names_some = true;
  }
  if (!names_some || rank.rank < 0) return RankChoice::kRecorded;
  return unknown ? RankChoice::kUnknown : RankChoice::kLeftOut;
}

}  // namespace syncline
