// SPDX-License-Identifier: Apache-2.0
// Decodes calls and the records of devices.
#include "tests/fake_session/recorded.h"

#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "tests/fake_session/record_walk.h"

namespace syncline::test {
namespace {

struct Name {
  std::string text;
  uint16_t number;
};
using Names = std::map<uint32_t, Name>;

std::string NameOf(uint32_t id, const Names& names) {
  if (id == 0) return "(none)";
  const auto name = names.find(id);
  return name == names.end() ? "(unknown)" : name->second.text;
}

Recorded Decode(const RecordView& view, const Names& names) {
  Recorded record{};
  record.kind = view.kind();
  record.flags = view.head.flags;
  record.name = NameOf(view.head.id, names);
  const auto name = names.find(view.head.id);
  if (name != names.end()) record.number = name->second.number;
  switch (record.kind) {
    case RecordKind::kCall:
      record.call = view.Load<CallRecord>();
      break;
    case RecordKind::kDeviceOp:
      record.op = view.Load<DeviceOpRecord>();
      if ((record.flags & kHasKernel) != 0)
        record.kernel = view.Load<KernelDetails>(sizeof(DeviceOpRecord));
      break;
    case RecordKind::kDeviceClock:
      record.clock = view.Load<DeviceClockRecord>();
      break;
    case RecordKind::kDeviceEvent:
      record.note = view.Load<DeviceEventRecord>();
      break;
    case RecordKind::kDevice:
      record.device = view.Load<TextRecord>().key;
      record.facts = view.Load<DeviceFacts>(sizeof(TextRecord));
      record.name = view.Text().substr(sizeof(DeviceFacts));
      break;
    default:
      break;
  }
  return record;
}

}  // namespace

std::vector<Recorded> ReadRecords() {
  std::vector<Recorded> records;
  for (const ThreadRecords& thread : RecordsOfThreads()) {
    Names names;
    std::string payload;  // of the record to come
    const bool whole = ForEachRecord(thread, [&](const RecordView& view) {
      if (view.kind() == RecordKind::kName) {
        names[view.head.id] = {std::string(view.Text()), view.Load<TextRecord>().type};
        return;
      }
      if (view.kind() == RecordKind::kPayload) payload = view.Text();
      records.push_back(Decode(view, names));
      Recorded& record = records.back();
      if (record.kind == RecordKind::kCall && (record.call.role & kCallHasPayload) != 0)
        record.arguments = std::move(payload);
    });
    if (!whole) std::abort();
  }
  return records;
}

std::vector<Recorded> ReadRecords(RecordKind kind) {
  std::vector<Recorded> records = ReadRecords();
  std::erase_if(records, [kind](const Recorded& record) { return record.kind != kind; });
  return records;
}

}  // namespace syncline::test
