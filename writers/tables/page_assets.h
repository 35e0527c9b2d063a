// SPDX-License-Identifier: Apache-2.0
// The style and the script of the page, as the build found them in this folder.
#pragma once

#include <string_view>

namespace syncline {

extern const std::string_view kReportCss;
extern const std::string_view kReportJs;
// SHA-256 of each in base64.
extern const std::string_view kReportCssHash;
extern const std::string_view kReportJsHash;

}  // namespace syncline
