// SPDX-License-Identifier: Apache-2.0
// The truth file's lines of operations. Marks (barriers, signals, fences) have none.
#include "tests/simulated_gpu/level_zero/truth_lines.h"

#include "tests/simulated_gpu/engine/truth.h"

namespace simgpu::level_zero {
namespace {

constexpr const char* kKindNames[] = {"kernel", "memcpy", "memset", "mark"};

const char* NameOf(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return "HtoD";
    case CopyKind::kDeviceToHost:
      return "DtoH";
    case CopyKind::kDeviceToDevice:
      return "DtoD";
    case CopyKind::kPeerToPeer:
      return "PtoP";
    default:
      return "HtoH";
  }
}

bool IsWritten(const Operation& operation) {
  return TruthIsOn() && operation.command->kind != CommandKind::kMark;
}

const char* KindOf(const Operation& operation) {
  return kKindNames[static_cast<size_t>(operation.command->kind)];
}

void AddIdentity(TruthLine* line, const Operation& operation) {
  const Stream& stream = *operation.stream;
  line->Text("name", operation.command->name)
      .Number("id", operation.id)
      .Number("device", stream.device)
      .Number("context", stream.context)
      .Number("stream", stream.id)
      .Number("correlation", 0)
      .Number("queued_ns", operation.queued_ns);
  if (stream.sub_device >= 0) line->Number("sub_device", static_cast<uint64_t>(stream.sub_device));
}

void AddRest(TruthLine* line, const Operation& operation) {
  const Command& command = *operation.command;
  if (command.kind != CommandKind::kKernel) line->Number("bytes", command.bytes);
  if (command.kind == CommandKind::kMemcpy) line->Text("copy_kind", NameOf(command.copy_kind));
  line->Text("call", operation.call)
      .Number("thread", operation.thread)
      .Number("ordinal", operation.stream->ordinal);
  if (operation.list != 0) {
    line->Number("list", operation.list)
        .Text("append", command.call)
        .Number("appended_ns", command.appended_ns);
  }
}

}  // namespace

void WriteOperation(const Operation& operation) {
  if (!IsWritten(operation)) return;
  TruthLine line(KindOf(operation));
  AddIdentity(&line, operation);
  line.Number("start_ns", operation.start_ns).Number("end_ns", operation.end_ns);
  AddRest(&line, operation);
  line.Number("waits_for_id", operation.waits_for).Write();
}

void WriteSubmitted(const Operation& operation) {
  if (!IsWritten(operation)) return;
  TruthLine line("submitted");
  line.Text("kind", KindOf(operation));
  AddIdentity(&line, operation);
  AddRest(&line, operation);
  line.Write();
}

}  // namespace simgpu::level_zero
