// SPDX-License-Identifier: Apache-2.0
// The records that travel through a ring: fixed-size PODs in 32-byte slots, the schema of the
// house.
#pragma once

#include <cstdint>

#include "inject/core/source.h"

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
  kName = 4,       // TextRecord: head.id is a name; type is the vendor's number of the call that
                   // bears it, in its API, 0: no call's
  kDomain = 5,    // TextRecord: head.id is a domain, `key` its process-wide number, type the Source
                  // whose domain it is
  kCategory = 6,  // TextRecord: `key` is the category, head.id the domain
  kSchema = 7,    // TextRecord: `key` is the schema id, bytes are a schema (payload_schema.h)
  kPayload = 8,   // TextRecord: extended payload of the range or mark, or typed arguments of the
                  // call or operation, whose begin (or time) is `key`; comes before it
  kThreadName = 9,   // TextRecord: head.id is a tid, the text its name; type is a ThreadNameOrigin
  kResource = 10,    // TextRecord: a named resource: head.id is its type, `key` its identifier
  kRange = 11,       // RangeRecord: a finished push/pop range, written at the pop
  kRangeStart = 12,  // RangeRecord: a start/end range begins; `end` is its process-wide id
  kRangeEnd = 13,  // RangeRecord: a start/end range ends: `begin` is the time of the end, `end` the
                   // range's id
  kMark = 14,      // RangeRecord: an instant; `end` equals `begin`
  kCall = 15,      // CallRecord: a finished call of a library, by this thread
  kDeviceOp = 16,  // DeviceOpRecord: what a GPU did; of no thread, whichever stream it stands in
  kDeviceClock = 17,  // DeviceClockRecord
  kDevice = 18,       // TextRecord: `key` is the device's number, type its Source, bytes are a
                      // DeviceFacts and its name
  kDeviceEvent = 19,  // DeviceEventRecord: what a vendor tells of a GPU beside its operations
  kGpuCoverage = 20,  // GpuCoverageRecord
  kGate = 21,         // GateRecord
  kCode = 22,   // TextRecord: head.id is a piece of Python code of this stream, `key` its first
                // line; bytes are a CodeFacts and what it tells of
  kStack = 23,  // TextRecord: head.id is a stack of this stream, type of StackFlags, which say what
                // `key` is; bytes are StackFrames, the innermost first
  kModule = 24,  // TextRecord: head.id is a program or library of this stream, 1 to kMostModules;
                 // bytes are its build id, whose length is the type, and the path of its file;
                 // `key` is the file's FileMark if there is no build id, else 0
  kArguments = 25,  // TextRecord: head.id, of the names' numbers, is a list of arguments of this
                    // stream; what the bytes mean only the source knows
  kGraphNode = 26,  // GraphNodeRecord
  kMemory = 27,     // MemoryRecord
};

// Who named a thread. The program's name wins over the kernel's; of the kernel's names the last one
// wins.
enum ThreadNameOrigin : uint16_t { kThreadNameOfProgram = 0, kThreadNameOfKernel = 1 };

// Flags of kRange, kRangeStart and kMark.
enum RecordFlags : uint8_t {
  kHasAttributes = 1,  // a RangeAttributes slot follows the RangeRecord
  kHasPayload = 2,     // a kPayload record with this `begin` came before in this stream
  kCrossing = 4,  // popped while a range of another domain, opened later, was still open: does not
                  // nest in its row
  kClosedByUs = 8,  // never ended by the program: closed at the end of its thread or process
  // OpenRange only: its name could not be recorded, so its pop is dropped and counted.
  kNameLost = 16,
  // Begun while the gate was closed: `begin` is no time but how often the gate had changed. Only
  // what met an open gate afterwards has a record, for the ranges around what was recorded.
  kBegunClosed = 32,
  kIsMarked = 64,  // OpenRange only: a stage or a step, `marks` says which
};

struct RecordHead {
  uint8_t kind;    // RecordKind
  uint8_t flags;   // RecordFlags
  uint16_t slots;  // 1..65535, this one included
  uint32_t id;     // name id unless the kind says otherwise
};

struct StreamRecord {
  RecordHead head;          // id: the thread's tid as the process sees it
  uint64_t stream;          // unique in the segment, from 1
  uint64_t ticks;           // when the stream began, was continued, or ended
  uint32_t part;            // 0 for the first piece; n when continued in its n-th larger ring
  uint32_t is_main_thread;  // 1: the process's main thread
};

