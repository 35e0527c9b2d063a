// SPDX-License-Identifier: Apache-2.0
// What a SpoolReader calls for each thing it finds in a spool.
#pragma once

#include <span>
#include <string_view>

#include "inject/core/spool_format.h"
#include "model/spool/streams.h"

namespace syncline {

// A range, start, mark or open range as it was recorded, checked: end is not before begin, the
// slots were whole. Pointers and spans live until the call returns.
struct RangeEvent {
  Stream& stream;
  const RangeRecord& record;
  const RangeAttributes* attributes;  // null: none
  const Payloads* payloads;           // extended payloads; null: none
};

// What a sink wants to see beside streams, which all see; others need not be called.
enum SinkInterest : unsigned {
  kFacts = 1,             // of the process, its threads, categories and resources
  kRanges = 2,            // ranges and marks
  kRangesAfterCalls = 4,  // the same, from the spool's first call on
  kCalls = 8,
  kDevices = 16,  // what devices did and are
  kRangeNames = 32,
  kStacks = 64,  // Stream::stack() of calls, nodes of graphs and operators
  // Of the ranges that have ended those with attributes or payloads only: the reader passes over
  // the others, and tells nothing of open ones that is exact.
  kNoPlainRanges = 128,
  kOperators = 256,  // and modules
  kMemory = 512,     // of allocators
};

// Calls come in the order of the file, from the thread that called SpoolReader::Read. Times are
// ticks of the spool's clock. Text is the program's own bytes: any bytes.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual unsigned Interests() const { return kFacts | kRanges | kCalls | kDevices | kOperators; }

  virtual void OnProcess(const SpoolProcess&) {}
  virtual void OnAnchors(std::span<const Anchor>) {}
  virtual void OnCounters(const SpoolCounters&) {}
  // So many ranges, calls and device operations were not recorded because the gate was closed; each
  // call replaces the one before.
  virtual void OnGated(const SpoolGate&) {}
  virtual void OnLog(std::string_view) {}
  virtual void OnEnd(const SpoolEnd&) {}

  // Changes of a process's gate, of several threads in no order; all sinks get them.
  virtual void OnGate(const GateRecord&) {}

  virtual void OnStream(Stream&, const StreamRecord&) {
  }  // first seen, or continued in another ring
  virtual void OnRange(const RangeEvent&) {}
  virtual void OnRangeStart(const RangeEvent&) {}  // record.end: id of the range
  virtual void OnRangeEnd(const RangeEvent&) {}  // record.begin: time; record.end: id of the range
  virtual void OnMark(const RangeEvent&) {}
  // Was open when the process was gone; record.begin is its begin and record.end is 0. A stream's
  // come from the innermost on, as if they ended now, after all that ended. Not called for a range
  // that ended all the same: the process died between publishing and popping it, or it lived on a
  // little after its exit had begun.
  virtual void OnOpenRange(const RangeEvent&) {}

  // Ranges of a domain of operators (kDomainOfOperators), in place of OnRange and
  // OnOpenRange.
  virtual void OnOperator(const RangeEvent&) {}
  virtual void OnOpenOperator(const RangeEvent&) {}
  // The same of a domain of modules (kDomainOfModules).
  virtual void OnModule(const RangeEvent&) {}
  virtual void OnOpenModule(const RangeEvent&) {}

  // Begun while the gate was closed, and not to be shown; `begin` is when the gate was opened after
  // that, `end` 0 if it was open when the process was gone.
  virtual void OnRangeAround(const RangeEvent&) {}

  virtual void OnCall(Stream&, const CallRecord&) {}
  virtual void OnOpenCall(Stream&, const CallRecord&) {
  }  // had not returned when the process was gone; end is 0
  virtual void OnDeviceOp(Stream&, const DeviceOpRecord&, const KernelDetails*) {
  }  // null: not a kernel
  virtual void OnDeviceEvent(Stream&, const DeviceEventRecord&) {}
  // Only with kDevices. `ranges`: the outermost first.
  virtual void OnGraphNode(Stream&, const GraphNodeRecord&, std::span<const NodeRange> /*ranges*/) {
  }
  virtual void OnMemory(Stream&, const MemoryRecord&) {}  // only with kMemory
  virtual void OnGpuCoverage(Stream&, const GpuCoverageRecord&) {}
  virtual void OnDeviceClock(Stream&, const DeviceClockRecord&) {}
  virtual void OnDevice(Source, uint64_t /*device*/, const DeviceFacts&,
                        std::string_view /*name*/) {}

  // A name that may be a range's; of calls there are none. Only with kRangeNames.
  virtual void OnName(std::string_view) {}
  virtual void OnThreadName(uint32_t /*tid*/, std::string_view) {}
  virtual void OnCategory(uint64_t /*domain_key*/, uint32_t /*category*/, std::string_view) {}
  virtual void OnResource(uint32_t /*type*/, uint64_t /*identifier*/, std::string_view) {}

  // After each block. False stops reading.
  virtual bool OnBlockDone(uint64_t /*bytes_read*/, uint64_t /*bytes_total*/) { return true; }
};

}  // namespace syncline
