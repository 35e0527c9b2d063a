// SPDX-License-Identifier: Apache-2.0
// What memory says first: an ending may be its consequence.
#include "report/opening_texts.h"

#include <utility>

#include "report/memory_sections.h"
#include "report/report_endings.h"

namespace syncline {

std::vector<std::string> OpeningTexts(const Report& report) {
  std::vector<std::string> texts = MemoryTexts(report);
  for (std::string& text : EndingTexts(report)) texts.push_back(std::move(text));
  return texts;
}

}  // namespace syncline
