// SPDX-License-Identifier: Apache-2.0
// Threads' events come in no order: they are put in order when all were read.
#include "writers/memory/memory_history_sink.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/run/program_name.h"

namespace syncline {
namespace {

constexpr size_t kMostEvents = 1 << 20;

std::vector<MemoryFrame> FramesOf(const CodeStack& stack) {
  std::vector<MemoryFrame> frames;
  for (const CodeStack::Frame* frame : stack.frames) {
    if (frame->kind != FrameKind::kPython && frame->kind != FrameKind::kNative) continue;
    frames.push_back({std::string(frame->file.empty() ? frame->module : frame->file), frame->line,
                      std::string(frame->function)});
  }
  return frames;
}

}  // namespace

class MemoryHistorySink::Collector : public RecordSink {
 public:
  explicit Collector(ProgramRun* run) : run_(*run) {}

  unsigned Interests() const override { return kMemory | kStacks; }
  void OnMemory(Stream& stream, const MemoryRecord& record) override {
    if (events_.size() == kMostEvents) return void(++left_out_);
    HistoryEvent event;
    const bool is_none = (record.head.flags & kOutOfMemory) != 0;
    event.action = is_none            ? HistoryAction::kOutOfMemory
                   : record.bytes < 0 ? HistoryAction::kGiveBack
                                      : HistoryAction::kTake;
    event.device = record.device;
    event.stack = NumberOf(stream.stack());
    event.time_ns = run_.timeline.Convert(record.ticks);
    event.address = record.address;
    event.bytes = static_cast<uint64_t>(record.bytes < 0 ? -record.bytes : record.bytes);
    event.held = record.held;
    events_.push_back(event);
  }

  bool empty() const { return events_.empty(); }

  void Write(MemoryHistoryWriter* writer) {
    writer->Process(run_.outer_pid, ProgramName(run_.facts));
    for (const std::vector<MemoryFrame>& frames : stacks_) writer->Stack(frames);
    std::stable_sort(
        events_.begin(), events_.end(),
        [](const HistoryEvent& a, const HistoryEvent& b) { return a.time_ns < b.time_ns; });
    for (const HistoryEvent& event : events_) writer->Event(event);
    if (left_out_ != 0) writer->LeftOut(left_out_);
  }

 private:
  uint32_t NumberOf(const CodeStack* stack) {
    if (stack == nullptr) return 0;
    const auto [known, is_new] =
        numbers_.try_emplace(stack, static_cast<uint32_t>(stacks_.size() + 1));
    if (is_new) stacks_.push_back(FramesOf(*stack));
    return known->second;
  }

  ProgramRun& run_;
  std::vector<HistoryEvent> events_;
  uint64_t left_out_ = 0;
  std::vector<std::vector<MemoryFrame>> stacks_;
  std::unordered_map<const CodeStack*, uint32_t> numbers_;
};

MemoryHistorySink::MemoryHistorySink(std::string path)
    : path_(std::move(path)), compressed_(&file_), writer_(&compressed_) {}
MemoryHistorySink::~MemoryHistorySink() = default;

RecordSink* MemoryHistorySink::BeginRun(ProgramRun* run) {
  collector_ = run->memory == nullptr ? nullptr : std::make_unique<Collector>(run);
  return collector_.get();
}

Status MemoryHistorySink::EndRun(ProgramRun* /*run*/) {
  const std::unique_ptr<Collector> collector = std::move(collector_);
  if (collector == nullptr || collector->empty()) return Status();
  if (!std::exchange(is_open_, true)) {
    if (Status status = file_.Open(path_); !status.ok()) return status;
  }
  collector->Write(&writer_);
  return Status();
}

Status MemoryHistorySink::Finish(RankManifest* /*manifest*/, const RunFindings& /*findings*/) {
  if (!is_open_) return Status();
  const Status written = writer_.Finish();
  return written.ok() ? file_.Commit() : written;
}

}  // namespace syncline
