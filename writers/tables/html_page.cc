// SPDX-License-Identifier: Apache-2.0
// The frame of a page. Its style and script are embedded by cmake/SynclineEmbed.cmake.
#include "writers/tables/html_page.h"

#include "writers/tables/page_assets.h"

namespace syncline {
namespace {

// Neither the page nor a name in it can load, send or run anything.
std::string PagePolicy() {
  std::string html =
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'sha256-";
  html += kReportCssHash;
  html += "'; script-src 'sha256-";
  html += kReportJsHash;
  return html + "'; base-uri 'none'; form-action 'none'\">\n";
}

std::string Navigation(const std::vector<PagePart>& parts) {
  std::string html = "<nav aria-label=\"Parts of the report\"><ul>";
  for (const PagePart& part : parts) {
    if (!part.html.empty())
      html += std::string("<li><a href=\"#") + part.id + "\">" + part.title + "</a></li>";
  }
  return html +
         "</ul><div class=\"search needs-script\" role=\"search\"><input type=\"search\" "
         "id=\"search\" placeholder=\"Search all tables  ( / )\" aria-label=\"Search all tables\" "
         "autocomplete=\"off\" spellcheck=\"false\"><output id=\"found\" "
         "for=\"search\"></output></div></nav>\n";
}

}  // namespace

std::string HtmlPage(const std::string& title, const std::string& head,
                     const std::vector<PagePart>& parts) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  page += PagePolicy();
  page +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n<title>Syncline ";
  page += title + "</title>\n<style>";
  page += std::string(kReportCss) + "</style></head>\n<body>";
  page += std::string("<a class=\"skip\" href=\"#") + parts.front().id +
          "\">To the findings</a>\n<div class=\"page\">";
  page += head + Navigation(parts) + "<main>\n";
  for (const PagePart& part : parts) page += part.html;
  page += "</main></div>\n<script>";
  page += std::string(kReportJs) + "</script></body></html>\n";
  return page;
}

}  // namespace syncline
