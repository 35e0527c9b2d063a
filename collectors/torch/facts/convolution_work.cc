// SPDX-License-Identifier: Apache-2.0
// Convolutions, transposed ones, and their gradients: each of those takes what the convolution
// takes.
#include <algorithm>

#include "collectors/torch/facts/operator_work.h"

namespace syncline::torch {
namespace {

constexpr int kAbsent = -1;

// Where the inputs stand; the first one is what is convolved, the second one the weights.
struct ConvolutionRow {
  std::string_view name;
  int bias, stride, padding, dilation;
  int transposed = kAbsent;      // a flag; kAbsent: as `always_transposed` says
  int output_padding = kAbsent;  // of a transposed one, as is the next
  int groups = kAbsent;
  bool always_transposed = false;
};

constexpr ConvolutionRow kConvolutions[] = {
    {"convolution", 2, 3, 4, 5, 6, 7, 8},
    {"_convolution", 2, 3, 4, 5, 6, 7, 8},
    {"convolution_overrideable", 2, 3, 4, 5, 6, 7, 8},
    {"cudnn_convolution", kAbsent, 3, 2, 4},
    {"cudnn_convolution_relu", 2, 3, 4, 5},
    {"cudnn_convolution_add_relu", 4, 5, 6, 7},
    {"cudnn_convolution_transpose", kAbsent, 4, 2, 5, kAbsent, 3, 6, true},
    {"mkldnn_convolution", 2, 4, 3, 5},
    {"_slow_conv2d_forward", 3, 4, 5, kAbsent},
    {"slow_conv3d_forward", 3, 4, 5, kAbsent},
    {"_conv_depthwise2d", 3, 4, 5, 6},
    {"conv_depthwise3d", 3, 4, 5, 6},
    {"slow_conv_dilated2d", 3, 4, 5, 6},
    {"slow_conv_dilated3d", 3, 4, 5, 6},
    {"slow_conv_transpose2d", 3, 4, 5, 7, kAbsent, 6, kAbsent, true},
    {"slow_conv_transpose3d", 3, 4, 5, 7, kAbsent, 6, kAbsent, true},
};

// Numbers of a list, of which one may stand for all dimensions.
class Spatial {
 public:
  // `otherwise`: where there is no such input.
  Spatial(ArgumentValues inputs, int at, int64_t otherwise) : otherwise_(otherwise) {
    if (at == kAbsent) return;
    const auto place = static_cast<size_t>(at);
    known_ = place < inputs.size() && inputs[place].kind == Argument::kScalars &&
             !inputs[place].values.empty();
    if (known_) values_ = inputs[place].values;
  }
  bool Has(size_t dims) const {
    return known_ && (values_.size() <= 1 || values_.size() == dims) &&
           std::all_of(values_.begin(), values_.end(), [](int64_t value) {
             constexpr int64_t kMost = int64_t{1} << 40;
             return value >= 0 && value < kMost;
           });
  }
  int64_t operator[](size_t dim) const {
    return values_.empty() ? otherwise_ : values_[values_.size() == 1 ? 0 : dim];
  }

