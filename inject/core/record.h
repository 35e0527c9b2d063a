// SPDX-License-Identifier: Apache-2.0
// The records that travel through a ring: fixed-size PODs in 32-byte slots, the schema of the
// house.
#pragma once

#include <cstdint>

namespace syncline {

// A ring is a sequence of records; a record takes `slots` x 32 bytes and never wraps around the
// ring's end (kPad fills the rest). Integers are little-endian, times are raw ticks of the
// segment's clock (clock.h), ids are as below.
//
// A *stream* is what one thread wrote, from its first record to its end. A ring holds pieces of
// streams one after the other, each opened by a kStream record; a thread whose ring was too small
// continues its stream in a larger ring. Name and domain ids are numbered per stream and defined
// in-band, by a kName or kDomain record, before their first use in that stream: a stream can be
// decoded alone, and a lost block harms only its own stream. Id 0 is "none".
inline constexpr uint32_t kSlotBytes = 32;

enum class RecordKind : uint8_t {
  kPad = 1,        // skip `slots`
  kStream = 2,     // StreamRecord: the records that follow in this ring belong to this stream
  kStreamEnd = 3,  // StreamRecord: the thread ended; the stream's ids may be forgotten
  kName = 4,       // TextRecord: head.id is a name
  kDomain = 5,     // TextRecord: head.id is a domain, `key` is its process-wide number
  kCategory = 6,   // TextRecord: `key` is the category, head.id the domain
  kSchema =
      7,  // TextRecord: `key` is the schema id, bytes are a serialised schema (payload_schema.h)
  kPayload = 8,      // TextRecord: extended payload of the range or mark whose begin (or time) is
                     // `key`; comes before it
  kThreadName = 9,   // TextRecord: head.id is a tid, the text its name; type is a ThreadNameOrigin
  kResource = 10,    // TextRecord: a named resource: head.id is its type, `key` its identifier
  kRange = 11,       // RangeRecord: a finished push/pop range, written at the pop
  kRangeStart = 12,  // RangeRecord: a start/end range begins; `end` is its process-wide id
  kRangeEnd = 13,  // RangeRecord: a start/end range ends: `begin` is the time of the end, `end` the
                   // range's id
  kMark = 14,      // RangeRecord: an instant; `end` equals `begin`
};

// Who named a thread; the program's name wins, of the kernel's the last.
enum ThreadNameOrigin : uint16_t { kThreadNameOfProgram = 0, kThreadNameOfKernel = 1 };

// Flags of kRange, kRangeStart and kMark.
enum RecordFlags : uint8_t {
  kHasAttributes = 1,  // a RangeAttributes slot follows the RangeRecord
  kHasPayload = 2,     // a kPayload record with this `begin` came before in this stream
  kCrossing = 4,  // popped while a range of another domain, opened later, was still open: does not
                  // nest in its row
  kClosedByUs = 8,  // never ended by the program: closed at the end of its thread or process
};

struct RecordHead {
  uint8_t kind;    // RecordKind
  uint8_t flags;   // RecordFlags
  uint16_t slots;  // 1..65535, this one included
  uint32_t id;     // name id unless the kind says otherwise
};

struct StreamRecord {
  RecordHead head;         // id: the thread's tid as the process sees it
  uint64_t stream;         // unique in the segment, from 1
  uint64_t ticks;          // when the stream began, was continued, or ended
  uint32_t part;           // 0 for the first piece; n when continued in its n-th larger ring
  uint32_t pid_tid_equal;  // 1: the process's main thread
};

struct TextRecord {
  RecordHead head;
  uint64_t key;
  uint64_t ticks;   // when it was defined
  uint32_t bytes;   // of text that follow this header; not terminated; any bytes, the program's own
  uint16_t domain;  // the domain the definition belongs to, 0 = default
  uint16_t type;    // kPayload and kSchema: see payload_schema.h; kName: 0
};

struct RangeRecord {
  RecordHead head;
  uint64_t begin;
  uint64_t end;
  uint16_t domain;  // domain id of this stream, 0 = the default domain
  uint16_t lane;   // kRangeStart: row of the process that is free of other start/end ranges; else 0
  uint16_t depth;  // kRange: how many ranges of the thread were open around it
  uint8_t source;  // RecordSource
  uint8_t reserved;
};

// Which collector wrote a range; a row per collector that writes RangeRecords.
enum class RecordSource : uint8_t { kNvtx = 1 };

enum class PayloadType : uint32_t {
  kNone = 0,
  kUint64 = 1,
  kInt64 = 2,
  kDouble = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat = 6
};

struct RangeAttributes {
  uint32_t category;      // 0 = none
  uint32_t color;         // ARGB as the program gave it
  uint32_t has_color;     // 0 or 1
  uint32_t payload_type;  // PayloadType
  uint64_t payload;       // the value's bits, low end first
  uint64_t reserved;
};

// One open push/pop range of a thread, kept in the segment so that a crash still shows it.
struct OpenRange {
  uint64_t begin;
  uint32_t name;
  uint16_t domain;
  uint8_t flags;  // RecordFlags
  uint8_t lost;   // 1: its name could not be recorded, so its pop is dropped and counted
  RangeAttributes attributes;
  uint32_t level;  // how many ranges of its domain were open on the thread when it was pushed
  uint32_t reserved[3];
};

static_assert(sizeof(RecordHead) == 8);
static_assert(sizeof(StreamRecord) == 32 && sizeof(TextRecord) == 32 && sizeof(RangeRecord) == 32);
static_assert(sizeof(RangeAttributes) == 32 && sizeof(OpenRange) == 64);

}  // namespace syncline
