// SPDX-License-Identifier: Apache-2.0
// Keys and categories are those that chrome_events.cc, gpu_events.cc and finding_text.cc write.
#include "writers/chrome/traced_fields.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_map>

#include "model/source_facts.h"
#include "writers/chrome/rows.h"

namespace syncline {
namespace {

template <typename Value>
using Fields = std::unordered_map<std::string_view, Value TracedEvent::*>;

const Fields<std::string> kTexts = {{"before", &TracedEvent::before},
                                    {"call", &TracedEvent::call},
                                    {"cause", &TracedEvent::cause},
                                    {"class", &TracedEvent::wait_class},
                                    {"communicator", &TracedEvent::communicator},
                                    {"domain", &TracedEvent::domain},
                                    {"next", &TracedEvent::next},
                                    {"ranges", &TracedEvent::ranges},
                                    {"where", &TracedEvent::where}};
const Fields<uint32_t> kIds = {{"collective", &TracedEvent::sequence},
                               {"context", &TracedEvent::context},
                               {"count", &TracedEvent::count},
                               {"device", &TracedEvent::device},
                               {"graph id", &TracedEvent::graph},
                               {"pid", &TracedEvent::process},
                               {"stream", &TracedEvent::stream},
                               {"tid", &TracedEvent::thread},
                               {"wait_on_stream", &TracedEvent::recorded_in}};
const Fields<uint64_t> kNumbers = {{"bytes", &TracedEvent::bytes}, {"error", &TracedEvent::error}};
const Fields<uint64_t> kTimes = {{"gpu_idle_after_us", &TracedEvent::idle_after_ns},
                                 {"waited_us", &TracedEvent::waited_ns}};
const Fields<std::optional<uint64_t>> kCorrelations = {{"correlation", &TracedEvent::correlation},
                                                       {"waited_for", &TracedEvent::waited_for}};

// Null: there is none such.
template <typename Value>
Value* FieldOf(const Fields<Value>& fields, std::string_view key, TracedEvent* event) {
  const auto found = fields.find(key);
  return found == fields.end() ? nullptr : &(event->*found->second);
}

constexpr uint64_t kLatestMoment = uint64_t{1} << 62;

void TakeText(const TracedValue& value, std::string* out) {
  if (value.is_text()) *out = std::move(*value.text);
}
template <typename Number>
void TakeWhole(const TracedValue& value, Number* out) {
  if (value.is_whole && value.whole <= std::numeric_limits<Number>::max())
    *out = static_cast<Number>(value.whole);
}

// "Pageable": by the words of operation_name.h.
MemoryKind KindOf(std::string_view word) {
  static constexpr std::string_view kWords[] = {"Unknown", "Pageable", "Pinned",
                                                "Device",  "Array",    "Managed"};
  for (size_t i = 0; i < std::size(kWords); ++i) {
    if (kWords[i] == word) return static_cast<MemoryKind>(i);
  }
  return MemoryKind::kUnknown;
}

bool IsOfRanges(std::string_view category) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    if (category == kSourceFacts[i]->range_category) return true;
  }
  return false;
}

bool Ends(std::string_view text, std::string_view end, std::string* before) {
  if (!text.ends_with(end) || text.size() == end.size()) return false;
  *before = text.substr(0, text.size() - end.size());
  return true;
}

}  // namespace

bool TracedValue::Nanoseconds(uint64_t* ns) const {
  const double rounded = std::round(number * 1000);
  if (type != Type::kNumber || !(rounded >= 0) || rounded >= static_cast<double>(kLatestMoment))
    return false;
  *ns = static_cast<uint64_t>(rounded);
  return true;
}

void RawEvent::Clear() {
  phase = 0;
  category.clear();
  ts_ns = dur_ns = 0;
  has_time = has_parent = is_step = damaged = false;
  event = {};
}

void RawEvent::Take(std::string_view key, const TracedValue& value) {
  if (key == "ph") {
    phase = value.is_text() && value.text->size() == 1 ? (*value.text)[0] : '\0';
  } else if (key == "cat") {
    TakeText(value, &category);
  } else if (key == "name") {
    TakeText(value, &event.name);
  } else if (key == "pid") {
    TakeWhole(value, &event.pid);
  } else if (key == "tid") {
    TakeWhole(value, &event.tid);
  } else if (key == "ts") {
    has_time = value.Nanoseconds(&ts_ns);
  } else if (key == "dur") {
    damaged = !value.Nanoseconds(&dur_ns);
  }
}

