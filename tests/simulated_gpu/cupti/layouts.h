// SPDX-License-Identifier: Apache-2.0
// The activity records in the newest form that is known, their size in each CUPTI version, and
// where their times stand.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

#include "tests/simulated_gpu/cupti/version.h"

namespace simgpu::cupti {

// The structs that grew after CUPTI 13.0: its own form, then the fields that later versions append
// (offsets as in the headers of 13.5). Each older form is a prefix, so a record of any version is
// the first bytes of these.
struct KernelRecord {
  CUpti_ActivityKernel10 known;
  int32_t priority;  // 13.1
  uint32_t padding4;
  uint32_t execution_model;  // 13.3
  uint32_t padding5;
  uint32_t source_graph_id;  // 13.4
  uint32_t padding6;
  uint64_t source_graph_node_id;
};

template <typename Known>
struct WithSourceGraph {  // copies and memsets, 13.4
  Known known;
  uint32_t source_graph_id;
  uint32_t padding;
  uint64_t source_graph_node_id;
};
using MemcpyRecord = WithSourceGraph<CUpti_ActivityMemcpy6>;
using MemsetRecord = WithSourceGraph<CUpti_ActivityMemset4>;

struct DeviceRecord {
  CUpti_ActivityDevice5 known;
  uint32_t tpcs;  // 13.2
  uint32_t reserved;
};

struct ContextRecord {
  CUpti_ActivityContext3 known;
  uint64_t process_id;  // 13.2
};

struct EventRecord {
  CUpti_ActivityCudaEvent2 known;
  uint64_t graph_node_id;  // 13.5
  uint32_t graph_id, source_graph_id;
  uint64_t source_graph_node_id;
};

// The size of a record of this kind in this version; 0 where the kind is not modelled.
size_t RecordSize(uint32_t kind, Version version);

// Whether cuptiActivityEnable knows the kind at all in this version, modelled or not.
bool KindExists(uint32_t kind, Version version);

// Where a record's times stand, in bytes from its begin; 0 where it has none.
struct TimeFields {
  uint16_t start, end, completed;
};
TimeFields TimesOf(uint32_t kind);

// What the fault `garbage` mixes in: a kind that no header knows.
inline constexpr uint32_t kGarbageKind = 250;
inline constexpr size_t kGarbageSize = 64;

}  // namespace simgpu::cupti
