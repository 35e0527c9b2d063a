// SPDX-License-Identifier: Apache-2.0
// report/io_signature.json: what goes in and out of functions (docs/python-ranges.md).
#pragma once

#include <string>

#include "model/findings/run_findings.h"

namespace syncline {

inline constexpr char kSignatureSchema[] = "syncline.io_signature/1";

// Empty: no signatures were kept.
std::string SignatureJson(const RunFindings& findings);

}  // namespace syncline
