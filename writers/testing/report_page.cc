// SPDX-License-Identifier: Apache-2.0
// Writes report.html of a run that never was: `report_page FILE RANKS STEPS KERNELS [hostile|few]`.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "writers/tables/html.h"
#include "writers/testing/made_up_report.h"

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: report_page FILE RANKS STEPS KERNELS [hostile|few]\n");
    return 2;
  }
  syncline::MadeUpRun run;
  run.ranks = std::strtoull(argv[2], nullptr, 10);
  run.steps = std::strtoull(argv[3], nullptr, 10);
  run.kernels = std::strtoull(argv[4], nullptr, 10);
  if (argc > 5 && std::strcmp(argv[5], "hostile") == 0) run.name_suffix = syncline::HostileName();
  if (argc > 5 && std::strcmp(argv[5], "few") == 0) run.findings = 5;
  const std::string page = syncline::ReportHtml(syncline::MadeUpReport(run));
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) return 1;
  const bool written = std::fwrite(page.data(), 1, page.size(), file) == page.size();
  return std::fclose(file) == 0 && written ? 0 : 1;
}
