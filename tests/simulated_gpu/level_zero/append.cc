// SPDX-License-Identifier: Apache-2.0
// Gives commands to lists and streams.
#include "tests/simulated_gpu/level_zero/append.h"

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/durations.h"
#include "tests/simulated_gpu/engine/faults.h"

namespace simgpu::level_zero {
namespace {

uint32_t next_stream_id = 0;  // under the engine lock
uint64_t kernels = 0;         // under the engine lock; for the faults that name one

// Rows S2 to S4 of docs/level_zero.md.
WaitClass ClassOf(CommandKind kind) {
  const bool copy = kind == CommandKind::kMemcpy || kind == CommandKind::kMemset;
  return copy ? WaitClass::kSyncCopy : WaitClass::kStream;
}

// As Intel's public driver sources have it (handleCounterBasedEventOperations).
bool MaySignal(const List& list, const Event& event) {
  if (!event.semaphore->counter_based) return true;
  const uint32_t kind = list.stream != nullptr ? kOfImmediateLists : kOfRegularLists;
  return list.in_order && (event.counter_lists & kind) != 0;
}

// Under the lock: the events as the timeline knows them.
ze_result_t AddEvents(const List& list, const Events& events, Command* command) {
  if (events.count > 0 && events.waits == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (events.signal != nullptr) {
    const auto signal = Find<Event>(events.signal);
    if (signal == nullptr) return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    if (!MaySignal(list, *signal)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    command->signal = signal->semaphore;
  }
  for (uint32_t i = 0; i < events.count; ++i) {
    const auto wait = Find<Event>(events.waits[i]);
    if (wait == nullptr) return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    command->waits.push_back(wait->semaphore);
  }
  return ZE_RESULT_SUCCESS;
}

bool HasFault(const char* name) {
  const Faults& faults = Faults::OfProcess();
  return faults.Find(name) != nullptr && kernels == faults.Number(name, 1);
}

// Under the lock: the command with what holds for this one run of it.
std::shared_ptr<const Command> Vary(const Stream& stream, std::shared_ptr<const Command> command) {
  const Durations& durations = Durations::OfProcess();
  const uint64_t ns =
      durations.Vary(command->duration_ns, stream.device, stream.id, stream.sequence);
  const bool hangs = command->kind == CommandKind::kKernel && HasFault("kernel_never");
  if (ns == command->duration_ns && !hangs) return command;
  Command varied = *command;
  varied.duration_ns = ns;
  varied.hangs = varied.hangs || hangs;
  return std::make_shared<const Command>(std::move(varied));
}

}  // namespace

namespace {

// Streams of queues and lists that are gone, and whose work is over.
void ForgetStreams(Context* context) {
  const uint64_t now = Now();
  std::erase_if(context->streams, [now](const std::shared_ptr<Stream>& stream) {
    return stream.use_count() == 1 && stream->line.empty() && stream->tail_ns <= now;
  });
}

}  // namespace

std::shared_ptr<Stream> NewStream(Context* context, const Device& device, uint32_t ordinal,
                                  bool in_order) {
  if (ordinal >= kOrdinals) return nullptr;
  ForgetStreams(context);
  auto stream = std::make_shared<Stream>();
  stream->id = ++next_stream_id;
  stream->device = device.number;
  stream->sub_device = device.sub_device;
  stream->ordinal = ordinal;
  stream->context = context->id;
  stream->in_order = in_order;
  stream->engine = device.engines[ordinal];
  context->streams.push_back(stream);
  std::erase_if(device.root->streams, [](const auto& known) { return known.expired(); });
  device.root->streams.push_back(stream);
  return stream;
}

std::shared_ptr<Operation> SubmitCommand(const std::shared_ptr<Stream>& stream,
                                         std::shared_ptr<const Command> command, uint64_t list) {
  ++stream->sequence;
  const bool kernel = command->kind == CommandKind::kKernel;
  if (kernel) ++kernels;
  auto operation = std::make_shared<Operation>();
  operation->command = Vary(*stream, std::move(command));
  operation->stream = stream;
  operation->call = CurrentCall();
  operation->thread = CurrentThreadId();
  operation->list = list;
  Submit(operation, Now());
  if (kernel && HasFault("ze_device_lost")) LoseDevice();
  return operation;
}

ze_result_t Append(ze_command_list_handle_t handle, Command command, const Events& events,
                   bool needs_compute) {
  const WaitClass wait_class = ClassOf(command.kind);
  Target target;
  {
    EngineLock lock(EngineMutex());
    const auto list = Find<List>(handle);
    if (list == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (list->closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (needs_compute && list->ordinal != kComputeOrdinal)
      return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
    if (const ze_result_t bad = AddEvents(*list, events, &command); bad != ZE_RESULT_SUCCESS)
      return bad;
    command.call = CurrentCall();
    command.appended_ns = Now();
    auto appended = std::make_shared<const Command>(std::move(command));
    if (list->stream == nullptr || list->graph != nullptr) {
      (list->graph != nullptr ? *list->graph : *list).commands.push_back(std::move(appended));
      return ZE_RESULT_SUCCESS;
    }
    const auto operation = SubmitCommand(list->stream, std::move(appended), 0);
    if (list->synchronous && !events.more_follow) target.operations.push_back(operation);
  }
  MoveBytes();
  if (target.operations.empty()) return ZE_RESULT_SUCCESS;
  return HostWait(wait_class, target, Record::kAlways);
}

ze_result_t CheckLists(const Lists& lists, uint32_t ordinal) {
  for (const auto& list : lists) {
    if (list == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (list->stream != nullptr || list->ordinal != ordinal)
      return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
    if (!list->closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  }
  return ZE_RESULT_SUCCESS;
}

ze_result_t AppendLists(ze_command_list_handle_t handle, uint32_t count,
                        const ze_command_list_handle_t* handles, const Events& events) {
  Target target;
  {
    EngineLock lock(EngineMutex());
    const auto list = Find<List>(handle);
    if (list == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (list->stream == nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    Lists lists;
    for (uint32_t i = 0; i < count; ++i) lists.push_back(Find<List>(handles[i]));
    ze_result_t bad = CheckLists(lists, list->ordinal);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    Command before, behind;
    bad = AddEvents(*list, {nullptr, events.count, events.waits}, &before);
    if (bad == ZE_RESULT_SUCCESS) bad = AddEvents(*list, {events.signal, 0, nullptr}, &behind);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    // The event's times are those of all lists together.
    behind.signal_since = std::make_shared<uint64_t>(0);
    before.body_at_end = [since = behind.signal_since](uint64_t end_ns) { *since = end_ns; };
    SubmitCommand(list->stream, std::make_shared<const Command>(std::move(before)), 0);
    std::shared_ptr<Operation> last;
    for (const auto& appended : lists) {
      for (const auto& command : appended->commands)
        last = SubmitCommand(list->stream, command, appended->id);
    }
    const auto mark =
        SubmitCommand(list->stream, std::make_shared<const Command>(std::move(behind)), 0);
    // S1: the lists' commands; the mark behind them is only the event's, or that of empty lists.
    if (list->synchronous)
      target.operations.push_back(events.signal != nullptr || last == nullptr ? mark : last);
  }
  MoveBytes();
  if (target.operations.empty()) return ZE_RESULT_SUCCESS;
  return HostWait(WaitClass::kStream, target, Record::kAlways);
}

}  // namespace simgpu::level_zero
