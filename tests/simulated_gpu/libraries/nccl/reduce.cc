// SPDX-License-Identifier: Apache-2.0
// Reductions, computed by the host.
#include "tests/simulated_gpu/libraries/nccl/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace simgpu::nccl {
namespace {

// How elements of a type are read and written; a value is what is computed with.
template <typename T>
struct Plain {
  using Value = T;
  static constexpr size_t kBytes = sizeof(T);
  static T Load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static void Store(char* at, T value) { std::memcpy(at, &value, sizeof value); }
};

struct Bfloat16 {
  using Value = float;
  static constexpr size_t kBytes = 2;
  static float Load(const char* at) {
    const uint32_t bits = uint32_t{Plain<uint16_t>::Load(at)} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  static void Store(char* at, float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (!std::isnan(value)) bits += 0x7fff + (bits >> 16 & 1);  // to the nearest, ties to even
    Plain<uint16_t>::Store(at, static_cast<uint16_t>(bits >> 16));
  }
};

struct Float16 {
  using Value = float;
  static constexpr size_t kBytes = 2;
  static constexpr int kBias = 15, kFraction = 10, kMostExponent = 31;
  static float Load(const char* at) {
    const uint16_t bits = Plain<uint16_t>::Load(at);
    const int exponent = bits >> kFraction & kMostExponent, fraction = bits & 1023;
    const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
    if (exponent == kMostExponent) return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
    return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - kBias - kFraction);
  }
  static void Store(char* at, float value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    Plain<uint16_t>::Store(at, static_cast<uint16_t>(sign | Magnitude(std::fabs(value))));
  }

 private:
  static uint16_t Magnitude(float value) {
    if (std::isnan(value)) return 0x7e00;
    if (value >= 65520.0f) return 0x7c00;  // rounds to infinity
    int exponent = 0;
    std::frexp(value, &exponent);  // value is in [2^(exponent-1), 2^exponent)
    const int scale = std::max(exponent - 1, 1 - kBias) - kFraction;
    // A fraction of 11 bits; one that rounds up to 12 carries into the exponent by itself.
    const auto fraction = static_cast<int>(std::nearbyint(std::ldexp(value, -scale)));
    return static_cast<uint16_t>(((scale + kFraction + kBias - 1) << kFraction) + fraction);
  }
};

template <typename Type>
void ReduceAs(Reduction reduction, const std::vector<const char*>& inputs, char* output,
              size_t elements) {
  using Value = typename Type::Value;
  for (size_t i = 0; i < elements; ++i) {
    const size_t at = i * Type::kBytes;
    Value total = Type::Load(inputs[0] + at);
    for (size_t rank = 1; rank < inputs.size(); ++rank) {
      const Value next = Type::Load(inputs[rank] + at);
      switch (reduction) {
        case kProd:
          total = static_cast<Value>(total * next);
          break;
        case kMax:
          total = std::max(total, next);
          break;
        case kMin:
          total = std::min(total, next);
          break;
        default:
          total = static_cast<Value>(total + next);
      }
    }
    if (reduction == kAverage)
      total = static_cast<Value>(total / static_cast<Value>(inputs.size()));
    Type::Store(output + at, total);
  }
}

template <typename Type>
void ScaleAs(const void* factor, char* data, size_t elements) {
  using Value = typename Type::Value;
  const Value by = Type::Load(static_cast<const char*>(factor));
  for (size_t i = 0; i < elements; ++i) {
    char* at = data + i * Type::kBytes;
    Type::Store(at, static_cast<Value>(Type::Load(at) * by));
  }
}

}  // namespace

// X(number, how it is read and written)
#define SIMGPU_NCCL_ARITHMETIC(X) \
  X(kInt8, Plain<int8_t>)         \
  X(kUint8, Plain<uint8_t>)       \
  X(kInt32, Plain<int32_t>)       \
  X(kUint32, Plain<uint32_t>)     \
  X(kInt64, Plain<int64_t>)       \
  X(kUint64, Plain<uint64_t>)     \
  X(kFloat16, Float16)            \
  X(kFloat32, Plain<float>)       \
  X(kFloat64, Plain<double>)      \
  X(kBfloat16, Bfloat16)

void Reduce(DataType type, Reduction reduction, const std::vector<const char*>& inputs,
            char* output, size_t elements) {
  switch (type) {
#define SIMGPU_NCCL_REDUCE(number, as) \
  case number:                         \
    return ReduceAs<as>(reduction, inputs, output, elements);
    SIMGPU_NCCL_ARITHMETIC(SIMGPU_NCCL_REDUCE)
#undef SIMGPU_NCCL_REDUCE
    default:
      std::memcpy(output, inputs[0], elements * SizeOf(type));
  }
}

void Scale(DataType type, const void* factor, char* data, size_t elements) {
  switch (type) {
#define SIMGPU_NCCL_SCALE(number, as) \
  case number:                        \
    return ScaleAs<as>(factor, data, elements);
    SIMGPU_NCCL_ARITHMETIC(SIMGPU_NCCL_SCALE)
#undef SIMGPU_NCCL_SCALE
    default:
      return;
  }
}

}  // namespace simgpu::nccl
