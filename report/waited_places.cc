// SPDX-License-Identifier: Apache-2.0
// First by line, or by class, call and ranges; then by functions and callers, as prices tell.
#include "report/waited_places.h"

#include <set>

#include "base/stable_sort.h"
#include "base/text.h"

namespace syncline {
namespace {

using ByKey = std::map<PriceKey, Waited>;

constexpr size_t kMostCallers = 4;  // that are told apart
constexpr size_t kLeastLinesOfHabit = 3;
constexpr size_t kFewLines = 4;       // are told one by one
constexpr uint64_t kMostOfAll = 10;   // all but a tenth of it
constexpr size_t kMostParts = 16;     // of a finding
constexpr uint64_t kLeastShare = 10;  // a tenth: of a caller that is told

ByKey ByLine(const RunFindings& findings) {
  std::set<std::string_view> busy;  // lines that wait for more than loading, which happens once
  for (const auto& [what, sums] : findings.waits) {
    if (what.wait_class != WaitClass::kModuleLoad) busy.insert(what.where);
  }
  ByKey waits;
  for (const auto& [what, sums] : findings.waits) {
    PriceKey key;
    key.source = what.source;
    key.program = what.program;
    key.where = what.where;
    if (what.where.empty()) {
      key.change = Change::kWaitsOfCall;
      key.call = what.call;
      key.ranges = what.ranges;
    }
    const bool is_apart = what.wait_class == WaitClass::kModuleLoad && busy.contains(what.where);
    if (what.where.empty() || is_apart) key.wait_class = what.wait_class;
    Waited& waited = waits[std::move(key)];
    waited.sums.Add(sums);
    waited.calls[{what.wait_class, what.call}] += sums.blocked.total_ns;
    waited.ranges[what.ranges] += sums.blocked.total_ns;
  }
  return waits;
}

uint32_t LineOf(std::string_view where) {
  const size_t colon = where.substr(0, where.find(' ')).rfind(':');
  uint32_t line = 0;
  for (size_t i = colon + 1; i < where.size() && where[i] >= '0' && where[i] <= '9'; ++i)
    line = line * 10 + static_cast<uint32_t>(where[i] - '0');
  return line;
}

// "a.cu:15-26 main()", or of a few lines with others between them "a.cu:15,17,26 main()", of
// "a.cu main()".
std::string WithLines(const std::string& function, const std::set<uint32_t>& lines) {
  const uint32_t first = *lines.begin(), last = *lines.rbegin();
  std::string numbers;
  for (const uint32_t line : lines) numbers += Text(numbers.empty() ? ":" : ",", line);
  if (lines.size() > kFewLines || last - first == lines.size() - 1)
    numbers = Text(":", first, "-", last);
  std::string text = function;
  return text.insert(function.find(' '), numbers);
}

// Without those that have less than a hundredth of it: uploads of a model before its loop.
std::set<uint32_t> LinesWorthTelling(const WaitedPlace& place) {
  std::set<uint32_t> numbers;
  for (const FindingPart& part : place.parts) {
    if (part.blocked_ns * 100 >= place.waited.sums.blocked.total_ns)
      numbers.insert(LineOf(part.what));
  }
  return numbers;
}

// One habit at several lines: at three and more, none of which is half of it, or at lines that
// bring much less one by one, because the next one waits instead.
void TakeFunction(const RunFindings& findings, const PriceKey& function, const PriceSums& whole,
                  ByKey* waits, std::vector<WaitedPlace>* places) {
  std::vector<ByKey::iterator> lines;
  WaitedPlace place;
  const PriceKey* longest = nullptr;
  uint64_t most = 0, alone_ns = 0;
  for (auto at = waits->begin(); at != waits->end(); ++at) {
    if (at->first.source != function.source || at->first.program != function.program ||
        WithoutLine(at->first.where) != function.where ||
        Waited::Most(at->second.calls)->first.first != function.wait_class)
      continue;
    lines.push_back(at);
    const auto alone = findings.prices.find(at->first);
    if (alone != findings.prices.end()) alone_ns += alone->second.gain.gain_ns;
    place.waited.Add(at->second);
    const uint64_t blocked = at->second.sums.blocked.total_ns;
    if (blocked >= most) {
      place.line = at->first.where;
      longest = &at->first;
      most = blocked;
    }
    place.parts.push_back({at->first.where, blocked});
  }
  const bool is_habit =
      lines.size() >= kLeastLinesOfHabit && most * 2 <= place.waited.sums.blocked.total_ns;
  const bool together = lines.size() > 1 && alone_ns * 2 < whole.gain.gain_ns &&
                        whole.gain.gain_ns * kLeastShare >= place.waited.sums.blocked.total_ns;
  if (!is_habit && !together) return;
  place.key = function;
  if (most * kMostOfAll >= place.waited.sums.blocked.total_ns * (kMostOfAll - 1)) {
    // The others wait when this one does not.
    place.where = place.line;
    place.waited = waits->at(*longest);
    place.more = Text("with ", lines.size() - 1, lines.size() == 2 ? " line" : " lines",
                      " that would wait instead");
  } else {
    const std::set<uint32_t> numbers = LinesWorthTelling(place);
    place.where = WithLines(function.where, numbers);
    place.more = Text("at ", numbers.size(), numbers.size() == 1 ? " line" : " lines");
  }
  for (const ByKey::iterator& line : lines) waits->erase(line);
  places->push_back(std::move(place));
}

// "a.cu:9 main(), in a.cu:7 read()"; of a path that was just told, only the file.
std::string CalledFrom(const std::string& caller, std::string_view line) {
  const std::string_view place = std::string_view(caller).substr(0, caller.find(' '));
  const size_t path = std::min(place.rfind(':'), place.size()), folder = place.rfind('/', path);
  const bool is_same = line.substr(0, path + 1) == place.substr(0, path + 1);
  if (is_same && folder != std::string_view::npos) line.remove_prefix(folder + 1);
  return Text(caller, ", in ", line);
}

// A part of the line's waits; what the device did after them is that part of it.
Waited PartOf(const Waited& whole, const PriceSums& part) {
  Waited waited = whole;
  const double share = static_cast<double>(part.removed_ns) /
                       static_cast<double>(std::max<uint64_t>(whole.sums.blocked.total_ns, 1));
  const auto scale = [share](uint64_t* value) {
    *value = static_cast<uint64_t>(static_cast<double>(*value) * std::min(share, 1.0));
  };
  waited.sums.blocked.count = part.count;
  waited.sums.blocked.total_ns = part.removed_ns;
  scale(&waited.sums.idle_after_ns);
  scale(&waited.sums.needless);
  return waited;
}

// By its callers, where a few of them have nearly all of it; else the line as it is.
void TakeLine(const RunFindings& findings, const PriceKey& key, const Waited& waited,
              std::vector<WaitedPlace>* places) {
  std::vector<std::map<PriceKey, PriceSums>::const_iterator> callers, told;
  uint64_t all = 0, of_told = 0, count = 0;
  PriceKey first;  // those of one line stand together
  first.source = key.source;
  first.change = Change::kWaitsOfCaller;
  first.where = key.where;
  for (auto price = findings.prices.lower_bound(first);
       price != findings.prices.end() && price->first.change == first.change &&
       price->first.source == first.source && price->first.where == first.where;
       ++price) {
    if (price->first.program != key.program) continue;
    callers.push_back(price);
    all += price->second.removed_ns;
    count += price->second.count;
  }
  for (const auto& caller : callers) {
    if (caller->second.removed_ns * kLeastShare < all || caller->first.caller.empty()) continue;
    told.push_back(caller);
    of_told += caller->second.removed_ns;
  }
  const bool is_allocation = Waited::Most(waited.calls)->first.first == WaitClass::kAllocation;
  // What costs nothing has no price.
  const bool several = callers.size() > 1 || count < waited.sums.blocked.count;
  const bool apart = !is_allocation && several && !told.empty() && told.size() <= kMostCallers &&
                     of_told * kLeastShare >= all * (kLeastShare - 2);
  if (!apart) {
    const std::string more = callers.size() > 1 ? Text("from ", callers.size(), " lines") : "";
    places->push_back({key, key.where, key.where, more, waited, {}});
    return;
  }
  for (const auto& caller : told) {
    places->push_back({caller->first,
                       CalledFrom(caller->first.caller, key.where),
                       key.where,
                       "",
                       PartOf(waited, caller->second),
                       {}});
  }
}

}  // namespace

void Waited::Add(const Waited& other) {
  sums.Add(other.sums);
  for (const auto& [call, ns] : other.calls) calls[call] += ns;
  for (const auto& [range, ns] : other.ranges) ranges[range] += ns;
}

std::vector<WaitedPlace> WaitedPlaces(const RunFindings& findings) {
  ByKey waits = ByLine(findings);
  std::vector<WaitedPlace> places;
  for (const auto& [key, sums] : findings.prices) {
    if (key.change == Change::kWaitsOfFunction) TakeFunction(findings, key, sums, &waits, &places);
  }
  for (const auto& [key, waited] : waits) {
    if (key.wait_class == WaitClass::kModuleLoad && !key.where.empty()) {
      places.push_back({key, key.where, key.where, "", waited, {}});
    } else {
      TakeLine(findings, key, waited, &places);
    }
  }
  return places;
}

std::string MostRanges(const Waited& waited) {
  struct Family {
    std::string name;
    uint64_t ns = 0;
  };
  std::map<std::string, Family> families;
  for (const auto& [ranges, ns] : waited.ranges) {
    std::string family = NumberFamily(ranges);
    const auto [known, is_new] = families.try_emplace(family, Family{ranges});
    if (!is_new) known->second.name = family;
    known->second.ns += ns;
  }
  const auto most =
      std::max_element(families.begin(), families.end(),
                       [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  return most == families.end() ? "" : most->second.name;
}

std::vector<FindingPart> PartsOf(const WaitedPlace& place) {
  std::vector<FindingPart> parts = place.parts;
  const auto& calls = place.waited.calls;
  if (parts.empty() && calls.size() > 1) {
    for (const auto& [way, ns] : calls)
      parts.push_back({Text(WaitClassName(way.first), ": ", way.second), ns});
  }
  std::erase_if(parts, [](const FindingPart& part) { return part.blocked_ns == 0; });
  if (parts.size() == 1) parts.clear();
  StableSort(&parts, [](const FindingPart& a, const FindingPart& b) {
    return a.blocked_ns > b.blocked_ns;
  });
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  return parts;
}

}  // namespace syncline