struct TextRecord {
  RecordHead head;
  uint64_t key;
  uint64_t ticks;   // when it was defined
  uint32_t bytes;   // of text that follow this header; not terminated; any bytes, the program's own
  uint16_t domain;  // the domain the definition belongs to, 0 = default
  uint16_t type;    // as the kind says; kPayload and kSchema: see payload_schema.h
};

struct RangeRecord {
  RecordHead head;
  uint64_t begin;
  uint64_t end;
  uint16_t domain;  // domain id of this stream, 0 = the default domain
  uint8_t reserved;
  Source source;
  uint16_t depth;  // kRange: how many ranges of the thread were open around it
  uint16_t lane;   // kRangeStart: row of the process that is free of other start/end ranges; else 0
};

enum class PayloadType : uint32_t {
  kNone = 0,
  kUint64 = 1,
  kInt64 = 2,
  kDouble = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat = 6,
  kOperator = 7,  // of an operator: `payload` is its sequence number, int64_t, negative: none
  kModule = 8,    // of a module: `payload` is the number of its path in the process
  kDetails = 9,   // of a call: `arguments` are its labels and signature (value_words.h)
};

struct RangeAttributes {
  union {
    uint32_t category;    // 0 = none
    uint32_t own_thread;  // kOperator: the framework's number of this thread, or 0
  };
  union {
    uint32_t color;  // ARGB as the program gave it
    uint32_t stack;  // kOperator: head.id of a kStack, or 0
  };
  uint32_t has_color;     // 0 or 1
  uint32_t payload_type;  // PayloadType
  uint64_t payload;       // the value's bits, low end first
  // kOperator, kDetails: head.id of a kArguments record; kModule: of the name of its class; 0:
  // none.
  uint32_t arguments;
  // A framework's number of a thread; kOperator: that counted `payload`, kModule: of this one.
  uint32_t forward_thread;
};

// What a call does, as its collector knows it: no later stage asks for the call's name. The
// source's rules say which roles make the host wait.
enum class CallRole : uint8_t {
  kOther,
  kLaunch,       // of kernels
  kGraphLaunch,  // of a graph of operations, made before
  kCopy,
  kSet,           // of memory to a value
  kAllocate,      // memory of a device
  kAllocateHost,  // memory of the host that devices may use
  kFree,
  kFreeHost,
  kTrim,               // gives back memory that had been freed before
  kSynchronizeDevice,  // waits for all work of a device or context
  kSynchronizeQueue,   // ... of a stream, queue or command list
  kSynchronizeEvent,   // ... up to an event or fence
  kReset,              // ends a context, with all that is in it
  kRelease,            // gives up a share in a context; the last one ends it
  kQuery,              // asks whether an event or queue is done, and does not wait
  kQueryError,         // asks for an error
  kEnqueue,            // puts something into a queue that no record of a device follows
  kHostFunction,       // puts a function of the host into a queue
  kLoad,               // of code for a device
  kUnload,
  kGraphInstantiate,  // of a graph, which may load code
  kGraphPrepare,      // the same; may put its memory on the device, too
  kCommunicate,       // with other ranks
  kRead,              // of a file
  kWrite,
  kCount
};
inline constexpr uint8_t kCallRoles = static_cast<uint8_t>(CallRole::kCount);

// CallRecord::role: a CallRole, and these.
enum CallTraits : uint8_t {
  kCallRole = 0x1f,
  kCallHasPayload = 0x40,  // a kPayload record with this `begin` came before: typed arguments
  kCallIsAsync = 0x80,     // of a form that returns before what it asked for is done
};
static_assert(kCallRoles <= kCallRole + 1);

constexpr CallRole RoleOf(uint8_t role) {
  const auto value = static_cast<uint8_t>(role & kCallRole);
  return value < kCallRoles ? static_cast<CallRole>(value) : CallRole::kOther;
}

// Whether a device gets something to do of which a DeviceOpRecord tells.
constexpr bool GivesWork(CallRole role) {
  return role == CallRole::kLaunch || role == CallRole::kGraphLaunch || role == CallRole::kCopy ||
         role == CallRole::kSet;
}

