// SPDX-License-Identifier: Apache-2.0
// Findings as a file: docs/findings.md. JSON, compressed by gzip.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/findings/run_findings.h"
#include "writers/files/byte_sink.h"

namespace syncline {

inline constexpr char kFindingsSchema[] = "syncline.findings/1";
inline constexpr char kMergedFindingsSchema[] = "syncline.merged-findings/1";

// Replaces `path` in one step.
Status WriteFindings(const std::string& path, const RunFindings& findings);

// Checks the schema's name. Fields that are missing keep their defaults, unknown ones are ignored;
// what is damaged inside is left out, but for a number that its field cannot hold: an error. Adds
// to `findings`; not ok: nothing was added. `rank`: the one that the file is of; what is of another
// one was copied there. Empty: any.
Status ReadFindings(const std::string& path, RunFindings* findings, const std::string& rank = "");

// The text inside.
std::string FindingsText(const RunFindings& findings);
// The same for people's programs: quantiles instead of buckets, and how the ranks met instead of
// each collective. In pieces, of which a rank's steps are the largest.
Status WriteMergedFindings(const RunFindings& findings, const RankMeetings& meetings,
                           ByteSink* sink);
// `name`: for messages.
Status ParseFindings(std::string_view text, const std::string& name, RunFindings* findings,
                     const std::string& rank = "");

}  // namespace syncline
