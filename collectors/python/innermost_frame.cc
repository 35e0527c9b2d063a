// SPDX-License-Identifier: Apache-2.0
// A PyFrameObject, from 3.11 on an _PyInterpreterFrame.
#include "collectors/python/innermost_frame.h"

#include "collectors/python/objects.h"
#include "inject/core/python_layout.h"

namespace syncline::python {
namespace {

const PythonLayout* g_of_frames;  // null: another version

const void* FrameOf(const void* state) {
  const void* frame = ReadAt<const void*>(state, g_of_frames->state_frame);
  return g_of_frames->cframe_frame == kNoOffset
             ? frame
             : ReadAt<const void*>(frame, g_of_frames->cframe_frame);
}

}  // namespace

void PrepareFrames(uint32_t version) {
  const bool is_usual = g_api->PyThreadState_Get != nullptr &&
                        // A build for debugging has larger objects.
                        g_api->PySys_GetObject("getobjects") == nullptr;
  if (is_usual) g_of_frames = LayoutOfPython(version);
}

bool AreFramesKnown() { return g_of_frames != nullptr; }

bool AreCellsApart() {
  constexpr uint16_t kFirstInPlace = 0x30b;  // 3.11
  return g_of_frames->python < kFirstInPlace;
}

const void* FrameOfThread(const void* code) {
  const void* frame = FrameOf(g_api->PyThreadState_Get());
  const bool runs_it =
      frame != nullptr && ReadAt<const void*>(frame, g_of_frames->frame_code) == code;
  return runs_it ? frame : nullptr;
}

const void* LocalOf(const void* frame, size_t place) {
  const auto at = static_cast<int64_t>(place * sizeof(void*));
  return ReadAt<const void*>(frame, g_of_frames->frame_locals + at);
}

}  // namespace syncline::python
