// SPDX-License-Identifier: Apache-2.0
// Decodes calls and the records of devices.
#include "tests/fake_session/recorded.h"

#include <cstdlib>
#include <map>
#include <string_view>

#include "tests/fake_session/record_walk.h"

namespace syncline::test {
namespace {

using Names = std::map<uint32_t, std::string>;

std::string NameOf(uint32_t id, const Names& names) {
  if (id == 0) return "(none)";
  const auto name = names.find(id);
  return name == names.end() ? "(unknown)" : name->second;
}

Recorded Decode(const RecordView& view, const Names& names) {
  Recorded record{};
  record.kind = view.kind();
  record.flags = view.head.flags;
  record.name = NameOf(view.head.id, names);
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
    const bool whole = ForEachRecord(thread, [&](const RecordView& view) {
      if (view.kind() == RecordKind::kName) {
        names[view.head.id] = view.Text();
      } else {
        records.push_back(Decode(view, names));
      }
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