// Flags of kCall.
enum CallFlags : uint8_t {
  kDriverCall = 1,  // of the lower of the source's two APIs (CUDA: the driver's), else of the upper
  kInnerCall = 2,   // made inside another recorded call of its source and thread: nested, same
                    // correlation
  // Above them, of a query: 1 + the queried handle's hash modulo 62, where it is known. Two numbers
  // are two events or streams.
  kQueriedObject = 4,
  // All of the bits above, no query's: the outermost call gave a device work, so the vendor owes at
  // least one DeviceOpRecord of its correlation. Without one it is lost.
  kGaveWork = 63 * kQueriedObject
};

// head.id is the call's name. `correlation` joins it with the DeviceOpRecords that it caused; the
// source's own, unique in the process, 0: none.
struct CallRecord {
  RecordHead head;
  uint64_t begin;
  uint64_t end;
  uint32_t correlation;
  Source source;
  uint8_t role;     // a CallRole and CallTraits
  uint16_t result;  // 0 = success, else the vendor's error (larger ones: 65535)
};

constexpr bool GaveWork(const CallRecord& call) {
  return (call.head.flags & kGaveWork) == kGaveWork;
}

// Follows the CallRecord where `slots` is 2.
struct CallStack {
  uint32_t stack;    // that the thread had when the call began, 0: none
  uint32_t queries;  // of one object and result, that the record stands for; 0: it is one call
  uint32_t reserved[6];
};

// Bytes of a kCode record. Behind it stand the file, the qualified name and the line table, none
// terminated. The first two are UTF-8, where a lone surrogate is written like any other character.
struct CodeFacts {
  uint32_t file_bytes;
  uint32_t name_bytes;
  uint32_t table_bytes;
  uint16_t python;  // 0x30b: 3.11; says how the table is to be read
  uint16_t flags;   // of CodeFlags
};

enum CodeFlags : uint16_t {
  kTableCut = 1,  // it was too long: the instructions behind have no lines
};

// Of Python, or with kNativeFrame in `code` of native code. That one's other bits say which
// instruction called: 15 bits of `code` are the head.id of a kModule record, 0: no module has it;
// the other 16 and `instruction` are its address in the module's file (of a process without a
// module), 48 bits.
struct StackFrame {
  uint32_t code;        // head.id of a kCode record, 0: it could not be recorded
  int32_t instruction;  // byte offset in the code; negative: not begun
};
inline constexpr uint32_t kNativeFrame = 1u << 31;
inline constexpr uint32_t kMostStackFrames =
    2 * 1024 + 64;  // of one stack, Python's and native ones
inline constexpr uint32_t kMostModules = (1u << 15) - 1;

constexpr bool IsNative(const StackFrame& frame) { return (frame.code & kNativeFrame) != 0; }
constexpr uint32_t ModuleOf(const StackFrame& frame) { return frame.code >> 16 & kMostModules; }
constexpr uint64_t AddressOf(const StackFrame& frame) {
  return uint64_t{frame.code & 0xFFFF} << 32 | static_cast<uint32_t>(frame.instruction);
}
constexpr StackFrame NativeStackFrame(uint32_t module, uint64_t address) {
  return {kNativeFrame | module << 16 | static_cast<uint32_t>(address >> 32 & 0xFFFF),
          static_cast<int32_t>(address)};
}

enum StackFlags : uint16_t {
  kStackCut = 1,  // it was deeper: the outermost frames are missing
  // The last frames, `key` of them, are of the Python call on another thread for which this one
  // worked.
  kStackLent = 2,
};

enum class DeviceOpType : uint8_t { kKernel = 1, kCopy = 2, kPeerCopy = 3, kSet = 4, kGraph = 5 };

// Memory of a copy or set.
enum class MemoryKind : uint8_t { kUnknown, kPageable, kPinned, kDevice, kArray, kManaged };

enum DeviceOpFlags : uint8_t {
  kHasKernel = 1,       // a KernelDetails follows the DeviceOpRecord
  kAsync = 2,           // of a call that returned before it was done
  kOpHasArguments = 4,  // a kPayload record with this `begin` came before
  kOpOutside = 8,       // of readers: launched while nothing was recorded
};

// head.id: name of a kernel, else 0. Times are nanoseconds of the device's clock, which the
// DeviceClockRecords of the source and process tie to ticks. Ids are the source's own.
struct DeviceOpRecord {
  RecordHead head;
  uint64_t begin;
  uint64_t end;
  uint64_t bytes;  // copied or set
  uint32_t correlation;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t graph;          // id of the executable graph it is part of, 0: none
  uint32_t source_device;  // kPeerCopy
  DeviceOpType type;
  MemoryKind from;  // kSet: 0
  MemoryKind to;
  Source source;
  uint32_t target_device;  // kPeerCopy
};

