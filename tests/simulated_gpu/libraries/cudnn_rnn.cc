// SPDX-License-Identifier: Apache-2.0
// libcudnn's recurrent networks: the layout of their weights, and for each layer and direction a
// matrix product over all steps and a kernel for the recurrence.
#include "tests/simulated_gpu/libraries/cudnn.h"

using simgpu::cudnn::Handle;
using simgpu::cudnn::kBadParameter;
using simgpu::cudnn::kSuccess;
using simgpu::cudnn::Tensor;
using simgpu::libraries::Gemm;

namespace {

constexpr size_t kSpace = 1 << 16;  // a workspace that nothing is written to
constexpr double kStepUs = 1.5;     // of the recurrence, at least

struct Rnn {
  int cell = 0, bias = 0, direction = 0, type = 0;
  int input = 0, hidden = 0, projection = 0, layers = 0;

  // cudnnRNNMode_t: with ReLU or tanh one gate, LSTM four, GRU three. A product for the input and
  // one for the state each.
  int Gates() const { return cell == 2 ? 4 : cell == 3 ? 3 : 1; }
  int Directions() const { return direction == 0 ? 1 : 2; }
  bool Projects() const { return projection > 0 && projection < hidden; }
  int Output() const { return Projects() ? projection : hidden; }
  int InputOf(int pseudo_layer) const {
    return pseudo_layer < Directions() ? input : Output() * Directions();
  }
  size_t Width() const {
    return static_cast<size_t>(simgpu::libraries::Width(simgpu::cudnn::PrecisionOf(type)));
  }

  // Elements of one matrix: `id` counts those for the input, then those for the state; an LSTM's
  // projection comes last.
  size_t Rows(int id) const { return static_cast<size_t>(id == 2 * Gates() ? projection : hidden); }
  size_t Columns(int pseudo_layer, int id) const {
    if (id == 2 * Gates()) return static_cast<size_t>(hidden);
    return static_cast<size_t>(id < Gates() ? InputOf(pseudo_layer) : Output());
  }
  int Matrices() const { return 2 * Gates() + (Projects() ? 1 : 0); }
  bool HasBias(int id) const {
    if (id >= 2 * Gates()) return false;
    return bias == 2 || (bias == 1 && id < Gates()) || (bias == 3 && id >= Gates());
  }
  // All matrices of a layer and direction stand before its biases.
  size_t MatrixOffset(int pseudo_layer, int id) const {
    size_t at = 0;
    for (int i = 0; i < id; ++i) at += Rows(i) * Columns(pseudo_layer, i);
    return at;
  }
  size_t BiasOffset(int pseudo_layer, int id) const {
    size_t at = MatrixOffset(pseudo_layer, Matrices());
    for (int i = 0; i < id; ++i) at += HasBias(i) ? Rows(i) : 0;
    return at;
  }
  size_t LayerSize(int pseudo_layer) const { return BiasOffset(pseudo_layer, Matrices()); }
  size_t LayerOffset(int pseudo_layer) const {
    size_t at = 0;
    for (int i = 0; i < pseudo_layer; ++i) at += LayerSize(i);
    return at;
  }
  int PseudoLayers() const { return layers * Directions(); }
  const char* CellName() const { return cell == 2 ? "lstm" : cell == 3 ? "gru" : "rnn"; }
};

struct Data {
  int length = 0, batch = 0;
};

// For each layer and direction the products of all steps, then the steps one after the other.
int Run(const Handle* handle, const Rnn& rnn, const Data& data, const char* pass) {
  for (int layer = 0; layer < rnn.PseudoLayers(); ++layer) {
    const double gates = rnn.Gates() * rnn.hidden;
    const Gemm inputs{gates, double(data.length) * data.batch, double(rnn.InputOf(layer)), 1,
                      simgpu::cudnn::PrecisionOf(rnn.type)};
    const Gemm state{gates, double(data.batch), double(rnn.Output()), 1, inputs.precision};
    if (const int error =
            simgpu::cudnn::Launch(handle, inputs.KernelName(1, 0), inputs.Grid(), inputs.Us()))
      return error;
    const std::string name = std::string("simulated_") + rnn.CellName() + "_" + pass;
    const double us = data.length * (kStepUs + state.Us() / 4);
    if (const int error = simgpu::cudnn::Launch(handle, name, state.Grid(), us)) return error;
  }
  return kSuccess;
}

}  // namespace

