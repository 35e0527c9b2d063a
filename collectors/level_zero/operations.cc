// SPDX-License-Identifier: Apache-2.0
// One word says which execution of an operation waits to be read, and who reads it: no lock, and
// nobody waits for who reads.
#include "collectors/level_zero/operations.h"

#include <atomic>
#include <cstring>

#include "collectors/level_zero/level_zero_source.h"
#include "collectors/level_zero/objects.h"
#include "collectors/level_zero/slab.h"
#include "inject/core/emit_device.h"
#include "inject/core/sys.h"

namespace syncline::level_zero {
namespace {

constexpr uint32_t kMaxEntries = 2 * kMaxOperations;
constexpr uint64_t kLongAgoNs = 500'000'000;

enum class State : uint8_t { kUnused, kIdle, kSubmitted, kReading };

// The number of the execution, and its state.
constexpr uint64_t Word(uint32_t number, State state) {
  return uint64_t{number} << 8 | static_cast<uint64_t>(state);
}
constexpr State StateOf(uint64_t word) { return static_cast<State>(word & 0xff); }
constexpr uint32_t NumberOf(uint64_t word) { return static_cast<uint32_t>(word >> 8); }

struct Operation {
  std::atomic<uint64_t> word;
  std::atomic<uint32_t> next;
  std::atomic<bool> repeats;
  // Of its list's thread: its event may be signaled by executions that nobody reads.
  bool blind;
  // The latest execution, also one that nobody reads.
  uint32_t last_stream;
  uint64_t last_ticket;
  bool scattered;  // while it was blind it was executed in several streams
  uint32_t own_event;
  Context* context;
  ze_event_handle_t event;
  WorkFacts facts;
  Submission submission;
};

// An execution that the helper is to look at; stale ones are passed over.
struct Entry {
  Execution execution;
  // Of its operation, which may be another one's by now.
  uint32_t stream;
  Context* context;
  uint64_t not_before_ns;
  std::atomic<uint32_t> next;
};

constinit Slab<Operation, kMaxOperations> g_operations;
constinit Slab<Entry, kMaxEntries> g_entries;
constinit FreeList g_submitted;               // entries, the latest first
std::atomic<uint32_t> g_unread;               // how many there are
std::atomic<uint64_t> g_tickets;              // of executions
std::atomic<uint32_t> g_ends_asked;           // contexts that the program destroyed, to be ended
std::atomic<bool> g_read_out;                 // nobody reads events of ours any more
std::atomic<bool> g_reading;                  // guards what follows
uint32_t g_oldest = kNone, g_latest = kNone;  // entries in the order of submission

// The program may empty or destroy a list whose work is over: so are the executions that nobody
// read, and their signal must not be taken for that of the event's next work.
bool IsReadyAgain(const Operation& operation) {
  if (!operation.blind) return true;
  const ErrnoKeeper keeper;
  return !g_books_are_old.load(std::memory_order_relaxed) && operation.context->HasEvents() &&
         g_api.EventHostReset(operation.event) == ZE_RESULT_SUCCESS;
}

// Of an execution that cannot be told from the one before.
Loss LossOfAgain(const Operation& operation) {
  const bool gone = operation.own_event != kNone && !operation.context->HasEvents();
  return gone ? kLoss_ze_context_destroyed : kLoss_ze_list_reused;
}

void Free(uint32_t index) {
  Operation& operation = g_operations[index];
  if (operation.own_event != kNone && IsReadyAgain(operation))
    operation.context->GiveBack(operation.own_event);
  g_operations.GiveBack(index);
}

DeviceOpRecord RecordOf(const Operation& operation, uint64_t begin, uint64_t end) {
  const WorkFacts& facts = operation.facts;
  DeviceOpRecord record = NewDeviceOp(kSource, facts.type, facts.async);
  record.begin = begin;
  record.end = end;
  record.bytes = facts.bytes;
  record.correlation = operation.submission.correlation;
  record.device = level_zero::NumberOf(*operation.submission.device);
  record.context = ContextIdOf(*operation.submission.device);
  record.stream = operation.submission.stream;
  record.from = facts.from;
  record.to = facts.to;
  return record;
}

void Emit(const Operation& operation, uint64_t begin, uint64_t end) {
  HookScope scope(HookKind::kEnds);
  if (!scope) return;
  ThreadLog& log = scope.log();
  const WorkFacts& facts = operation.facts;
  const bool kernel = facts.type == DeviceOpType::kKernel;
  uint32_t name = 0;
  if (kernel && facts.kernel.text != nullptr)
    name = HandleNameId(log, facts.kernel.text, facts.kernel.text, facts.kernel.bytes);
  KernelDetails details{};
  std::memcpy(details.grid, facts.grid, sizeof(details.grid));
  std::memcpy(details.block, facts.block, sizeof(details.block));
  (void)EmitDeviceOp(log, RecordOf(operation, begin, end), name, kernel ? &details : nullptr);
}

void EmitTimes(const Operation& operation, const ze_kernel_timestamp_result_t& times) {
  const Submission& submission = operation.submission;
  uint64_t begin = 0, end = 0;
  const bool makes_sense =
      WholeTime(*submission.device, times.global.kernelEnd, submission.not_before_ns, &end) &&
      WholeTime(*submission.device, times.global.kernelStart, submission.not_before_ns, &begin) &&
      begin <= end;
  if (!makes_sense) return CountLoss(kLoss_ze_garbage);
  Emit(operation, begin, end);
}

// Whether an event of the program's shows the end of other work than it did when it was read last.
// Ours are reset after each reading.
bool IsNew(const Operation& operation, const ze_kernel_timestamp_result_t& times) {
  if (operation.own_event != kNone) return true;
  Event* event = g_objects.events.Find(operation.event);
  return event == nullptr || event->last.Replace(times.global.kernelEnd);
}

// The execution is this thread's to read. Not by zeEventQueryStatus: Intel's driver waits in that
// for the time stamps of some events (compute-runtime, event_impl.inl), and looks once in this.
bool ReadTimes(const Operation& operation) {
  const ErrnoKeeper keeper;
  if (g_books_are_old.load(std::memory_order_relaxed) ||
      g_api.EventHostSynchronize(operation.event, 0) != ZE_RESULT_SUCCESS) {
    return false;
  }
  ze_kernel_timestamp_result_t times{};
  const ze_result_t result = g_api.EventQueryKernelTimestamp(operation.event, &times);
  if (result == ZE_RESULT_NOT_READY) return false;
  if (result != ZE_RESULT_SUCCESS) {
    CountLoss(kLoss_ze_garbage);
  } else if (IsNew(operation, times)) {
    EmitTimes(operation, times);
  } else {
    return false;
  }
  if (operation.own_event != kNone) (void)g_api.EventHostReset(operation.event);
  return true;
}

void FinishReading(uint32_t index, uint32_t number) {
  Operation& operation = g_operations[index];
  operation.word.store(Word(number, State::kIdle), std::memory_order_seq_cst);
  if (operation.repeats.load(std::memory_order_seq_cst)) return;
  uint64_t idle = Word(number, State::kIdle);
  if (operation.word.compare_exchange_strong(idle, Word(number, State::kUnused))) Free(index);
}

// Moves what was submitted since behind what is known, in its order.
void TakeSubmitted() {
  uint32_t reversed = kNone;
  for (uint32_t at = g_submitted.TakeAll(); at != kNone;) {
    const uint32_t next = g_entries[at].next.load(std::memory_order_relaxed);
    g_entries[at].next.store(reversed, std::memory_order_relaxed);
    reversed = at;
    at = next;
  }
  if (reversed == kNone) return;
  if (g_latest == kNone) {
    g_oldest = reversed;
  } else {
    g_entries[g_latest].next.store(reversed, std::memory_order_relaxed);
  }
  while (reversed != kNone) {
    g_latest = reversed;
    reversed = g_entries[reversed].next.load(std::memory_order_relaxed);
  }
}

// Streams that were seen to be busy: what came later into them is not done either, as a rule.
class BusyStreams {
 public:
  bool Has(uint32_t stream) const { return (words_[stream / 64 % kWords] >> stream % 64 & 1) != 0; }
  void Add(uint32_t stream) { words_[stream / 64 % kWords] |= uint64_t{1} << stream % 64; }

