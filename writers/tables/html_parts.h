// SPDX-License-Identifier: Apache-2.0
// The parts of the page report.html.
#pragma once

#include <string>

#include "report/report.h"

namespace syncline {

std::string HtmlHead(const Report& report);
// What to change, best first.
std::string HtmlFindings(const Report& report);
std::string HtmlFindingsTable(const Report& report);
// Ranks and steps at a glance, drawn by the script from StepMaps().
std::string HtmlSteps(const Report& report);
std::string HtmlDevices(const Report& report);
std::string HtmlStages(const Report& report);
std::string HtmlLabels(const Report& report);
std::string HtmlKernels(const Report& report);
std::string HtmlCompilations(const Report& report);
std::string HtmlMemory(const Report& report);
std::string HtmlModules(const Report& report);
std::string HtmlOperators(const Report& report);
std::string HtmlCopies(const Report& report);
std::string HtmlRanks(const Report& report);
std::string HtmlRankStages(const Report& report);
std::string HtmlHealth(const Report& report);

}  // namespace syncline
