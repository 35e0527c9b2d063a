// SPDX-License-Identifier: Apache-2.0
// Each part is in a folder with those of the other ranks: readers of a job take a folder.
#include "launcher/show/split_trace.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "writers/chrome/trace_part.h"
#include "writers/chrome/trace_reader.h"
#include "writers/files/file_sink.h"
#include "writers/files/gzip_sink.h"

namespace syncline {
namespace {

constexpr unsigned kOfOwner = 0700;

// Of a slice that is a step the text behind "ProfilerStep#"; empty: it is none.
std::string NumberOfStep(const TraceSlice& slice) {
  constexpr std::string_view kName = ", \"name\": \"ProfilerStep#";
  const size_t found = slice.line.find(kName);
  if (slice.category != "user_annotation" || found == std::string_view::npos) return "";
  const size_t begin = found + kName.size();
  const std::string_view number = slice.line.substr(begin, slice.line.find('"', begin) - begin);
  constexpr size_t kMostDigits = 9;
  const bool is_number = number.size() <= kMostDigits &&
                         number.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? std::string(number) : "";
}

// A step that several threads have is one part.
Status StepsOf(const std::string& trace, std::vector<TracePart>* parts) {
  std::set<std::string> numbers;
  return ReadTrace(trace, {[&](const TraceSlice& slice) {
                             if (parts->size() == kMostParts) return;
                             const std::string number = NumberOfStep(slice);
                             if (!number.empty() && numbers.insert(number).second)
                               parts->push_back({number, slice.begin_ns, slice.end_ns});
                           },
                           {}});
}

Status WritePart(const std::string& trace, const std::string& folder, const std::string& name,
                 const TracePart& part) {
  if (const int error = MakeDirectories(folder, kOfOwner); error != 0)
    return Status::Error(Text("cannot make ", ShellQuote(folder), ": ", ErrorText(error)));
  FileSink file;
  Status status = file.Open(Text(folder, "/", name));
  if (!status.ok()) return status;
  {
    GzipSink zipped(&file);
    status = WriteTracePart(trace, part.begin_ns, part.end_ns, &zipped);
  }
  return status.ok() ? file.Commit() : status;
}

}  // namespace

std::vector<TracePart> CyclesOf(const RankManifest& manifest) {
  const ManifestGate* most = nullptr;
  for (const ManifestProcess& process : manifest.processes) {
    if (process.gate.gated && (most == nullptr || process.gate.times.size() > most->times.size()))
      most = &process.gate;
  }
  std::vector<TracePart> parts;
  if (most == nullptr) return parts;
  for (const auto& [begin_ns, end_ns] : most->times) {
    if (!parts.empty()) parts.back().end_ns = begin_ns;
    parts.push_back({std::to_string(parts.size()), begin_ns, manifest.end_ns});
  }
  return parts;
}

std::string SplitTraces(const std::string& directory, const std::vector<RankManifest>& ranks,
                        SplitBy by) {
  const std::string kind = by == SplitBy::kCycles ? "cycles" : "steps";
  std::set<std::string> folders;
  for (const RankManifest& rank : ranks) {
    const std::string trace = Text(directory, "/", rank.trace);
    std::vector<TracePart> parts;
    const Status read = by == SplitBy::kCycles ? Status() : StepsOf(trace, &parts);
    if (!read.ok()) return Text("--split ", kind, ": ", read.message());
    if (by == SplitBy::kCycles) parts = CyclesOf(rank);
    for (const TracePart& part : parts) {
      const std::string folder = Text(directory, "/", kind, "/", part.name);
      const Status status = WritePart(trace, folder, rank.trace, part);
      if (!status.ok()) return Text("--split ", kind, ": ", status.message());
      folders.insert(part.name);
    }
  }
  if (folders.empty())
    return Text("--split ", kind, ": there are none; ",
                by == SplitBy::kCycles ? "--schedule, --steps or --stages make some"
                                       : "--step-range names the ranges that are steps");
  return Text("wrote a trace for each of ",
              Counted(folders.size(), by == SplitBy::kCycles ? "cycle" : "step"), " below ", kind,
              "/",
              folders.size() == kMostParts ? Text(": the first ", kMostParts, " have one") : "");
}

}  // namespace syncline
