// SPDX-License-Identifier: Apache-2.0
// libcudnn's graph interface: descriptors made of descriptors, one engine for every graph, and the
// execution of a plan as one kernel whose time follows from the convolutions, products and
// attentions in the graph.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "tests/simulated_gpu/libraries/cudnn.h"

using simgpu::cudnn::Handle;
using simgpu::cudnn::kBadParameter;
using simgpu::cudnn::kSuccess;
using simgpu::libraries::Precision;

namespace {

// cudnnBackendDescriptorType_t
enum Type {
  kConvolutionForward = 10,
  kConvolutionBackwardFilter = 11,
  kConvolutionBackwardData = 12,
  kGraph = 15,
  kTensor = 17,
  kEngine = 2,
  kMatmul = 19,
  kNormForward = 29,
  kNormBackward = 30,
  kAttentionForward = 41,
  kAttentionBackward = 43,
};

// cudnnBackendAttributeName_t
enum Attribute {
  kHeuristicResults = 202,
  kConfigEngine = 300,
  kConfigWorkspace = 303,
  kConfigSharedMemory = 304,
  kPlanWorkspace = 402,
  kGraphOperations = 801,
  kGraphEngines = 802,
  kTensorType = 901,
  kTensorDimensions = 902,
  kTensorIsVirtual = 907,
  kEngineGraph = 1300,
  kEngineIndex = 1301,
  kMatmulA = 1520,
  kMatmulC = 1522,
  kForwardQ = 2800,
  kForwardK = 2801,
  kBackwardQ = 2851,
  kBackwardK = 2852,
};

// cudnnBackendAttributeType_t
constexpr int kTypeBoolean = 2, kTypeDescriptor = 15;

// What a descriptor says. It lives as long as one that was built from it.
struct Content {
  int type;
  std::map<int, std::vector<std::shared_ptr<Content>>> parts;  // by attribute
  std::vector<int64_t> dimensions;
  int data_type = 0;
  bool is_virtual = false;

  double Elements() const {
    double count = 1;
    for (int64_t dimension : dimensions) count *= static_cast<double>(dimension);
    return count;
  }
};

// What the program holds.
struct Descriptor {
  std::shared_ptr<Content> content;
};

const Content* Part(const Content& of, int attribute) {
  const auto found = of.parts.find(attribute);
  return found == of.parts.end() || found->second.empty() ? nullptr : found->second[0].get();
}

// Plans lead to their engine configuration, that to its engine, that to the graph.
std::shared_ptr<Content> GraphOf(const std::shared_ptr<Content>& content) {
  if (content->type == kGraph) return content;
  for (const auto& [attribute, parts] : content->parts) {
    for (const auto& part : parts) {
      if (auto graph = GraphOf(part)) return graph;
    }
  }
  return nullptr;
}

// The attributes of a convolution's filter, input and output tensors.
struct ConvolutionTensors {
  int type, filter, x, y;
  const char* name;
};

constexpr ConvolutionTensors kConvolutions[] = {
    {kConvolutionForward, 703, 704, 705, "simulated_convolution_forward"},
    {kConvolutionBackwardFilter, 715, 716, 717, "simulated_convolution_backward_filter"},
    {kConvolutionBackwardData, 709, 710, 711, "simulated_convolution_backward_data"},
};

// What one pass over a graph finds.
struct Summary {
  double flops = 0, bytes = 0, output = 1;
  Precision precision = Precision::kF32;
  int matmuls = 0;
  std::string name;
  std::set<const Content*> tensors;

