// SPDX-License-Identifier: Apache-2.0
// A Python object holds the address of its c10::TensorImpl, and that one the object's. Where both
// are found once, all others are read, each by this circle and its own count of elements.
#include "collectors/torch/tensor_objects.h"

#include <cstring>

#include "collectors/torch/gradients.h"
#include "collectors/torch/input_layout.h"
#include "inject/core/array_reader.h"
#include "inject/core/foreign_memory.h"
#include "inject/core/sys.h"

namespace syncline::torch {
namespace {

// THPVariable: behind the head of an object the tensor, in some versions behind a flag.
constexpr size_t kTensorPlaces[] = {16, 24};
constexpr size_t kBehindHead = 16;
constexpr size_t kFirstBack = 24, kLastBack = 96;  // of the object's address in the TensorImpl
constexpr uint64_t kOwnershipBit = 1;              // in it, of some versions
constexpr size_t kDeviceBehindSizes = 106;  // std::optional<Device>; before 2.4 a class of c10's
constexpr uint64_t kMostKnownDims = kMostArrayDims;

struct ObjectLayout {
  size_t tensor;  // in the object; 0: not known yet
  size_t back;    // of the object's address in the tensor; the sizes follow
};
ObjectLayout g_object_layout;  // under the interpreter's lock
uint32_t g_failures;           // before it was known
bool g_flag_is_before;         // of a device that may be none
constexpr uint32_t kMostFailures = 1000;

// Of c10::ScalarType, as Python names them.
constexpr const char* kDtypes[] = {"uint8",
                                   "int8",
                                   "int16",
                                   "int32",
                                   "int64",
                                   "float16",
                                   "float32",
                                   "float64",
                                   "complex32",
                                   "complex64",
                                   "complex128",
                                   "bool",
                                   "qint8",
                                   "quint8",
                                   "qint32",
                                   "bfloat16",
                                   "quint4x2",
                                   "quint2x4",
                                   "bits1x8",
                                   "bits2x4",
                                   "bits4x2",
                                   "bits8",
                                   "bits16",
                                   "float8_e5m2",
                                   "float8_e4m3fn",
                                   "float8_e5m2fnuz",
                                   "float8_e4m3fnuz",
                                   "uint16",
                                   "uint32",
                                   "uint64",
                                   "uint1",
                                   "uint2",
                                   "uint3",
                                   "uint4",
                                   "uint5",
                                   "uint6",
                                   "uint7",
                                   "int1",
                                   "int2",
                                   "int3",
                                   "int4",
                                   "int5",
                                   "int6",
                                   "int7",
                                   "float8_e8m0fnu",
                                   "float4_e2m1fn_x2"};
// Of c10::DeviceType.
constexpr const char* kDevices[] = {"cpu", "cuda", "mkldnn",       "opengl", "opencl", "ideep",
                                    "hip", "fpga", "maia",         "xla",    "vulkan", "metal",
                                    "xpu", "mps",  "meta",         "hpu",    "ve",     "lazy",
                                    "ipu", "mtia", "privateuseone"};
constexpr size_t kDtypeCount = sizeof(kDtypes) / sizeof(*kDtypes);
constexpr size_t kDeviceCount = sizeof(kDevices) / sizeof(*kDevices);

// Every read asks the kernel: of objects that nobody has vouched for.
template <typename T>
bool Ask(uint64_t address, T* out) {
  return ReadForeign(address, out, sizeof(*out));
}

template <typename T>
T At(const void* object, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof(value));
  return value;
}

// Whether a tensor whose sizes begin there has as many elements as they say.
bool AreSizes(uint64_t sizes) {
  uint64_t dims, more;
  int64_t size[kMostKnownDims], count, elements = 1;
  if (!Ask(sizes, &dims) || dims > kMostKnownDims || !Ask(sizes + kCountBehindSizes, &count))
    return false;
  uint64_t from = sizes + sizeof(uint64_t);
  if (dims > kInlineDims) {
    if (!Ask(from, &more)) return false;
    from = more;
  }
  if (dims != 0 && !ReadForeign(from, size, dims * sizeof(*size))) return false;
  for (uint64_t i = 0; i < dims; ++i) {
    if (size[i] < 0 || __builtin_mul_overflow(elements, size[i], &elements)) return false;
  }
  return elements == count;
}

bool FindBack(uint64_t object, uint64_t tensor, size_t* out) {
  for (size_t back = kFirstBack; back <= kLastBack; back += sizeof(uint64_t)) {
    uint64_t word;
    if (!Ask(tensor + back, &word)) return false;
    if ((word & ~kOwnershipBit) != object || !AreSizes(tensor + back + sizeof(word))) continue;
    *out = back;
    return true;
  }
  return false;
}

__attribute__((noinline)) bool LearnObjects(const void* object) {
  const ErrnoKeeper keeper;
  const auto address = reinterpret_cast<uintptr_t>(object);
  if (g_failures == kMostFailures) return false;
  for (const size_t place : kTensorPlaces) {
    uint64_t tensor;
    size_t back;
    if (!Ask(address + place, &tensor) || tensor == 0 || tensor % sizeof(tensor) != 0) continue;
    if (!FindBack(address, tensor, &back)) continue;
    g_object_layout = {place, back};
    return true;
  }
  ++g_failures;
  return false;
}

bool ReadSizes(const char* sizes, ArrayFacts* out) {
  const auto dims = At<uint64_t>(sizes, 0);
  if (dims > kMostKnownDims) return false;
  out->dims = dims;
  const void* from = sizes + sizeof(uint64_t);
  if (dims > kInlineDims) from = At<const void*>(from, 0);
  std::memcpy(out->sizes, from, dims * sizeof(*out->sizes));
  int64_t elements = 1;
  for (size_t i = 0; i < dims; ++i) {
    if (__builtin_mul_overflow(elements, out->sizes[i], &elements)) return false;
  }
  return elements == At<int64_t>(sizes, kCountBehindSizes);
}

struct Device {
  uint8_t type;
  int index;
};

// Whether there is one stands behind it, or before it in older versions. False: there is none.
bool ReadDevice(const char* sizes, Device* out) {
  const auto first = At<uint8_t>(sizes, kDeviceBehindSizes);
  const auto second = At<uint8_t>(sizes, kDeviceBehindSizes + 1);
  const auto third = At<uint8_t>(sizes, kDeviceBehindSizes + 2);
  const bool is_behind = third == 1 && !(g_flag_is_before && first == 1);
  if (!is_behind && first != 1) return false;
  if (third != 1) g_flag_is_before = !is_behind;  // else it may be an index
  const uint8_t index = is_behind ? second : third;
  *out = {is_behind ? first : second, index < 0x80 ? index : -1};  // an int8_t
  return out->type < kDeviceCount;
}

bool ReadTensor(const void* object, ArrayFacts* out) {
  if (g_object_layout.tensor == 0 && !LearnObjects(object)) return false;
  const auto* tensor = At<const char*>(object, g_object_layout.tensor);
  if (tensor == nullptr) return false;
  const uint64_t back = At<uint64_t>(tensor, g_object_layout.back) & ~kOwnershipBit;
  if (back != reinterpret_cast<uintptr_t>(object)) return false;
  const char* sizes = tensor + g_object_layout.back + sizeof(uint64_t);
  const uint32_t policy = At<uint8_t>(sizes, kPolicyBehindSizes) >> 2 & 3u;
  const auto type = At<uint16_t>(sizes, kTypeBehindSizes);
  Device device;
  if (policy >= kCustomSizes || type >= kDtypeCount || !ReadDevice(sizes, &device)) return false;
  out->dtype = kDtypes[type];
  out->device = kDevices[device.type];
  out->device_number = device.index;
  out->needs_gradient = NeedsGradient(tensor);
  return ReadSizes(sizes, out);
}

// THPDtype: behind the head its c10::ScalarType and its name, which vouch for each other.
bool ReadType(const void* object, const char** dtype) {
  const auto type = At<uint8_t>(object, kBehindHead);
  const char* name = static_cast<const char*>(object) + kBehindHead + 1;
  if (type >= kDtypeCount || std::strcmp(name, kDtypes[type]) != 0) return false;
  *dtype = kDtypes[type];
  return true;
}

// THPDevice: behind the head its c10::Device.
bool ReadDeviceObject(const void* object, ArrayFacts* out) {
  const auto type = At<uint8_t>(object, kBehindHead);
  if (type >= kDeviceCount) return false;
  out->device = kDevices[type];
  const auto index = At<uint8_t>(object, kBehindHead + 1);
  out->device_number = index < 0x80 ? index : -1;  // an int8_t
  return true;
}

constexpr const char* kClasses[] = {"torch._C.TensorBase", "torch._C._TensorBase", nullptr};
constexpr ArrayReader kReader = {kClasses,       ReadTensor,       "torch.dtype", ReadType,
                                 "torch.device", ReadDeviceObject, AreGradientsOn};

}  // namespace

void OfferTensors() { g_array_reader.store(&kReader, std::memory_order_release); }

}  // namespace syncline::torch
