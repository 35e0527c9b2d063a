// SPDX-License-Identifier: Apache-2.0
// The truth file's lines of CUDA operations.
#include "tests/simulated_gpu/engine/timeline.h"
#include "tests/simulated_gpu/engine/truth.h"

namespace simgpu {
namespace {

constexpr const char* kOperationNames[] = {"kernel",       "memcpy",       "memset",
                                           "collective",   "graph_launch", "host_function",
                                           "event_record", "stream_wait"};
constexpr const char* kCopyNames[] = {"",     "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                      "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};

void AddOperation(TruthLine* line, const Work& work) {
  const Operation& op = work.op;
  line->Text("name", op.name)
      .Number("id", op.id)
      .Number("device", op.device)
      .Number("context", op.context_id)
      .Number("stream", op.stream_id)
      .Number("correlation", op.correlation)
      .Number("queued_ns", op.queued_ns);
}

void AddRest(TruthLine* line, const Work& work) {
  const Operation& op = work.op;
  if (op.kind == OperationKind::kMemcpy || op.kind == OperationKind::kMemset)
    line->Number("bytes", op.bytes);
  if (op.kind == OperationKind::kMemcpy)
    line->Text("copy_kind", kCopyNames[static_cast<size_t>(op.copy_kind)]);
  line->Text("call", work.call).Number("thread", work.thread);
  if (op.graph_exec_id != 0) line->Number("graph", op.graph_exec_id);
  if (op.event_id != 0) line->Number("event", op.event_id);
  line->Number("waits_for", work.waits_for);
}

void AddFacts(TruthLine* line, const CollectiveFacts& facts) {
  line->Number("communicator", facts.communicator)
      .Number("sequence", facts.sequence)
      .Number("rank", facts.rank)
      .Number("ranks", facts.ranks)
      .Number("bytes", facts.bytes)
      .Number("last_rank", facts.last_rank)
      .Number("last_ns", facts.last_ns)
      .Flag("aborted", facts.aborted);
}

}  // namespace

void WriteOperation(const Work& work) {
  if (!TruthIsOn()) return;
  TruthLine line(kOperationNames[static_cast<size_t>(work.op.kind)]);
  AddOperation(&line, work);
  line.Number("start_ns", work.op.start_ns).Number("end_ns", work.op.end_ns);
  AddRest(&line, work);
  if (work.op.kind == OperationKind::kCollective) AddFacts(&line, work.facts);
  line.Write();
}

void WriteSubmitted(const Work& work) {
  if (!TruthIsOn()) return;
  TruthLine line("submitted");
  line.Text("kind", kOperationNames[static_cast<size_t>(work.op.kind)]);
  AddOperation(&line, work);
  AddRest(&line, work);
  line.Write();
}

}  // namespace simgpu