struct KernelDetails {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t static_shared;   // bytes a block
  uint32_t dynamic_shared;  // bytes a block
  uint32_t local;           // bytes a thread
  uint16_t registers;       // a thread
  uint16_t reserved;
  uint64_t queued;      // device clock; 0: unknown
  uint64_t graph_node;  // 0: none
  uint64_t reserved2;
};

enum class DeviceEventType : uint8_t {
  kSync = 1,            // the host or a stream waited: detail is a DeviceSyncKind, id the event
  kEvent = 2,           // an event was recorded: id
  kOverhead = 3,        // the vendor's own time: detail is a DeviceOverheadKind
  kStream = 4,          // a stream was made: detail is a DeviceStreamKind
  kContext = 5,         // a context was made; `stream` is its default stream
  kAllocation = 6,      // memory was taken (detail 1) or given back (2), at `begin`
  kStreamHandle = 7,    // `address` is the handle that the program has of `stream` in `context`
  kContextHandle = 8,   // ... of `context`
  kSettings = 9,        // of the process: detail is of DeviceSettings
  kHostFunction = 10,   // a function of the host was put into `stream`, by the call `correlation`
  kDeviceAddress = 11,  // `device` stands on the buses at `address`, as PciAddress
};
enum class DeviceSyncKind : uint8_t { kEvent = 1, kStreamWaitEvent = 2, kStream = 3, kContext = 4 };
enum DeviceSettings : uint8_t { kLaunchesBlock = 1 };  // as of CUDA_LAUNCH_BLOCKING
enum class DeviceStreamKind : uint8_t { kUnknown, kBlocking, kNonBlocking, kDefault };
enum class DeviceOverheadKind : uint8_t {
  kOther,
  kCompiler,
  kBufferFlush,
  kInstrumentation,
  kResource,
  kModuleLoading,
  kFunctionLoading,
  kQueueFull,
  kBufferRequest,
};

// Times are of the source's clock for all devices, ids the source's own; what a type does not name
// is 0.
struct DeviceEventRecord {
  RecordHead head;
  uint64_t begin;
  uint64_t end;
  uint64_t address;  // kAllocation; a handle; of a device
  uint64_t bytes;    // kAllocation
  uint32_t correlation;
  uint32_t device;  // kContext, kAllocation, kDeviceAddress
  uint32_t context;
  uint32_t stream;
  DeviceEventType type;
  uint8_t detail;
  MemoryKind memory;  // kAllocation
  Source source;
  uint32_t tid;  // kOverhead: the thread it was on, 0: none
};

// A node of a graph was made by a call of this thread, or cloned: head.id is the stack that the
// thread had, 0: none; head.flags is the source. Ids are those of KernelDetails::graph_node.
// `range_count` NodeRanges follow, of a clone none.
struct GraphNodeRecord {
  RecordHead head;
  uint64_t node;
  uint64_t original;      // that it is a clone of, 0: it is none
  uint32_t correlation;   // of the call, 0: none, of a clone too
  uint16_t range_count;   // at most kMostNodeRanges
  uint16_t ranges_above;  // that were open around these; 65535: or more
};

// A range that was open on the thread, the outermost first.
struct NodeRange {
  uint32_t name;       // name id, 0: lost
  uint32_t arguments;  // head.id of an operator's kArguments, 0: none
  uint16_t domain;
  Source source;
  uint8_t reserved[5];
};
inline constexpr uint32_t kMostNodeRanges = 32;  // the innermost

enum MemoryFlags : uint8_t {
  kOutOfMemory = 1,  // `bytes` were asked for and could not be had; `address` is 0
};

// This thread took a block of a framework's own allocator, or gave it back. head.id is the stack
// that the thread had when it took it, 0: none. The allocator's lock was held: the ticks of one
// device's records are in the order of what happened.
struct MemoryRecord {
  RecordHead head;
  uint64_t ticks;
  uint64_t address;
  int64_t bytes;        // negative: given back
  uint64_t allocated;   // bytes of the device in blocks, after that
  uint64_t held;        // bytes of the device that the allocator has of its driver, after that
  uint32_t device;      // the framework's number among the devices of its type
  uint8_t device_type;  // the framework's
  Source source;
  uint16_t reserved;
  uint64_t reserved2;
};

