// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12 as a program of CUDA 12 sees it, without its headers or compiler: names,
// parameters and sizes of structs.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

// By full path, so that libcudart finds this libcuda.so.1 as one already loaded.
void* Runtime12() {
  static void* const library = [] {
    dlopen(SIMGPU_LIBRARY_DIR "/libcuda.so.1", RTLD_NOW);
    return dlopen(SIMGPU_LIBRARY_DIR "/libcudart.so.12", RTLD_NOW);
  }();
  return library;
}

template <class... Arguments>
int Call(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(Runtime12(), name));
  if (function == nullptr) {
    ADD_FAILURE() << "libcudart.so.12 has no " << name;
    return -1;
  }
  return function(arguments...);
}

// How many bytes a call wrote from the front of a buffer, whose bytes were `fill`.
size_t Written(const std::vector<unsigned char>& bytes, unsigned char fill) {
  size_t size = bytes.size();
  while (size > 0 && bytes[size - 1] == fill) --size;
  return size;
}

int IntAt(const std::vector<unsigned char>& bytes, size_t offset) {
  int value = 0;
  std::memcpy(&value, &bytes[offset], sizeof value);
  return value;
}

// Offsets and sizes below: `offsetof` and `sizeof` with the headers of CUDA 12.4 and 12.9.
TEST(Forms12, PropertiesLieWhereCuda12LooksForThem) {
  std::vector<unsigned char> properties(2048, 0x5a);
  ASSERT_EQ(Call("cudaGetDeviceProperties_v2", static_cast<void*>(properties.data()), 0), 0);
  EXPECT_EQ(Written(properties, 0x5a), 1032u);
  const struct {
    int attribute;
    size_t offset;
  } rows[] = {{13, 348}, {16, 388}, {31, 576}, {33, 584},
              {40, 600}, {41, 604}, {36, 608}, {75, 360}};
  for (const auto& row : rows) {
    int value = -1;
    ASSERT_EQ(Call("cudaDeviceGetAttribute", &value, row.attribute, 0), 0);
    EXPECT_EQ(IntAt(properties, row.offset), value) << "attribute " << row.attribute;
  }
}

TEST(Forms12, PointerAttributesAreThoseOfCuda12) {
  void* memory = nullptr;
  ASSERT_EQ(Call("cudaMalloc", &memory, size_t{4096}), 0);
  const unsigned char fills[] = {0x5a, 0xa5};  // the last field may end with either
  for (const unsigned char fill : fills) {
    std::vector<unsigned char> attributes(256, fill);
    ASSERT_EQ(Call("cudaPointerGetAttributes", static_cast<void*>(attributes.data()), memory), 0);
    EXPECT_LE(Written(attributes, fill), 24u);
    EXPECT_EQ(IntAt(attributes, 0), 2);  // device memory
  }
  EXPECT_EQ(Call("cudaFree", memory), 0);
}

TEST(Forms12, LocationsAreNumbersOfDevices) {
  void* memory = nullptr;
  ASSERT_EQ(Call("cudaMallocManaged", &memory, size_t{4096}, 1u), 0);
  constexpr int kHost = -1;
  for (const int device : {0, kHost}) {
    EXPECT_EQ(Call("cudaMemAdvise", memory, size_t{4096}, 3, device), 0);
    EXPECT_EQ(Call("cudaMemPrefetchAsync", memory, size_t{4096}, device, nullptr), 0);
    EXPECT_EQ(Call("cudaMemPrefetchAsync_ptsz", memory, size_t{4096}, device, nullptr), 0);
  }
  EXPECT_EQ(Call("cudaThreadSynchronize"), 0);
  EXPECT_EQ(Call("cudaFree", memory), 0);
}

TEST(Forms12, GraphsHaveNoEdgeDataUnderThePlainNames) {
  void *graph = nullptr, *a = nullptr, *b = nullptr, *found = nullptr;
  ASSERT_EQ(Call("cudaGraphCreate", &graph, 0u), 0);
  ASSERT_EQ(Call("cudaGraphAddEmptyNode", &a, graph, nullptr, size_t{0}), 0);
  ASSERT_EQ(Call("cudaGraphAddEmptyNode", &b, graph, nullptr, size_t{0}), 0);
  ASSERT_EQ(Call("cudaGraphAddDependencies", graph, &a, &b, size_t{1}), 0);
  size_t count = 1;
  EXPECT_EQ(Call("cudaGraphNodeGetDependencies", b, &found, &count), 0);
  EXPECT_TRUE(count == 1 && found == a);
  EXPECT_EQ(Call("cudaGraphGetEdges", graph, nullptr, nullptr, &count), 0);
  EXPECT_EQ(count, 1u);
  count = 0;
  EXPECT_EQ(Call("cudaGraphGetEdges_v2", graph, nullptr, nullptr, nullptr, &count), 0);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(Call("cudaGraphRemoveDependencies", graph, &a, &b, size_t{1}), 0);
  EXPECT_EQ(Call("cudaGraphGetEdges", graph, nullptr, nullptr, &count), 0);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(Call("cudaGraphDestroy", graph), 0);
}

}  // namespace
