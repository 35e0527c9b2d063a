// SPDX-License-Identifier: Apache-2.0
// Formats events from cached fragments; the slow side builds the fragments.
#include "writers/chrome/chrome_events.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "inject/core/domain_marks.h"
#include "model/spool/value_text.h"
#include "writers/chrome/text/finding_text.h"
#include "writers/chrome/text/json.h"
#include "writers/chrome/text/payload_text.h"

namespace syncline {
namespace {

constexpr char kThreadEnded[] = "its thread ended";
constexpr char kProcessEnded[] = "its process ended";
constexpr char kOperatorCategory[] = "cpu_op";  // as Kineto calls them
constexpr char kModuleCategory[] = "module";
constexpr size_t kCacheEntries = 4096;
constexpr size_t kCachedArguments = 1024;
constexpr size_t kCachedText = 464;
constexpr size_t kTimesRoom = kMaxSpanChars + 8;

// Null: that of its source.
const char* CategoryOf(const DomainEntry* domain) {
  if (domain == nullptr || domain->marks == 0) return nullptr;
  if ((domain->marks & kDomainOfOperators) != 0) return kOperatorCategory;
  return (domain->marks & kDomainOfModules) != 0 ? kModuleCategory : nullptr;
}

// An operator has something else in its place.
bool HasCategory(const RangeEvent& event) {
  return event.attributes != nullptr &&
         event.attributes->payload_type != static_cast<uint32_t>(PayloadType::kOperator);
}

void AppendScalar(std::string* out, const RangeAttributes& attributes) {
  const uint64_t bits = attributes.payload;
  switch (static_cast<PayloadType>(attributes.payload_type)) {
    case PayloadType::kUint64:
      return AppendUintValue(out, bits);
    case PayloadType::kInt64:
      return AppendInt(out, static_cast<int64_t>(bits));
    case PayloadType::kDouble:
      return AppendDouble(out, std::bit_cast<double>(bits));
    case PayloadType::kUint32:
      return AppendUint(out, static_cast<uint32_t>(bits));
    case PayloadType::kInt32:
      return AppendInt(out, static_cast<int32_t>(bits));
    case PayloadType::kFloat:
      return AppendFloat(out, std::bit_cast<float>(static_cast<uint32_t>(bits)));
    default:
      return AppendHex(out, bits);
  }
}

// A colour without alpha is meant to be seen: the Python package writes all its colours so.
void AppendColor(std::string* out, uint32_t color) {
  if ((color >> 24) == 0) color |= 0xff000000u;
  out->append("\"#");
  for (int shift = 28; shift >= 0; shift -= 4)
    out->push_back("0123456789ABCDEF"[(color >> shift) & 15]);
  out->push_back('"');
}

}  // namespace

struct ChromeEvents::CacheEntry {
  uint64_t key[3];
  uint16_t head_bytes;
  uint16_t tail_bytes;
  bool has_args;
  char text[kCachedText];
};

ChromeEvents::ChromeEvents(const EventsJob& job)
    : job_(job),
      order_(job.time, job.out),
      tags_(kCacheEntries),
      cache_(new CacheEntry[kCacheEntries]),
      lines_(job.own == nullptr ? kNoOwnCode : *job.own) {
  uint64_t flows = job.flows_before;
  job.sources->Each([&](Source source, const SourceRun& run) {
    sources_.Make(source, SourceJob{job.out, &run, job.gpu_rows, job.time, job.rank, job.pid, flows,
                                    job.limits, job.shown, job.shown_ops, job.own, job.stacks,
                                    job.modules, job.compiled});
    flows += run.findings.waits.size() + run.findings.gaps.size();
  });
}

ChromeEvents::~ChromeEvents() = default;

ChromeEvents::Fragment ChromeEvents::Lookup(const RangeEvent& event, RecordKind kind,
                                            const char* reason) {
  if (reason != nullptr) return Build(event, kind, reason);
  const RangeRecord& record = event.record;
  uint64_t attributes = 0, color = 0;
  if (HasCategory(event)) {
    attributes = event.attributes->category;
    color = event.attributes->has_color != 0 ? uint64_t{1} << 32 | event.attributes->color : 0;
  }
  if (kind == RecordKind::kRangeStart) color |= uint64_t{record.lane} << 40;
  const uint64_t crossing = (record.head.flags & kCrossing) != 0;
  const uint64_t key[3] = {uint64_t{event.stream.serial()} << 32 | record.head.id,
                           attributes << 32 | uint64_t{record.domain} << 16 |
                               uint64_t{static_cast<uint8_t>(kind)} << 8 |
                               uint64_t{record.source} << 1 | crossing,
                           color};
  const uint64_t hash = (key[0] * 0x9E3779B97F4A7C15ull) ^ (key[1] * 0xC2B2AE3D27D4EB4Full) ^
                        (key[2] * 0x165667B19E3779F9ull);
  const size_t index = hash >> 52;
  const auto tag = static_cast<uint32_t>(hash) | 1;
  CacheEntry& entry = cache_[index];
  if (__builtin_expect(tags_[index].filled != tag || std::memcmp(entry.key, key, sizeof(key)) != 0,
                       0)) {
    const Fragment built = Build(event, kind, nullptr);
    // Names that come once stay out of the cache: they would only push others out, and cost memory
    // traffic.
    const bool first_time = tags_[index].seen != tag;
    tags_[index].seen = tag;
    if (first_time || built.head.size() + built.tail.size() > kCachedText) return built;
    std::memcpy(entry.key, key, sizeof(key));
    entry.head_bytes = static_cast<uint16_t>(built.head.size());
    entry.tail_bytes = static_cast<uint16_t>(built.tail.size());
    entry.has_args = built.has_args;
    tags_[index].filled = tag;
    Put(Put(entry.text, built.head), built.tail);
  }
  return {{entry.text, entry.head_bytes},
          {entry.text + entry.head_bytes, entry.tail_bytes},
          entry.has_args};
}

uint32_t ChromeEvents::RowOf(const RangeEvent& event, RecordKind kind) const {
  const Stream& stream = event.stream;
  if (kind == RecordKind::kRangeStart) return job_.rows.Lane(event.record.lane);
  if ((event.record.head.flags & kCrossing) != 0) {
    const DomainEntry* domain = event.stream.Domain(event.record.domain);
    const auto row = job_.survey->crossing_domains.find(
        {stream.tid(), domain == nullptr ? UINT64_MAX : domain->key});
    if (row != job_.survey->crossing_domains.end()) {
      return job_.rows.Crossing(stream.tid(), stream.main_thread(), row->second.index);
    }
  }
  return job_.rows.Thread(stream.tid(), stream.main_thread());
}

void ChromeEvents::AppendKey(std::string_view key) {
  if (!args_.empty()) args_.append(", ");
  args_.push_back('"');
  args_.append(key);
  args_.append("\": ");
}

// The name into head_, what must be said about it into args_.
void ChromeEvents::AppendName(const RangeEvent& event) {
  const uint32_t id = event.record.head.id;
  const std::string_view* name = id == 0 ? nullptr : event.stream.Name(id);
  if (name == nullptr) {
    head_.append(id == 0 ? "\"(no name)\"" : "\"(name lost)\"");
  } else if (!AppendString(&head_, *name)) {
    AppendKey("name_bytes");
    AppendHexBytes(&args_, *name);
  }
  if (event.stream.uncertain()) {
    AppendKey("after_lost_block");
    args_.append("true");
  }
}

void ChromeEvents::AppendDomainAndCategory(const RangeEvent& event) {
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  if (event.record.domain != 0 && CategoryOf(domain) == nullptr) {  // else that says so
    AppendKey("domain");
    if (domain == nullptr) {
      args_.append("\"(lost)\"");
    } else {
      AppendString(&args_, domain->name);
    }
  }
  if (!HasCategory(event)) return;
  if (event.attributes->category != 0) {
    AppendKey("category");
    const auto named = job_.survey->categories.find(
        {domain == nullptr ? UINT64_MAX : domain->key, event.attributes->category});
    if (named != job_.survey->categories.end()) {
      AppendString(&args_, named->second);
    } else {
      AppendUint(&args_, event.attributes->category);
    }
  }
  if (event.attributes->has_color != 0) {
    AppendKey("color");
    AppendColor(&args_, event.attributes->color);
  }
}

ChromeEvents::Fragment ChromeEvents::Build(const RangeEvent& event, RecordKind kind,
                                           const char* reason) {
  args_.clear();
  if (kind == RecordKind::kMark) {
    head_.assign(",\n{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": ");
  } else {
    head_.assign(",\n{\"ph\": \"X\", \"cat\": \"");
    const char* const category = CategoryOf(event.stream.Domain(event.record.domain));
    head_.append(category != nullptr ? category
                                     : FactsOfSource(event.record.source).range_category);
    head_.append("\", \"name\": ");
  }
  AppendName(event);
  head_.append(", \"pid\": ");
  AppendUint(&head_, job_.rows.pid);
  head_.append(", \"tid\": ");
  AppendUint(&head_, RowOf(event, kind));
  head_.append(", \"ts\": ");
  AppendDomainAndCategory(event);
  if (reason != nullptr) {
    AppendKey("closed_by");
    args_.append("\"syncline\"");
    AppendKey("reason");
    AppendString(&args_, reason);
  }
  const bool has_args = !args_.empty();
  args_.insert(0, ", \"args\": {");
  return {head_, args_, has_args};
}

void ChromeEvents::AppendOperator(const RangeEvent& event) {
  if (module_ != nullptr) {
    payload_.append(", \"Module\": ");
    AppendString(&payload_, module_->name);
  }
  if (event.stream.stack() != nullptr) payload_.append(lines_.Members(event.stream.stack()));
  if (event.attributes == nullptr) return;
  const RangeAttributes& attributes = *event.attributes;
  const auto sequence = static_cast<int64_t>(attributes.payload);
  if (sequence >= 0) {
    payload_.append(", \"Sequence number\": ");
    AppendInt(&payload_, sequence);
    payload_.append(", \"Fwd thread id\": ");
    AppendUint(&payload_, attributes.forward_thread);
  }
  if (attributes.arguments == 0) return;
  const uint64_t key = uint64_t{event.stream.serial()} << 32 | attributes.arguments;
  arguments_.resize(kCachedArguments);
  const uint64_t mixed = (key ^ uint64_t{event.record.head.id} << 40) * 0x9E3779B97F4A7C15ull;
  CachedArguments& cached = arguments_[mixed >> 54];
  if (cached.key != key || cached.name != event.record.head.id) {
    const auto append = FactsOfSource(event.record.source).operator_arguments;
    // The next look-up may take the text away.
    const std::string_view* text = event.stream.Name(event.record.head.id);
    const std::string name(text == nullptr ? std::string_view() : *text);
    const std::string_view* list = event.stream.Name(attributes.arguments);
    cached.key = key;
    cached.name = event.record.head.id;
    cached.text.clear();
    if (append != nullptr && list != nullptr) append(name, *list, &cached.text);
  }
  payload_.append(cached.text);
  if (job_.collectives == nullptr || job_.collectives->empty()) return;
  const auto met = job_.collectives->find({event.stream.tid(), event.record.begin});
  if (met != job_.collectives->end())
    payload_.append(", ").append(CollectiveArguments(met->second));
}

void ChromeEvents::AppendModule(const RangeEvent& event) {
  const std::string_view* name = event.stream.Name(event.attributes->arguments);
  if (name == nullptr) return;
  payload_.append(", \"class\": ");
  AppendString(&payload_, *name);
}

void ChromeEvents::AppendDetails(const RangeEvent& event) {
  const std::string_view* bytes = event.stream.Name(event.attributes->arguments);
  if (bytes == nullptr) return;
  const DetailsText details = DetailsOf(*bytes);
  for (const LabelText& label : details.labels) {
    payload_.append(&label == &details.labels.front() ? ", \"labels\": {" : ", ");
    AppendString(&payload_, label.name);
    payload_.append(": ").append(label.json);
  }
  if (!details.labels.empty()) payload_.push_back('}');
  if (!details.inputs.empty()) payload_.append(", \"inputs\": ").append(details.inputs);
  if (!details.gradients.empty() && !details.inputs.empty())
    payload_.append(", \"gradients\": ").append(details.gradients);
  if (!details.result.empty()) payload_.append(", \"result\": ").append(details.result);
}

std::string_view ChromeEvents::PayloadText(const RangeEvent& event, bool has_args) {
  payload_.clear();
  const PayloadType type = event.attributes == nullptr
                               ? PayloadType::kNone
                               : static_cast<PayloadType>(event.attributes->payload_type);
  if (type == PayloadType::kOperator || type == PayloadType::kModule || module_ != nullptr) {
    type == PayloadType::kModule ? AppendModule(event) : AppendOperator(event);
    std::string_view text = payload_;
    if (!has_args) text.remove_prefix(std::min(text.size(), std::strlen(", ")));
    return text;
  }
  if (type == PayloadType::kDetails) {
    AppendDetails(event);
    std::string_view text = payload_;
    if (!has_args) text.remove_prefix(std::min(text.size(), std::strlen(", ")));
    return text;
  }
  const bool scalar = type != PayloadType::kNone;
  if (scalar) {
    payload_.append(has_args ? ", \"payload\": " : "\"payload\": ");
    AppendScalar(&payload_, *event.attributes);
  }
  if (event.payloads == nullptr || event.payloads->empty()) return payload_;
  payload_.append(has_args || scalar ? ", " : "");
  payload_.append(scalar ? "\"extended_payload\": " : "\"payload\": ");
  const bool several = event.payloads->size() > 1;
  if (several) payload_.push_back('[');
  for (size_t i = 0; i < event.payloads->size(); ++i) {
    if (i > 0) payload_.append(", ");
    AppendPayload(event.stream, (*event.payloads)[i], &payload_);
  }
  if (several) payload_.push_back(']');
  return payload_;
}

bool ChromeEvents::Times(uint64_t begin_ticks, uint64_t end_ticks, uint64_t* begin, uint64_t* end) {
  *begin = job_.timeline->Convert(begin_ticks);
  *end = job_.timeline->Convert(end_ticks);
  if (__builtin_expect(job_.limits.Hold(*begin, *end), 1)) return true;
  ++counts_.out_of_time;
  return false;
}

void ChromeEvents::WriteRange(const RangeEvent& event, uint64_t begin, uint64_t end,
                              const char* reason) {
  if (!job_.shown.Lasts(begin, end)) {
    ++counts_.ranges_not_shown;
    return;
  }
  const Fragment text = Lookup(event, RecordKind::kRange, reason);
  payload_.clear();
  std::string_view payload = payload_;
  if (event.attributes != nullptr || event.payloads != nullptr || module_ != nullptr)
    payload = PayloadText(event, text.has_args);
  char* out = job_.out->Reserve(text.head.size() + text.tail.size() + payload.size() + kTimesRoom);
  const uint64_t at = job_.out->text_bytes();
  out = job_.time.PutSpan(Put(out, text.head), begin, end);
  out = Put(Put(out, text.tail), payload);
  job_.out->Commit(Put(out, "}}"));
  const bool crossing = (event.record.head.flags & kCrossing) != 0;
  order_.OnSlice({event.stream.tid(), crossing ? event.record.domain + 1u : 0}, begin, end, at);
  ++counts_.ranges;
  counts_.closed += reason != nullptr;
}

void ChromeEvents::OnRange(const RangeEvent& event) {
  uint64_t begin, end;
  if (!Times(event.record.begin, event.record.end, &begin, &end)) return;
  const bool closed = (event.record.head.flags & kClosedByUs) != 0;
  WriteRange(event, begin, end, closed ? kThreadEnded : nullptr);
}

void ChromeEvents::OnOperator(const RangeEvent& event) {
  if (job_.modules != nullptr) module_ = job_.modules->At(event.stream.tid(), event.record.begin);
  OnRange(event);
  module_ = nullptr;
}

void ChromeEvents::OnOpenOperator(const RangeEvent& event) {
  if (job_.modules != nullptr) module_ = job_.modules->At(event.stream.tid(), event.record.begin);
  OnOpenRange(event);
  module_ = nullptr;
}

void ChromeEvents::OnCall(Stream& stream, const CallRecord& call) {
  uint64_t begin, end;
  if (!Times(call.begin, call.end, &begin, &end)) return;
  WriteCall(stream, call, begin, end, nullptr);
}

void ChromeEvents::OnOpenCall(Stream& stream, const CallRecord& call) {
  uint64_t begin, end;
  if (!Times(call.begin, call.begin, &begin, &end)) return;
  WriteCall(stream, call, begin, std::max(begin, job_.end_ns), kProcessEnded);
}

void ChromeEvents::WriteCall(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end,
                             const char* reason) {
  SourceEvents* source = sources_.Find(call.source);
  if (source == nullptr) {  // the spool was changed since it was read for the first time
    ++counts_.out_of_time;
    return;
  }
  const uint32_t tid = job_.rows.Thread(stream.tid(), stream.main_thread());
  if (!job_.shown.Lasts(begin, end) && !job_.shown_ops->Has(call.source, call.correlation)) {
    ++counts_.calls_not_shown;
    return;
  }
  const uint64_t at = job_.out->text_bytes();
  source->calls.Write(stream, call, begin, end, job_.rows.pid, tid, reason);
  order_.OnSlice({stream.tid(), 0}, begin, end, at);
  ++counts_.calls;
  counts_.stacks_left_out += stream.stack_left_out();
}

DeviceEvents* ChromeEvents::DevicesOf(Source source) {
  SourceEvents* events = sources_.Find(source);
  return events == nullptr || !events->devices.has_value() ? nullptr : &*events->devices;
}

void ChromeEvents::OnDeviceOp(Stream& stream, const DeviceOpRecord& op,
                              const KernelDetails* kernel) {
  using Shown = DeviceEvents::Shown;
  DeviceEvents* devices = DevicesOf(op.source);
  const Shown done = devices == nullptr ? Shown::kDamaged : devices->Op(stream, op, kernel);
  counts_.device_ops += done == Shown::kYes;
  counts_.outside += done == Shown::kOutside;
  counts_.device_ops_not_shown += done == Shown::kNotAskedFor;
  counts_.out_of_time += done == Shown::kDamaged;
}

void ChromeEvents::OnDeviceEvent(Stream& /*stream*/, const DeviceEventRecord& note) {
  DeviceEvents* devices = DevicesOf(note.source);
  counts_.out_of_time += devices == nullptr || !devices->Note(note);
}

void ChromeEvents::OnOpenRange(const RangeEvent& event) {
  uint64_t begin, end;
  if (!Times(event.record.begin, event.record.begin, &begin, &end)) return;
  WriteRange(event, begin, std::max(begin, job_.end_ns), kProcessEnded);
}

void ChromeEvents::OnMark(const RangeEvent& event) {
  uint64_t at, end;
  if (!Times(event.record.begin, event.record.begin, &at, &end)) return;
  const Fragment text = Lookup(event, RecordKind::kMark, nullptr);
  const std::string_view payload = PayloadText(event, text.has_args);
  char* out = job_.out->Reserve(text.head.size() + text.tail.size() + payload.size() + kTimesRoom);
  out = job_.time.PutTime(Put(out, text.head), at);
  out = Put(Put(out, text.tail), payload);
  job_.out->Commit(Put(out, "}}"));
  ++counts_.marks;
}

void ChromeEvents::OnRangeStart(const RangeEvent& event) {
  StartedRange<EventText> range;
  uint64_t end;
  if (!Times(event.record.begin, event.record.begin, &range.begin, &end)) return;
  const Fragment text = Lookup(event, RecordKind::kRangeStart, nullptr);
  range.lane = event.record.lane;
  range.what.head = text.head;
  range.what.tail = text.tail;
  range.what.tail += PayloadText(event, text.has_args);
  RangeJoiner<EventText>::Joined joined;
  if (joiner_.Start(event.record.end, std::move(range), &joined)) {
    WriteJoined(joined.range, joined.end, nullptr);
  }
}

void ChromeEvents::OnRangeEnd(const RangeEvent& event) {
  uint64_t at, end;
  if (!Times(event.record.begin, event.record.begin, &at, &end)) return;
  RangeJoiner<EventText>::Joined joined;
  if (joiner_.End(event.record.end, at, &joined)) WriteJoined(joined.range, joined.end, nullptr);
}

void ChromeEvents::WriteJoined(const StartedRange<EventText>& range, uint64_t end,
                               const char* reason) {
  if (!job_.shown.Lasts(range.begin, end)) {
    ++counts_.ranges_not_shown;
    return;
  }
  std::string closing;
  if (reason != nullptr) {
    closing = range.what.tail.ends_with('{') ? "" : ", ";
    closing += "\"closed_by\": \"syncline\", \"reason\": ";
    AppendString(&closing, reason);
    ++counts_.closed;
  }
  char* out = job_.out->Reserve(range.what.head.size() + range.what.tail.size() + closing.size() +
                                kTimesRoom);
  out = job_.time.PutSpan(Put(out, range.what.head), range.begin, end);
  out = Put(Put(out, range.what.tail), closing);
  job_.out->Commit(Put(out, "}}"));
  ++counts_.ranges;
}

void ChromeEvents::Finish() {
  sources_.Each([this](Source, SourceEvents& source) {
    if (source.devices.has_value()) counts_.out_of_time += source.devices->Close();
    counts_.out_of_time += source.findings.Write(job_.rows, *job_.survey, &source.wait_flows);
  });
  for (const StartedRange<EventText>& range : joiner_.TakeOpen()) {
    const uint64_t end = std::min(range.limit, std::max(range.begin, job_.end_ns));
    const char* reason = range.limit <= job_.end_ns ? "its end was lost" : kProcessEnded;
    WriteJoined(range, std::max(range.begin, end), reason);
  }
  counts_.unmatched = joiner_.ends_without_start() + joiner_.dropped_starts();
}

bool ChromeEvents::OnBlockDone(uint64_t /*bytes_read*/, uint64_t /*bytes_total*/) {
  return job_.out->status().ok();
}

}  // namespace syncline