 private:
  bool known_ = true;
  int64_t otherwise_;
  std::span<const int64_t> values_{};
};

bool FlagAt(ArgumentValues inputs, size_t at, bool* flag) {
  if (at >= inputs.size() || inputs[at].kind != Argument::kBool) return false;
  *flag = inputs[at].number != 0;
  return true;
}

// Of dimensions behind the first two.
uint64_t SpatialSizes(const ArgumentValue& tensor) {
  uint64_t product = 1;
  for (size_t i = 2; i < tensor.values.size(); ++i) product = Times({product, SizeOf(tensor, i)});
  return product;
}

// `at`: how many points of a batch's item the weights are put to.
uint64_t FlopsAt(uint64_t at, uint64_t batch, const ArgumentValue& weight) {
  return Times({2, at, SpatialSizes(weight), batch, SizeOf(weight, 0), SizeOf(weight, 1)});
}

// Points of the result; 0 where the weights reach beyond the input.
std::optional<uint64_t> PointsOfResult(const ConvolutionRow& row, ArgumentValues inputs,
                                       bool transposed) {
  constexpr int64_t kMost = int64_t{1} << 20;  // of what is multiplied
  const ArgumentValue &input = inputs[0], &weight = inputs[1];
  const size_t dims = input.values.size() - 2;
  const Spatial stride(inputs, row.stride, 1), padding(inputs, row.padding, 0),
      dilation(inputs, row.dilation, 1), more(inputs, row.output_padding, 0);
  if (!stride.Has(dims) || !padding.Has(dims) || !dilation.Has(dims)) return std::nullopt;
  if (transposed && !more.Has(dims)) return std::nullopt;
  uint64_t points = 1;
  for (size_t i = 0; i < dims; ++i) {
    const int64_t in = input.values[i + 2], kernel = weight.values[i + 2];
    if (stride[i] == 0 || dilation[i] > kMost || stride[i] > kMost || kernel > kMost ||
        in > int64_t{1} << 40)
      return std::nullopt;
    const int64_t reach = dilation[i] * (kernel - 1);
    const int64_t out = transposed ? (in - 1) * stride[i] - 2 * padding[i] + reach + more[i] + 1
                        : in + 2 * padding[i] < reach + 1
                            ? 0
                            : (in + 2 * padding[i] - reach - 1) / stride[i] + 1;
    points = Times({points, static_cast<uint64_t>(std::max<int64_t>(out, 0))});
  }
  return points;
}

// Both with at least one dimension behind the first two, and as many.
bool AreConvolved(const ArgumentValue* input, const ArgumentValue* weight) {
  return input != nullptr && weight != nullptr && input->values.size() >= 3 &&
         input->values.size() == weight->values.size();
}

uint64_t GroupsOf(const ConvolutionRow& row, ArgumentValues inputs) {
  const auto place = static_cast<size_t>(row.groups);
  if (row.groups == kAbsent || place >= inputs.size() || inputs[place].kind != Argument::kInt)
    return 1;
  return static_cast<uint64_t>(std::max<int64_t>(inputs[place].values[0], 1));
}

// Groups make the weights' second size smaller, and so are in the FLOPs.
std::optional<OperatorCost> WorkOfRow(const ConvolutionRow& row, ArgumentValues inputs) {
  const ArgumentValue *const input = TensorAt(inputs, 0), *const weight = TensorAt(inputs, 1);
  bool transposed = row.always_transposed;
  if (!AreConvolved(input, weight)) return std::nullopt;
  if (row.transposed != kAbsent &&
      !FlagAt(inputs, static_cast<size_t>(row.transposed), &transposed))
    return std::nullopt;
  const std::optional<uint64_t> points = PointsOfResult(row, inputs, transposed);
  if (!points) return std::nullopt;
  const uint64_t batch = SizeOf(*input, 0);
  const uint64_t channels =
      transposed ? Times({SizeOf(*weight, 1), GroupsOf(row, inputs)}) : SizeOf(*weight, 0);
  ByteSum moved;
  moved.Read(input).Read(weight).Add(Times({batch, channels, *points}), input->type);
  if (row.bias != kAbsent) moved.Read(TensorAt(inputs, static_cast<size_t>(row.bias)));
  return OperatorCost{FlopsAt(transposed ? SpatialSizes(*input) : *points, batch, *weight),
                      moved.sum(), FormatOf(*input)};
}

// (grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
// groups, output_mask)
std::optional<OperatorCost> GradientsOf(ArgumentValues inputs) {
  constexpr size_t kTransposed = 7, kMask = 10;
  const ArgumentValue *const grad = TensorAt(inputs, 0), *const input = TensorAt(inputs, 1),
                             *const weight = TensorAt(inputs, 2);
  bool transposed = false;
  if (!AreConvolved(input, weight) || !AreConvolved(grad, weight) ||
      SizeOf(*grad, 0) != SizeOf(*input, 0) || !FlagAt(inputs, kTransposed, &transposed) ||
      kMask >= inputs.size() || inputs[kMask].kind != Argument::kScalars ||
      inputs[kMask].values.size() != 3)
    return std::nullopt;
  const auto wanted = [&](size_t which) { return inputs[kMask].values[which] != 0; };
  const uint64_t once =
      FlopsAt(SpatialSizes(transposed ? *input : *grad), SizeOf(*grad, 0), *weight);
  ByteSum moved;
  moved.Read(grad);
  if (wanted(0))
    moved.Read(weight).Add(Times({SizeOf(*input, 0), SizeOf(*input, 1), SpatialSizes(*input)}),
                           input->type);
  if (wanted(1))
    moved.Read(input).Add(Times({SizeOf(*weight, 0), SizeOf(*weight, 1), SpatialSizes(*weight)}),
                          weight->type);
  if (wanted(2)) moved.Add(SizeOf(*grad, 1), grad->type);
  const uint64_t gradients = (wanted(0) ? 1u : 0u) + (wanted(1) ? 1u : 0u);
  return OperatorCost{Times({gradients, once}), moved.sum(), FormatOf(*grad)};
}

}  // namespace

std::optional<OperatorCost> WorkOfConvolution(std::string_view name, std::string_view bytes) {
  if (name == "convolution_backward") return GradientsOf(ReadArgumentValues(bytes));
  const ConvolutionRow* const row = FindRow<ConvolutionRow>(kConvolutions, name);
  if (row == nullptr) return std::nullopt;
  return WorkOfRow(*row, ReadArgumentValues(bytes));
}

}  // namespace syncline::torch
