// SPDX-License-Identifier: Apache-2.0
// Names of files are as the recording told them: relative to where the program ran.
#include "launcher/show/source_places.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "launcher/host/files.h"
#include "model/run/source_files.h"

namespace syncline {
namespace {

constexpr uint64_t kAround = 2;       // lines before the first and behind the last
constexpr uint64_t kMostMarked = 12;  // lines of one place
constexpr size_t kLongestLine = 160;

// "a.py:8-9 f()": its file, its first line and its last; of "8,12" the two outer ones.
struct NamedLines {
  std::string_view file;
  uint64_t first = 0;
  uint64_t last = 0;
};

NamedLines LinesOf(std::string_view place) {
  NamedLines lines;
  const std::string_view at = place.substr(0, place.find(' '));
  const size_t colon = at.rfind(':');
  if (colon == std::string_view::npos) return lines;
  const char* const end = at.data() + at.size();
  auto [next, error] = std::from_chars(at.data() + colon + 1, end, lines.first);
  if (error != std::errc() || lines.first == 0) return {};
  lines.file = at.substr(0, colon);
  lines.last = lines.first;
  while (next != end && (*next == '-' || *next == ',')) {
    const auto [after, wrong] = std::from_chars(next + 1, end, lines.last);
    if (wrong != std::errc()) break;
    next = after;
  }
  lines.last = std::clamp(lines.last, lines.first, lines.first + kMostMarked - 1);
  return lines;
}

// Findings may be anybody's: what they name is shown only if it is called as a source text is.
bool IsSource(std::string_view file) {
  static constexpr std::string_view kEndings[] = {"py",  "pyx", "c",   "cc",  "cpp", "cxx", "cu",
                                                  "cuh", "h",   "hh",  "hpp", "hxx", "inl", "f",
                                                  "for", "f90", "f95", "f03", "f08", "F90"};
  const size_t dot = file.rfind('.');
  return dot != std::string_view::npos && std::find(std::begin(kEndings), std::end(kEndings),
                                                    file.substr(dot + 1)) != std::end(kEndings);
}

std::string Folder(const std::string& path) { return path.substr(0, path.rfind('/')); }

// False: the file has no such line there.
bool TakeLines(const std::string& file, const NamedLines& named, SourcePlace* place) {
  SourceFiles files("");
  const std::vector<std::string_view>& lines = files.LinesOf(file);
  if (named.first > lines.size()) return false;
  const uint64_t from = named.first > kAround ? named.first - kAround : 1;
  const uint64_t until = std::min<uint64_t>(named.last + kAround, lines.size());
  for (uint64_t number = from; number <= until; ++number) {
    const std::string_view text = lines[number - 1];
    place->lines.push_back({number, PrintableText(text.substr(0, kLongestLine)),
                            number >= named.first && number <= named.last});
  }
  place->file = file;
  return true;
}

}  // namespace

SourcePlace SourceAround(std::string_view text, const std::vector<std::string>& directories) {
  SourcePlace place;
  place.place = text;
  const NamedLines named = LinesOf(text);
  if (named.file.empty()) {
    place.unknown = "no line is known";
    return place;
  }
  if (!IsSource(named.file)) {
    place.unknown = "its name is not that of a source text";
    return place;
  }
  if (named.file.front() == '/') {
    if (TakeLines(std::string(named.file), named, &place)) return place;
  } else {
    for (const std::string& directory : directories) {
      if (TakeLines(Text(directory, "/", named.file), named, &place)) return place;
    }
  }
  place.unknown = "no such file can be read from here: call it where the program ran";
  return place;
}

std::vector<std::string> SourceDirectories(const std::string& run_directory,
                                           const std::vector<std::string>& command_lines) {
  std::vector<std::string> directories = {AbsolutePath("."), Folder(Folder(run_directory))};
  for (const std::string& line : command_lines) {
    std::string_view rest = line;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      const std::string word(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!word.starts_with('/')) continue;
      directories.push_back(Folder(word));
    }
  }
  return directories;
}

}  // namespace syncline
