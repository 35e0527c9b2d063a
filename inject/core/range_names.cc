// SPDX-License-Identifier: Apache-2.0
// The patterns of stages and steps.
#include "inject/core/range_names.h"

#include "inject/core/glob.h"
#include "inject/core/options.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

struct Pattern {
  std::string_view name;
  std::string_view domain;
  bool any_domain = false;
};

class Patterns {
 public:
  bool Load(const char* list) {
    if (!empty()) return true;  // a fork's child has them
    for (std::string_view word = NextWord(&list); !word.empty(); word = NextWord(&list)) {
      if (count_ == kMostPatterns) return false;
      patterns_[count_++] = Split(word);
    }
    return true;
  }
  // The whole text is one pattern, of any domain, as readers take it.
  void LoadOne(const char* text) {
    if (empty() && *text != '\0') patterns_[count_++] = {text, {}, true};
  }
  bool empty() const { return count_ == 0; }

  bool MatchName(std::string_view name) const {
    for (uint32_t i = 0; i < count_; ++i) {
      if (MatchesGlob(patterns_[i].name, name)) return true;
    }
    return false;
  }
  bool Match(std::string_view name, std::string_view domain) const {
    for (uint32_t i = 0; i < count_; ++i) {
      const Pattern& pattern = patterns_[i];
      if (MatchesGlob(pattern.name, name) &&
          (pattern.any_domain || MatchesGlob(pattern.domain, domain)))
        return true;
    }
    return false;
  }

 private:
  // No substr: it may throw, and would bring what throws into the injected library.
  static Pattern Split(std::string_view word) {
    const size_t at = word.rfind(kDomainMark);
    if (at == std::string_view::npos) return {word, {}, true};
    std::string_view domain = word;
    domain.remove_prefix(at + 1);
    word.remove_suffix(word.size() - at);
    return {word, domain, false};
  }

  Pattern patterns_[kMostPatterns] = {};
  uint32_t count_ = 0;
};

// Written once, before the first name is looked up. Texts of options last.
constinit Patterns g_stages, g_excluded, g_steps;

}  // namespace

bool LoadStageNames() {
  const bool all = g_stages.Load(OptionText(OptionIndex("stages")));
  return g_excluded.Load(OptionText(OptionIndex("exclude.stages"))) && all;
}

void LoadStepNames() { g_steps.LoadOne(OptionText(OptionIndex("step.range"))); }

bool AnyRangeNames() { return AnyStagesOrExcluded() || !g_steps.empty(); }

bool AnyStagesOrExcluded() { return !g_stages.empty() || !g_excluded.empty(); }

bool AnyStageNames() { return !g_stages.empty(); }

uint8_t MarksOfName(std::string_view name) {
  if (!AnyRangeNames()) return 0;
  return static_cast<uint8_t>((g_stages.MatchName(name) ? kMarkStage : 0) |
                              (g_excluded.MatchName(name) ? kMarkExcluded : 0) |
                              (g_steps.MatchName(name) ? kMarkStep : 0));
}

uint8_t MarksOfRange(std::string_view name, std::string_view domain) {
  const uint8_t step = g_steps.Match(name, domain) ? kMarkStep : 0;
  if (g_excluded.Match(name, domain)) return step | kMarkExcluded;
  return static_cast<uint8_t>(step | (g_stages.Match(name, domain) ? kMarkStage : 0));
}

}  // namespace syncline
