// SPDX-License-Identifier: Apache-2.0
// From what the processes of a rank would gain, each by itself, to what the rank gains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/prices/prices.h"
#include "model/findings/price_sums.h"

namespace syncline {

// Processes that work one after the other gain one after the other: that adds up. Of processes at
// the same time the one that ends last holds up the rank. A change brings what it takes from that
// one, until another one ends last. Where one of them waits for what another one hands over, or two
// are of one process, the end of one depends on the other one: then nobody knows more than what one
// of them gains by itself. One thread.
class ProcessGains {
 public:
  // `joint_ns`: as RankPart::joint_ns, of this one. `pid`: that of the process.
  void Add(int32_t pid, const ReplayedTime& time, const std::map<PriceKey, PriceSums>& prices,
           std::vector<uint64_t> joint_ns);

  // After the last one. Of the rank: the gains of `prices`, and what those changes bring together
  // that bring most.
  void Settle(std::map<PriceKey, PriceSums>* prices, std::vector<uint64_t>* joint_ns);
  // For how long at least one of them was at work; 0: there are not two.
  uint64_t TogetherNs() const;

 private:
  struct Process {
    int32_t pid = 0;
    ReplayedTime time;
    std::vector<uint64_t> joint_ns;
    bool awaits = false;
    size_t group = 0;
  };
  // Of processes of which each is at work while another one is.
  struct Group {
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    bool depend = false;  // on each other
    std::vector<size_t> processes;
  };
  using Gains = std::map<size_t, uint64_t>;  // by process; those that gain
  using OfProcesses = std::vector<std::pair<size_t, RankGain>>;
  // What is changed, in each process that has it, by the same items.
  struct Candidate {
    std::vector<const PriceKey*> keys;
    const OfProcesses* of = nullptr;
    uint64_t gain_ns = 0;
  };

  void FindGroups();
  uint64_t OfRank(const Gains& gains) const;
  uint64_t OfRank(const OfProcesses& of, uint64_t RankGain::*gain) const;
  uint64_t Together(const std::vector<Candidate>& changes, size_t set) const;
  std::vector<Candidate> Largest() const;

  std::vector<Process> processes_;
  std::vector<Group> groups_;  // one after the other
  std::map<PriceKey, OfProcesses> gains_;
};

}  // namespace syncline
