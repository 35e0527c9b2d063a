// SPDX-License-Identifier: Apache-2.0
// A file or function that nobody knows is a slip of the hand, or did nothing that was recorded.
#include "contract/named_line.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/nearest_name.h"
#include "base/text.h"
#include "report/line_place.h"

namespace syncline {
namespace {

struct Parts {
  std::string file, lines, function;
};

// "train.py:38 main()", "train.py", "main()", "main".
Parts PartsOf(std::string_view place) {
  Parts parts;
  place = place.substr(0, place.find(", in "));
  const size_t blank = place.find(' ');
  std::string_view first = place.substr(0, blank);
  if (blank != std::string_view::npos) parts.function = place.substr(blank + 1);
  const size_t colon = first.rfind(':');
  const bool has_lines =
      colon != std::string_view::npos && colon + 1 < first.size() &&
      first.find_first_not_of("0123456789-,", colon + 1) == std::string_view::npos;
  if (has_lines) {
    parts.lines = first.substr(colon + 1);
    first = first.substr(0, colon);
  }
  const bool is_file = has_lines || !parts.function.empty() ||
                       (!first.ends_with(')') && first.find_first_of("./") != first.npos);
  (is_file ? parts.file : parts.function) = first;
  return parts;
}

bool IsOneOf(const std::vector<std::string>& files, std::string_view wanted) {
  return std::any_of(files.begin(), files.end(),
                     [&](const std::string& file) { return IsFile(file, wanted); });
}

// Of a file also its name alone: a path may be the slip.
std::string Nearest(const std::string& wanted, const std::set<std::string>& names) {
  std::set<std::string> all = names;
  for (const std::string& name : names) all.insert(name.substr(name.rfind('/') + 1));
  const auto nearest = [&](const std::string& one) {
    std::vector<std::string> candidates;
    for (const std::string& name : all) {
      // Others are no slip, and there may be many.
      if (name.size() * 4 >= one.size() * 3 && name.size() * 2 <= one.size() * 3)
        candidates.push_back(name);
    }
    return NearestName(one, candidates);
  };
  const std::string whole = nearest(wanted);
  return whole.empty() ? nearest(wanted.substr(wanted.rfind('/') + 1)) : whole;
}

std::string DidYouMean(const std::string& nearest, const std::string& lines) {
  return nearest.empty() ? ""
                         : Text(": did you mean `", PrintableText(nearest),
                                lines.empty() ? "" : Text(":", lines), "`?");
}

}  // namespace

NamedLine KnowLine(std::string_view place, const RunMeasures& run) {
  const Parts wanted = PartsOf(place);
  std::set<std::string> files(run.command_files.begin(), run.command_files.end()), functions;
  for (const std::string& line : run.lines) {
    const LinePlace known = PlaceOf(line);
    if (!known.file.empty()) files.insert(known.file);
    if (!known.function.empty()) functions.insert(known.function);
  }
  const std::vector<std::string> known(files.begin(), files.end());
  const bool sources_are_here =
      std::any_of(known.begin(), known.end(),
                  [&](const std::string& file) { return IsOneOf(run.source_files, file); });
  NamedLine named;
  const bool is_known_file = IsOneOf(known, wanted.file) ||
                             IsOneOf(run.source_files, wanted.file) ||
                             IsOneOf(run.package_files, wanted.file);
  if (!wanted.file.empty() && !is_known_file) {
    const std::string shown = PrintableText(wanted.file);
    for (const std::vector<std::string>* more : {&run.source_files, &run.package_files})
      files.insert(more->begin(), more->end());
    const std::string end = DidYouMean(Nearest(wanted.file, files), wanted.lines);
    if (sources_are_here && run.has_all_sources)
      named.misspelt = Text("neither the run nor the sources have a file `", shown, "`", end);
    else
      named.doubt = Text("the run tells nothing of a file `", shown,
                         "`, and not all sources lie here to be looked at", end);
    return named;
  }
  const bool is_known_function =
      wanted.function.empty() ||
      std::any_of(functions.begin(), functions.end(), [&](const std::string& function) {
        return function == wanted.function || function == wanted.function + "()";
      });
  if (!is_known_function)
    named.doubt =
        Text("the run tells nothing of a function `", PrintableText(wanted.function), "`",
             DidYouMean(NearestName(wanted.function, {functions.begin(), functions.end()}), ""));
  return named;
}

}  // namespace syncline
