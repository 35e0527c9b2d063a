// SPDX-License-Identifier: Apache-2.0
// Under which name a range is summed up: names that differ in numbers only become one where there
// are many of them, so that sums stay as few as what the program does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace syncline {

// A range's name that says "I am one step of the program": "step", "train_step", "training_step",
// "global_step", "ProfilerStep", "iteration", "train_iteration", "iter", "batch" or "minibatch", in
// any spelling, and a number ("ProfilerStep#12", "Train Step 7", "batch 12/400", "epoch 3 step 7",
// "Iteration(515): loss 0.3"). "step", "train_step", "training_step" and the iterations may be
// without a number.
struct StepName {
  std::string name;                // "Train Step #", "Iteration(#): loss #"
  std::optional<uint64_t> number;  // empty: the name has none
  // It is a step only where there is another one: "step 1: load" may be the only such.
  bool needs_another = false;
  std::optional<uint64_t> counted = {};  // by the process, where the name has no number
};
std::optional<StepName> StepOf(std::string_view name);

// "layer 12" and "layer 13" are two names until kMostVariants of them were seen; from then on all
// are "layer #". Steps are folded from the first, counters (FoldFamily) whenever that is known. The
// result does not depend on the order. One thread.
class NameFolder {
 public:
  static constexpr size_t kMostVariants = 64;

  // To be called for each name; the sooner a flood is known, the less is kept.
  void See(std::string_view name) { (void)Folded(name, true); }
  // Names of this family (NumberFamily) are one thing again and again, however few they are.
  void FoldFamily(std::string family) { counters_.insert(std::move(family)); }
  // After all names were seen.
  std::string Folded(std::string_view name) { return Folded(name, false); }
  // Folds each part of "step 3 > layer 12".
  std::string FoldedPath(std::string_view path);
  // The same, of what has a place of its own beside the path: "round 3" is "round #" where another
  // number was seen, too.
  std::string FamilyPath(std::string_view path);
  // Whether the name is already known to be folded.
  bool IsFolded(std::string_view name) const;

 private:
  std::string Folded(std::string_view name, bool count, size_t most_variants = kMostVariants);
  std::string FoldedParts(std::string_view path, size_t most_variants);

  std::unordered_map<std::string, std::unordered_set<std::string>> variants_;  // by folded name
  std::unordered_set<std::string> counters_;                                   // families
};

}  // namespace syncline
