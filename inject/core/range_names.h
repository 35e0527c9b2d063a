// SPDX-License-Identifier: Apache-2.0
// What the options say of a range by its name: whether it is a stage, an excluded one, a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace syncline {

enum RangeMark : uint8_t { kMarkStage = 1, kMarkExcluded = 2, kMarkStep = 4 };

// Patterns that commas separate, each NAME or NAME@DOMAIN with * and ?; a name with an @ of its own
// is matched by ? in its place. More than kMostPatterns of one option: the rest is ignored, told.
inline constexpr uint32_t kMostPatterns = 64;
inline constexpr char kDomainMark = '@';

// Read the options, once in a process; before that no name has a mark. Steps: one pattern, and only
// where they are counted; readers find them without it. False: some were ignored.
bool LoadStageNames();
void LoadStepNames();

// Whether any range is looked for by name; a stage is; a stage or an excluded one is.
bool AnyRangeNames();
bool AnyStageNames();
bool AnyStagesOrExcluded();

// The marks that a range of this name has in some domain. Any thread, signal-safe.
uint8_t MarksOfName(std::string_view name);

// The marks of a range of this name and domain; "": the default domain.
uint8_t MarksOfRange(std::string_view name, std::string_view domain);

}  // namespace syncline