 private:
  static constexpr size_t kWords = 64;
  uint64_t words_[kWords] = {};
};

// Whether the entry is done with.
bool Look(const Entry& entry, bool all, BusyStreams* busy) {
  const Execution& execution = entry.execution;
  Operation& operation = g_operations[execution.operation];
  if (operation.word.load(std::memory_order_acquire) != Word(execution.number, State::kSubmitted)) {
    return true;  // stale
  }
  if (!entry.context->HasEvents()) {  // the program destroyed it before the work had ended
    Lose(execution, kLoss_ze_context_destroyed);
    return true;
  }
  if (!all && busy->Has(entry.stream)) return false;
  const bool recent = MonotonicNs() < entry.not_before_ns + kLongAgoNs;
  if (!all && recent && operation.repeats.load(std::memory_order_relaxed)) return false;
  const Outcome outcome = Read(execution);
  if (outcome == Outcome::kNotReady) busy->Add(entry.stream);
  return outcome != Outcome::kNotReady;
}

void ReadAll(bool all) {
  TakeSubmitted();
  BusyStreams busy;
  uint32_t before = kNone;
  for (uint32_t at = g_oldest; at != kNone;) {
    const uint32_t next = g_entries[at].next.load(std::memory_order_relaxed);
    if (!Look(g_entries[at], all, &busy)) {
      before = at;
    } else {
      if (before == kNone) {
        g_oldest = next;
      } else {
        g_entries[before].next.store(next, std::memory_order_relaxed);
      }
      if (at == g_latest) g_latest = before;
      g_entries.GiveBack(at);
      g_unread.fetch_sub(1, std::memory_order_relaxed);
    }
    at = next;
  }
}

void StopReading() {
  g_reading.store(false);
  while (g_ends_asked.load() != 0 && !g_reading.exchange(true)) {
    const uint32_t asked = g_ends_asked.load();
    BeginAskedEnds();
    ReadAll(true);
    FinishAskedEnds();
    g_ends_asked.fetch_sub(asked);
    g_reading.store(false);
  }
}

}  // namespace

uint32_t NewOperation(const WorkFacts& facts, Context* context, uint32_t own_event,
                      ze_event_handle_t event, bool repeats) {
  const uint32_t index = g_operations.Take();
  if (index == kNone) {
    CountLoss(kLoss_ze_no_event);
    return kNone;
  }
  Operation& operation = g_operations[index];
  const uint32_t number = NumberOf(operation.word.load(std::memory_order_relaxed));
  operation.facts = facts;
  operation.context = context;
  operation.own_event = own_event;
  operation.event = event;
  operation.blind = false;
  operation.repeats.store(repeats, std::memory_order_relaxed);
  operation.scattered = false;
  operation.word.store(Word(number, State::kIdle), std::memory_order_release);
  return index;
}

void DropOperation(uint32_t index) {
  Operation& operation = g_operations[index];
  operation.repeats.store(false, std::memory_order_seq_cst);
  uint64_t word = operation.word.load(std::memory_order_seq_cst);
  if (StateOf(word) == State::kIdle &&
      operation.word.compare_exchange_strong(word, Word(NumberOf(word), State::kUnused))) {
    Free(index);
  }
}

ze_event_handle_t ProgramsEventOf(uint32_t index) {
  const Operation& operation = g_operations[index];
  return operation.own_event == kNone ? operation.event : nullptr;
}

Execution Execute(uint32_t index, const Submission& submission) {
  Operation& operation = g_operations[index];
  const uint64_t word = operation.word.load(std::memory_order_relaxed);
  if ((operation.blind || StateOf(word) != State::kIdle) &&
      submission.stream != operation.last_stream) {
    operation.scattered = true;  // a wait for one of the streams says nothing of the other
  }
  operation.last_stream = submission.stream;
  operation.last_ticket = g_tickets.fetch_add(1, std::memory_order_relaxed) + 1;
  if (operation.blind || StateOf(word) != State::kIdle) {
    operation.blind = true;
    CountLoss(LossOfAgain(operation));
    return {};
  }
  const Execution execution = {index, NumberOf(word) + 1};
  operation.submission = submission;
  Context* context = operation.context;
  const bool own = operation.own_event != kNone;
  operation.word.store(Word(execution.number, State::kSubmitted), std::memory_order_release);
  if (!own) return execution;
  if (g_read_out.load(std::memory_order_relaxed)) {  // by what runs at the exit, after us
    CountLoss(kLoss_ze_unfinished);
    return execution;
  }
  const uint32_t place = g_entries.Take();
  if (place == kNone) return execution;  // its list reads it when it is executed again
  Entry& entry = g_entries[place];
  entry.execution = execution;
  entry.stream = submission.stream;
  entry.context = context;
  entry.not_before_ns = submission.not_before_ns;
  g_unread.fetch_add(1);
  g_submitted.Push(place, g_entries.NextOf());
  return execution;
}

uint64_t TicketsGiven() { return g_tickets.load(std::memory_order_relaxed); }

uint32_t UnreadWork() { return g_unread.load(); }

void PrepareAgain(uint32_t index, const Drained& drained) {
  if (g_books_are_old.load(std::memory_order_relaxed)) return;
  Operation& operation = g_operations[index];
  const uint64_t word = operation.word.load(std::memory_order_acquire);
  if (operation.own_event == kNone) return;  // the program makes its own event ready
  if (StateOf(word) == State::kSubmitted) {
    const Execution execution = {index, NumberOf(word)};
    if (!operation.context->HasEvents()) return Lose(execution, kLoss_ze_context_destroyed);
    if (Read(execution) == Outcome::kRead) return;
    uint64_t submitted = word;
    operation.blind = true;
    if (operation.word.compare_exchange_strong(submitted, Word(execution.number, State::kIdle)))
      CountLoss(LossOfAgain(operation));
    return;
  }
  const bool over = !operation.scattered && operation.last_stream == drained.stream &&
                    operation.last_ticket <= drained.ticket;
  if (StateOf(word) == State::kIdle && operation.blind && over) {
    const ErrnoKeeper keeper;
    operation.blind = g_api.EventHostReset(operation.event) != ZE_RESULT_SUCCESS;
  }
}

Outcome Read(const Execution& execution) {
  Operation& operation = g_operations[execution.operation];
  uint64_t word = Word(execution.number, State::kSubmitted);
  // Acquire: pairs with Execute.
  if (!operation.word.compare_exchange_strong(word, Word(execution.number, State::kReading),
                                              std::memory_order_acq_rel)) {
    return Outcome::kGone;
  }
  if (!ReadTimes(operation)) {
    operation.word.store(Word(execution.number, State::kSubmitted), std::memory_order_release);
    return Outcome::kNotReady;
  }
  FinishReading(execution.operation, execution.number);
  return Outcome::kRead;
}

void Lose(const Execution& execution, Loss loss) {
  uint64_t word = Word(execution.number, State::kSubmitted);
  if (!g_operations[execution.operation].word.compare_exchange_strong(
          word, Word(execution.number, State::kReading), std::memory_order_acq_rel)) {
    return;
  }
  CountLoss(loss);
  FinishReading(execution.operation, execution.number);
}

void ReadFinished() {
  if (g_reading.exchange(true)) return;
  ReadAll(false);
  RefillContexts();
  StopReading();
}

// Sequentially consistent, as in StopReading: who asks for an end looks then who reads, and who
// stops to read looks then what was asked. One of them sees the other.
bool EndContext(Context* context) {
  const ErrnoKeeper keeper;
  context->AskEnd();
  g_ends_asked.fetch_add(1);
  if (g_reading.exchange(true)) return false;
  const bool mine = context->BeginEnd();
  if (mine) ReadAll(true);
  const bool ended = mine && context->FinishEnd();
  if (ended) g_ends_asked.fetch_sub(1);
  StopReading();
  return ended;
}

bool EndReading() {
  if (g_reading.exchange(true)) return false;  // and it stays true
  ReadAll(true);
  return true;
}

void CountUnread() {
  g_read_out.store(true, std::memory_order_relaxed);
  for (uint32_t i = 0; i < g_operations.used(); ++i) {
    const uint64_t word = g_operations[i].word.load(std::memory_order_relaxed);
    if (StateOf(word) == State::kSubmitted) CountLoss(kLoss_ze_unfinished);
  }
}

}  // namespace syncline::level_zero
