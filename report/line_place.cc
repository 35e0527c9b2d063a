// SPDX-License-Identifier: Apache-2.0
// The colon before the lines is the first one with numbers and a blank behind it: names of C++ have
// colons, too, and folders may have blanks.
#include "report/line_place.h"

#include <charconv>

#include "base/text.h"

namespace syncline {

LinePlace PlaceOf(std::string_view where) {
  constexpr std::string_view kIn = ", in ", kLines = "0123456789-,";
  LinePlace place;
  if (const size_t in = where.find(kIn); in != std::string_view::npos) {
    const LinePlace inner = PlaceOf(where.substr(in + kIn.size()));
    place.within = Text(inner.file, " ", inner.function, inner.within);
    where = where.substr(0, in);
  }
  for (size_t colon = where.find(':'); colon != std::string_view::npos;
       colon = where.find(':', colon + 1)) {
    const size_t end = where.find_first_not_of(kLines, colon + 1);
    if (end == std::string_view::npos || end == colon + 1 || where[end] != ' ') continue;
    place.file = where.substr(0, colon);
    place.lines = where.substr(colon + 1, end - colon - 1);
    place.function = where.substr(end + 1);
    std::from_chars(place.lines.data(), place.lines.data() + place.lines.size(), place.line);
    return place;
  }
  place.function = where;
  return place;
}

}  // namespace syncline
