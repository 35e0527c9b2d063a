// SPDX-License-Identifier: Apache-2.0
// Two instances of one kernel and another one, launched in and out of ranges of three kinds. For each launch a line on stdout
// says the function and the ranges around it in the words of `ncu`: `media@name/`, those of start/end without a slash.
#include <nvtx3/nvToolsExt.h>

#include <string>
#include <vector>

#include "check.h"

namespace parts {
template <typename T>
__global__ void Scale(T* x) { x[threadIdx.x] *= 2; }
}  // namespace parts
__global__ void Shift(float* x) { x[threadIdx.x] += 1; }

static nvtxDomainHandle_t media;
static std::vector<std::string> open_ranges;

static nvtxEventAttributes_t Named(const std::string& name) {
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name.c_str();
  return event;
}

class Range {
 public:
  explicit Range(const std::string& name) {
    nvtxRangePushA(name.c_str());
    open_ranges.push_back(name + "/");
  }
  ~Range() {
    nvtxRangePop();
    open_ranges.pop_back();
  }
};

class MediaRange {
 public:
  explicit MediaRange(const std::string& name) {
    const nvtxEventAttributes_t event = Named(name);
    nvtxDomainRangePushEx(media, &event);
    open_ranges.push_back("media@" + name + "/");
  }
  ~MediaRange() {
    nvtxDomainRangePop(media);
    open_ranges.pop_back();
  }
};

static void Say(const char* function) {
  std::printf("%s", function);
  for (const std::string& range : open_ranges) std::printf("\t%s", range.c_str());
  std::printf("\n");
}

static void Scale(float* x, int times) {
  for (int i = 0; i < times; ++i) {
    Say("Scale");
    parts::Scale<<<8, 128>>>(x);
  }
}

int main() {
  media = nvtxDomainCreateA("media");
  DeviceArray<float> x(4096);
  DeviceArray<int> n(4096);
  {
    const Range range("warm-up");
    Scale(x.get(), 3);
  }
  for (int step = 0; step < 4; ++step) {
    const Range whole("step " + std::to_string(step));
    Say("Scale");
    parts::Scale<<<1, 128>>>(n.get());
    {
      const MediaRange stage("de[noise]*/2");
      Scale(x.get(), 2 + step);
      Say("Shift");
      Shift<<<1, 128>>>(x.get());
    }
    Scale(x.get(), 1);
    CUDA(cudaDeviceSynchronize());
  }
  const nvtxRangeId_t job = nvtxRangeStartA("job");
  open_ranges.push_back("job");
  Scale(x.get(), 5);
  nvtxRangeEnd(job);
  open_ranges.pop_back();
  Scale(x.get(), 2);
  CUDA(cudaDeviceSynchronize());
  return 0;
}