void RawEvent::TakeArgument(std::string_view key, const TracedValue& value) {
  static constexpr std::string_view kBefore = "wait_on_", kRecordedBy = "_event_record_corr_id",
                                    kEvent = "_event_id";
  if (std::string* text = FieldOf(kTexts, key, &event)) return TakeText(value, text);
  if (uint32_t* id = FieldOf(kIds, key, &event)) return TakeWhole(value, id);
  if (uint64_t* number = FieldOf(kNumbers, key, &event)) return TakeWhole(value, number);
  if (uint64_t* time = FieldOf(kTimes, key, &event)) return (void)value.Nanoseconds(time);
  if (std::optional<uint64_t>* correlation = FieldOf(kCorrelations, key, &event)) {
    if (value.is_whole && value.whole >= kFirstTraceCorrelation) *correlation = value.whole;
  } else if (key == "already_done") {
    if (value.type == TracedValue::Type::kTrue) event.already_done = true;
    if (value.type == TracedValue::Type::kFalse) event.already_done = false;
  } else if (key == "last_rank") {
    TakeWhole(value, &event.last_rank);
  } else if (key == "ppid") {
    has_parent = true;
  } else if (key == "step_range") {
    is_step = true;
  } else if (key == "unfinished") {
    event.unfinished = value.type == TracedValue::Type::kTrue;
  } else if (key == "waited_for_name") {
    event.waited_for_op = true;
  } else if (key.starts_with(kBefore) && key.ends_with(kRecordedBy)) {
    TakeWhole(value, &event.recorded_by);
  } else if (key.starts_with(kBefore) && key.ends_with(kEvent) && value.is_whole) {
    event.event = value.whole;
  }
}

// Of a host's rows: which thread it is, and which of its rows.
void RawEvent::SettleRow() {
  const uint32_t row = event.tid / kTidStep;
  if (event.kind == TracedKind::kWait)
    event.order = row >= kWaitsRow ? std::min(row - kWaitsRow, kWaitsRows - 1) : 0;
  const bool lane = (row >= kFirstLaneRow && row < kFirstCrossingRow) || event.tid >= kManyLanes;
  if (event.kind == TracedKind::kRange && lane) event.kind = TracedKind::kStartedRange;
  event.tid %= kTidStep;
}

bool RawEvent::SettleOp() {
  const std::string_view name = event.name;
  if (category == "gpu_memset") {
    event.op = DeviceOpType::kSet;
  } else if (category == "gpu_memcpy") {
    event.op = name.starts_with("Memcpy PtoP") ? DeviceOpType::kPeerCopy : DeviceOpType::kCopy;
  } else if (event.graph != 0 && name == "graph " + std::to_string(event.graph)) {
    event.op = DeviceOpType::kGraph;
  }
  const size_t open = name.find('('), close = name.rfind(')');
  if (event.op == DeviceOpType::kKernel || event.op == DeviceOpType::kGraph ||
      open == std::string_view::npos || close == std::string_view::npos || close < open)
    return event.correlation.has_value();
  const std::string_view kinds = name.substr(open + 1, close - open - 1);
  const size_t arrow = kinds.find(" -> ");
  event.to = KindOf(arrow == std::string_view::npos ? kinds : kinds.substr(arrow + 4));
  if (arrow != std::string_view::npos) event.from = KindOf(kinds.substr(0, arrow));
  return event.correlation.has_value();
}

TracedKind RawEvent::Settle(uint64_t base_ns) {
  if (damaged || !has_time || base_ns > kLatestMoment) return TracedKind::kOther;
  event.begin_ns = base_ns + ts_ns;
  event.end_ns = event.begin_ns + dur_ns;
  if (phase == 'C') {
    event.kind =
        event.name.starts_with("memory of pid ") ? TracedKind::kMemory : TracedKind::kOther;
    return event.kind;
  }
  if (phase == 'i') {
    const bool loss = event.name.starts_with("syncline: ") && event.tid / kTidStep == kProcessRow;
    return event.kind = loss ? TracedKind::kOther : TracedKind::kMark;
  }
  if (phase != 'X' || is_step) return TracedKind::kOther;
  std::string source;
  if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
    return event.kind = SettleOp() ? TracedKind::kOp : TracedKind::kOther;
  } else if (category == "sync_wait") {
    event.kind = TracedKind::kWait;
  } else if (category == "gpu_idle") {
    return event.kind = TracedKind::kGap;
  } else if (category == "process") {
    const bool unseen = event.name.starts_with("GPU recorded: ");
    return event.kind = unseen       ? TracedKind::kUnseen
                        : has_parent ? TracedKind::kLife
                                     : TracedKind::kOther;
  } else if (Ends(category, "_runtime", &source) || Ends(category, "_driver", &source)) {
    event.kind = TracedKind::kCall;
  } else if (Ends(category, "_sync", &source)) {
    if (event.name != "Stream Wait Event") return TracedKind::kOther;
    event.source = source;
    return event.kind = TracedKind::kStreamWait;
  } else if (!IsOfRanges(category)) {
    return TracedKind::kOther;
  } else {
    event.kind = TracedKind::kRange;
    event.category = category;
  }
  event.source = std::move(source);
  SettleRow();
  return event.kind;
}

}  // namespace syncline
