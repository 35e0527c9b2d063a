// SPDX-License-Identifier: Apache-2.0
// What calls of cuBLAS, cuDNN and NCCL look like to CUPTI. Each library is opened at run time and
// may be absent.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <map>
#include <set>
#include <string>

#include "tests/simulated_gpu/facts/cupti_client.h"
#include "tests/simulated_gpu/facts/facts.h"

namespace facts {
namespace {

constexpr int kSide = 256;  // of the matrices

void* Open(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

// A function of a library, by a prototype of ours: none of these headers is needed to build.
template <typename... Arguments>
int CallIn(void* library, const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  return function == nullptr ? -1 : function(arguments...);
}

std::string Joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "+") + name;
  return text.empty() ? "none" : text;
}

// Everything on; what the library did before the call is forgotten.
struct Watch {
  CUpti_SubscriberHandle subscriber = nullptr;
  Watch() {
    if (FindCupti() == nullptr) return;
    Client::Subscribe(&subscriber);
    Client::Register();
    FindCupti()->cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
    FindCupti()->cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
    for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME,
                            CUPTI_ACTIVITY_KIND_DRIVER}) {
      FindCupti()->cuptiActivityEnable(kind);
    }
  }
  void Begin() {
    cudaDeviceSynchronize();
    if (FindCupti() == nullptr) return;
    FindCupti()->cuptiActivityFlushAll(1);
    Client::Forget();
  }
  void End(const std::string& key) {
    cudaDeviceSynchronize();
    if (FindCupti() == nullptr) return Fact(key + ".cupti", "absent");
    FindCupti()->cuptiActivityFlushAll(1);
    std::set<std::string> runtime, driver, names, joined;
    std::map<uint32_t, std::string> launches;
    for (const SeenCall& call : Client::Calls()) {
      const bool is_runtime = call.domain == CUPTI_CB_DOMAIN_RUNTIME_API;
      (is_runtime ? runtime : driver).insert(call.function);
      if (call.function.find("aunch") != std::string::npos)
        launches.emplace(call.correlation, call.function);
    }
    const auto kernels = Client::Records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 0);
    for (const SeenRecord& record : kernels) {
      const auto kernel = record.As<CUpti_ActivityKernel9>();
      names.insert(kernel.name == nullptr ? "null" : std::string(kernel.name).substr(0, 60));
      const auto launch = launches.find(kernel.correlationId);
      joined.insert(launch == launches.end() ? "no call" : launch->second);
    }
    Fact(key + ".runtime_calls", Joined(runtime));
    Fact(key + ".driver_calls", Joined(driver));
    Fact(key + ".kernels", static_cast<long long>(kernels.size()));
    Fact(key + ".kernel_names", Joined(names));
    Fact(key + ".kernels_join", Joined(joined));
  }
};

bool HasDevice(const std::string& key) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return true;
  Fact(key, "no device");
  return false;
}

float* DeviceFloats(size_t count) {
  void* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(float));
  cudaMemset(memory, 0, count * sizeof(float));
  return static_cast<float*>(memory);
}

}  // namespace

void CublasSection() {
  const std::string key = "library.cublas";
  void* library = Open({"libcublas.so.13", "libcublas.so.12"});
  if (library == nullptr) return Fact(key, "absent");
  Watch watch;
  if (!HasDevice(key)) return;
  void* handle = nullptr;
  const int created = CallIn(library, "cublasCreate_v2", &handle);
  Fact(key + ".create", created);
  if (created != 0) return;
  float *a = DeviceFloats(kSide * kSide), *b = DeviceFloats(kSide * kSide),
        *c = DeviceFloats(kSide * kSide);
  const float one = 1;
  const auto multiply = [&] {
    return CallIn(library, "cublasSgemm_v2", handle, 0, 0, kSide, kSide, kSide, &one, a, kSide, b,
                  kSide, &one, c, kSide);
  };
  multiply();
  watch.Begin();
  Fact(key + ".sgemm", multiply());
  watch.End(key);
}

void CudnnSection() {
  const std::string key = "library.cudnn";
  void* library = Open({"libcudnn.so.9", "libcudnn.so.8"});
  if (library == nullptr) return Fact(key, "absent");
  Watch watch;
  if (!HasDevice(key)) return;
  void *handle = nullptr, *tensor = nullptr;
  const int created = CallIn(library, "cudnnCreate", &handle);
  Fact(key + ".create", created);
  if (created != 0) return;
  CallIn(library, "cudnnCreateTensorDescriptor", &tensor);
  CallIn(library, "cudnnSetTensor4dDescriptor", tensor, 0 /* NCHW */, 0 /* float */, 1, 8, kSide,
         kSide);
  float *x = DeviceFloats(8 * kSide * kSide), *y = DeviceFloats(8 * kSide * kSide);
  const float one = 1, zero = 0;
  const auto softmax = [&] {
    return CallIn(library, "cudnnSoftmaxForward", handle, 1 /* accurate */, 1 /* channel */, &one,
                  tensor, x, &zero, tensor, y);
  };
  softmax();
  watch.Begin();
  Fact(key + ".softmax", softmax());
  watch.End(key);
}

void NcclSection() {
  const std::string key = "library.nccl";
  void* library = Open({"libnccl.so.2"});
  if (library == nullptr) return Fact(key, "absent");
  Watch watch;
  if (!HasDevice(key)) return;
  void* communicator = nullptr;
  const int device = 0;
  const int created = CallIn(library, "ncclCommInitAll", &communicator, 1, &device);
  Fact(key + ".init", created);
  if (created != 0) return;
  float *in = DeviceFloats(1 << 16), *out = DeviceFloats(1 << 16);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const auto reduce = [&] {
    return CallIn(library, "ncclAllReduce", in, out, size_t{1 << 16}, 7 /* float */, 0 /* sum */,
                  communicator, stream);
  };
  reduce();
  watch.Begin();
  Fact(key + ".all_reduce", reduce());
  watch.End(key);
}

}  // namespace facts