enum class GpuCoverage : uint8_t {
  kAll = 1,        // calls and what the GPU did
  kLent = 2,       // nothing: the vendor's interface is left to another client in the program
  kCallsOnly = 3,  // calls: the vendor's interface was refused, they are seen without it
  kNothing = 4,    // neither
};

// A device's clock was read between two readings of the ticks. The source is in head.flags.
struct DeviceClockRecord {
  RecordHead head;  // id: 0: the clock of all of the source's devices; n: that of its device n - 1
  uint64_t before;  // ticks
  uint64_t device_ns;
  uint64_t after;  // ticks
};

// From `ticks` on, until the source's next one in the process, this much is recorded of its
// devices. head.id: because of whom or what, 0: nobody.
struct GpuCoverageRecord {
  RecordHead head;
  uint64_t ticks;
  GpuCoverage coverage;
  Source source;
  uint8_t reserved[14];
};

enum class GateEvent : uint8_t {
  kOpened = 1,
  kClosed = 2,
  kThreadOpened = 3,  // the gate of thread head.id alone (--stage-scope thread)
  kThreadClosed = 4,
  kStepBegins = 5,  // step number `step`, that is to be recorded
  kLastStepEnds =
      6,  // the last step that is to be recorded ended: nothing more is, if none follows
  kBareStepBegins = 7,  // step number `step`, of a program that collectors left for good
};

// The gate changed, or a step began. head.flags: the GateReasons that hold now; head.id: the
// thread.
struct GateRecord {
  RecordHead head;
  uint64_t ticks;
  uint32_t change;  // how often the gate had changed, modulo 2^28, this change included
  uint32_t step;    // modulo 2^32
  GateEvent event;
  uint8_t reserved[7];
};

// Where a device stands on the machine's buses, in one word: 16, 8, 5 and 3 bits. 0: domains beyond
// these are not told. (Function 0 of device 0 of the first bus is the machine's own bridge.)
constexpr uint32_t PciAddress(uint32_t domain, uint32_t bus, uint32_t device, uint32_t function) {
  if (domain > 0xffff) return 0;
  return domain << 16 | (bus & 0xff) << 8 | (device & 31) << 3 | (function & 7);
}

// Bytes of a kDevice record, before the name. 0: unknown.
struct DeviceFacts {
  uint64_t memory;  // bytes
  uint32_t major, minor;
  uint32_t multiprocessors;
  uint32_t warp;  // threads
  uint32_t threads_per_block, threads_per_multiprocessor, blocks_per_multiprocessor;
  uint32_t registers_per_block, registers_per_multiprocessor;
  uint32_t shared_per_block, shared_per_multiprocessor;
  uint32_t pci;      // as PciAddress; 0: unknown
  uint8_t uuid[16];  // the vendor's, the same for all processes; of a part of a device its own; 0:
                     // unknown
};

// One open push/pop range of a thread, kept in the segment so that a crash still shows it.
struct OpenRange {
  uint64_t begin;
  uint32_t name;
  uint16_t domain;
  uint8_t flags;  // RecordFlags
  Source source;
  RangeAttributes attributes;
  uint32_t level;  // how many ranges of its domain were open on the thread when it was pushed
  uint8_t marks;   // kIsMarked: what LeaveMarked is to be given
  uint8_t reserved[3];
  uint64_t owner;  // what its collector knows it by, if anything; of no meaning to readers
};

static_assert(sizeof(GateRecord) == 32 && sizeof(CallStack) == 32);
static_assert(sizeof(CodeFacts) == 16 && sizeof(StackFrame) == 8);
static_assert(sizeof(RecordHead) == 8);
static_assert(sizeof(StreamRecord) == 32 && sizeof(TextRecord) == 32 && sizeof(RangeRecord) == 32);
static_assert(sizeof(CallRecord) == 32 && sizeof(DeviceClockRecord) == 32);
static_assert(sizeof(DeviceOpRecord) == 64 && sizeof(KernelDetails) == 64);
static_assert(sizeof(GpuCoverageRecord) == 32);
static_assert(sizeof(GraphNodeRecord) == 32 && sizeof(NodeRange) == 16);
static_assert(sizeof(DeviceEventRecord) == 64 && sizeof(DeviceFacts) == 72);
static_assert(sizeof(MemoryRecord) == 64);
static_assert(sizeof(RangeAttributes) == 32 && sizeof(OpenRange) == 64);

}  // namespace syncline