SIMGPU_LIBRARY int cudnnCreateRNNDescriptor(Rnn** rnn) {
  *rnn = new Rnn;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnDestroyRNNDescriptor(Rnn* rnn) {
  delete rnn;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnSetRNNDescriptor_v8(Rnn* rnn, int /*algorithm*/, int cell, int bias,
                                            int direction, int /*input_mode*/, int type,
                                            int /*math_precision*/, int /*math_type*/,
                                            int32_t input, int32_t hidden, int32_t projection,
                                            int32_t layers) {
  if (input <= 0 || hidden <= 0 || layers <= 0) return kBadParameter;
  *rnn = {cell, bias, direction, type, input, hidden, projection, layers};
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnCreateRNNDataDescriptor(Data** data) {
  *data = new Data;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnDestroyRNNDataDescriptor(Data* data) {
  delete data;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnSetRNNDataDescriptor(Data* data, int /*type*/, int /*layout*/, int length,
                                             int batch) {
  *data = {length, batch};
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnGetRNNWeightSpaceSize(Handle*, const Rnn* rnn, size_t* bytes) {
  *bytes = rnn->LayerOffset(rnn->PseudoLayers()) * rnn->Width();
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnGetRNNTempSpaceSizes(Handle*, const Rnn*, int, const Data*,
                                             size_t* workspace, size_t* reserve) {
  if (workspace != nullptr) *workspace = kSpace;
  if (reserve != nullptr) *reserve = kSpace;
  return kSuccess;
}

// Who wants the matrix alone, or the bias, passes null for the other. A bias that is not there is a
// null address and a descriptor without dimensions.
SIMGPU_LIBRARY int cudnnGetRNNWeightParams(Handle*, const Rnn* rnn, int32_t pseudo_layer, size_t,
                                           char* space, int32_t id, Tensor* matrix,
                                           void** matrix_address, Tensor* bias,
                                           void** bias_address) {
  if (pseudo_layer < 0 || pseudo_layer >= rnn->PseudoLayers()) return kBadParameter;
  const bool there = id >= 0 && id < rnn->Matrices();
  char* const layer = space + rnn->LayerOffset(pseudo_layer) * rnn->Width();
  const int rows = there ? static_cast<int>(rnn->Rows(id)) : 0;
  const int columns = there ? static_cast<int>(rnn->Columns(pseudo_layer, id)) : 0;
  if (matrix != nullptr) {
    *matrix = Tensor{rnn->type, {}, {}};
    *matrix_address = nullptr;
    if (there) {
      *matrix = {rnn->type, {1, rows, columns}, {rows * columns, columns, 1}};
      *matrix_address = layer + rnn->MatrixOffset(pseudo_layer, id) * rnn->Width();
    }
  }
  if (bias != nullptr) {
    *bias = Tensor{rnn->type, {}, {}};
    *bias_address = nullptr;
    if (there && rnn->HasBias(id)) {
      *bias = {rnn->type, {1, rows, 1}, {rows, 1, 1}};
      *bias_address = layer + rnn->BiasOffset(pseudo_layer, id) * rnn->Width();
    }
  }
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnRNNForward(Handle* handle, const Rnn* rnn, int, const int32_t*,
                                   const Data* x) {
  return Run(handle, *rnn, *x, "forward");
}

SIMGPU_LIBRARY int cudnnRNNBackwardData_v8(Handle* handle, const Rnn* rnn, const int32_t*,
                                           const Data* y) {
  return Run(handle, *rnn, *y, "backward_data");
}

SIMGPU_LIBRARY int cudnnRNNBackwardWeights_v8(Handle* handle, const Rnn* rnn, int, const int32_t*,
                                              const Data* x) {
  return Run(handle, *rnn, *x, "backward_weights");
}
