// SPDX-License-Identifier: Apache-2.0
// The parts of a report's page, in their order.
#include "writers/tables/html.h"

#include "writers/tables/html_page.h"
#include "writers/tables/html_parts.h"
#include "writers/tables/html_text.h"

namespace syncline {

std::string ReportHtml(const Report& report) {
  const std::vector<PagePart> parts = {{"findings", "Findings", HtmlFindings(report)},
                                       {"steps", "Steps", HtmlSteps(report)},
                                       {"devices", "Devices", HtmlDevices(report)},
                                       {"waits", "Waits", HtmlFindingsTable(report)},
                                       {"stages", "Stages", HtmlStages(report)},
                                       {"labels", "By label", HtmlLabels(report)},
                                       {"memory", "Memory", HtmlMemory(report)},
                                       {"compilations", "Compilations", HtmlCompilations(report)},
                                       {"modules", "Modules", HtmlModules(report)},
                                       {"operators", "Operators", HtmlOperators(report)},
                                       {"kernels", "Kernels", HtmlKernels(report)},
                                       {"copies", "Copies", HtmlCopies(report)},
                                       {"ranks", "Ranks", HtmlRanks(report)},
                                       {"rank-stages", "By rank", HtmlRankStages(report)},
                                       {"health", "Health", HtmlHealth(report)}};
  return HtmlPage("report: " + HtmlText(report.directory), HtmlHead(report), parts);
}

}  // namespace syncline