  void Add(const Content& operation);
  void AddTensors(const Content& operation);
  void AddConvolution(const Content& operation, const ConvolutionTensors& row);
  void AddMatmul(const Content& operation);
  void AddAttention(const Content& operation, bool forward);
};

void Summary::AddTensors(const Content& operation) {
  for (const auto& [attribute, parts] : operation.parts) {
    for (const auto& part : parts) {
      if (part->type != kTensor || part->is_virtual || !tensors.insert(part.get()).second) continue;
      bytes += part->Elements() * Width(simgpu::cudnn::PrecisionOf(part->data_type));
      output = std::max(output, part->Elements());
    }
  }
}

void Summary::AddConvolution(const Content& operation, const ConvolutionTensors& row) {
  const Content *filter = Part(operation, row.filter), *y = Part(operation, row.y);
  name = row.name;
  if (filter == nullptr || y == nullptr || filter->dimensions.empty()) return;
  // A filter is K, C by groups, then the window: each element of y takes all of it but K.
  flops += 2 * y->Elements() * filter->Elements() / static_cast<double>(filter->dimensions[0]);
  precision = simgpu::cudnn::PrecisionOf(y->data_type);
}

void Summary::AddMatmul(const Content& operation) {
  const Content *a = Part(operation, kMatmulA), *c = Part(operation, kMatmulC);
  ++matmuls;
  if (a == nullptr || c == nullptr || a->dimensions.empty()) return;
  flops += 2 * c->Elements() * static_cast<double>(a->dimensions.back());
  if (!a->is_virtual) precision = simgpu::cudnn::PrecisionOf(a->data_type);
}

// Tensors are batch, heads, sequence, width. Backward is five products where forward is two.
void Summary::AddAttention(const Content& operation, bool forward) {
  const Content* q = Part(operation, forward ? kForwardQ : kBackwardQ);
  const Content* k = Part(operation, forward ? kForwardK : kBackwardK);
  matmuls += forward ? 2 : 5;
  if (q == nullptr || k == nullptr || k->dimensions.size() != 4) return;
  flops += (forward ? 4 : 10) * q->Elements() * static_cast<double>(k->dimensions[2]);
  precision = simgpu::cudnn::PrecisionOf(q->data_type);
}

void Summary::Add(const Content& operation) {
  AddTensors(operation);
  for (const ConvolutionTensors& row : kConvolutions) {
    if (operation.type == row.type) AddConvolution(operation, row);
  }
  if (operation.type == kMatmul) AddMatmul(operation);
  if (operation.type == kAttentionForward) AddAttention(operation, true);
  if (operation.type == kAttentionBackward) AddAttention(operation, false);
  if (operation.type == kNormForward && name.empty()) name = "simulated_norm_forward";
  if (operation.type == kNormBackward && name.empty()) name = "simulated_norm_backward";
}

Summary Summarize(const Content& graph) {
  Summary summary;
  const auto operations = graph.parts.find(kGraphOperations);
  if (operations != graph.parts.end()) {
    for (const auto& operation : operations->second) summary.Add(*operation);
  }
  if (summary.matmuls == 1) summary.name = "simulated_matmul";
  if (summary.matmuls > 1) {
    summary.name =
        summary.matmuls < 4 ? "simulated_attention_forward" : "simulated_attention_backward";
  }
  if (summary.name.empty()) summary.name = "simulated_pointwise";
  summary.name += std::string("_") + simgpu::libraries::Name(summary.precision);
  return summary;
}

template <class T>
int Give(T value, int64_t wanted, int64_t* count, void* out) {
  if (count != nullptr) *count = 1;
  if (wanted > 0 && out != nullptr) *static_cast<T*>(out) = value;
  return kSuccess;
}

// `out` holds descriptors that the program made. The graph is all that is handed on.
int GiveGraph(const Content& from, int attribute, int64_t wanted, int64_t* count, void* out) {
  const auto graph = GraphOf(std::make_shared<Content>(from));
  if (graph == nullptr) return kBadParameter;
  if (count != nullptr) *count = 1;
  if (wanted <= 0 || out == nullptr) return kSuccess;
  Content& target = *static_cast<Descriptor**>(out)[0]->content;
  if (attribute == kConfigEngine) {
    target.parts[kEngineGraph] = {graph};
    return kSuccess;
  }
  auto engine = std::make_shared<Content>();
  engine->type = kEngine;
  engine->parts[kEngineGraph] = {graph};
  target.parts[kConfigEngine] = {engine};
  return kSuccess;
}

}  // namespace

SIMGPU_LIBRARY int cudnnBackendCreateDescriptor(int type, Descriptor** descriptor) {
  *descriptor = new Descriptor{std::make_shared<Content>()};
  (*descriptor)->content->type = type;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnBackendDestroyDescriptor(Descriptor* descriptor) {
  delete descriptor;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnBackendFinalize(Descriptor*) { return kSuccess; }

SIMGPU_LIBRARY int cudnnBackendSetAttribute(Descriptor* descriptor, int attribute, int type,
                                            int64_t count, const void* elements) {
  Content& content = *descriptor->content;
  if (count > 0 && elements == nullptr) return kBadParameter;
  if (type == kTypeDescriptor) {
    auto& parts = content.parts[attribute];
    parts.clear();
    for (int64_t i = 0; i < count; ++i) {
      const Descriptor* part = static_cast<Descriptor* const*>(elements)[i];
      if (part != nullptr) parts.push_back(part->content);
    }
  } else if (attribute == kTensorDimensions) {
    const auto* dimensions = static_cast<const int64_t*>(elements);
    content.dimensions.assign(dimensions, dimensions + count);
  } else if (attribute == kTensorType && count == 1) {
    content.data_type = *static_cast<const int*>(elements);
  } else if (attribute == kTensorIsVirtual && type == kTypeBoolean && count == 1) {
    content.is_virtual = *static_cast<const bool*>(elements);
  }
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnBackendGetAttribute(Descriptor* descriptor, int attribute, int /*type*/,
                                            int64_t wanted, int64_t* count, void* out) {
  switch (attribute) {
    case kHeuristicResults:
    case kConfigEngine:
      return GiveGraph(*descriptor->content, attribute, wanted, count, out);
    case kPlanWorkspace:
    case kConfigWorkspace:
    case kEngineIndex:
      return Give<int64_t>(0, wanted, count, out);
    case kGraphEngines:
      return Give<int64_t>(1, wanted, count, out);
    case kConfigSharedMemory:
      return Give<int32_t>(0, wanted, count, out);
    default:
      if (count != nullptr) *count = 0;  // no knobs, no notes
      return kSuccess;
  }
}

SIMGPU_LIBRARY int cudnnBackendExecute(Handle* handle, Descriptor* plan, Descriptor*) {
  const auto graph = GraphOf(plan->content);
  if (graph == nullptr) return kBadParameter;
  const Summary summary = Summarize(*graph);
  const double us =
      simgpu::libraries::Microseconds(summary.flops, summary.bytes, summary.precision);
  const double blocks = std::clamp(summary.output / 16384, 1.0, 65535.0);
  return simgpu::cudnn::Launch(handle, summary.name, {static_cast<uint32_t>(blocks), 256}, us);
}
