// SPDX-License-Identifier: Apache-2.0
// Devices, contexts, streams, modules and graphs: callbacks of the resource domain, and their
// records.
#include "tests/simulated_gpu/cupti/client.h"
#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/hooks.h"
#include "tests/simulated_gpu/cupti/records.h"
#include "tests/simulated_gpu/cupti/subscribers.h"

namespace simgpu::cupti {
namespace {

void CallResource(uint32_t cbid, const Resource& resource, void* descriptor) {
  CUpti_ResourceData data{};
  data.context = static_cast<CUcontext>(resource.context);
  if (resource.kind == ResourceKind::kStream)
    data.resourceHandle.stream = static_cast<CUstream>(resource.handle);
  data.resourceDescriptor = descriptor;
  CallAll(CUPTI_CB_DOMAIN_RESOURCE, cbid, &data);
}

void CallGraph(const Resource& resource, bool created) {
  CUpti_GraphData graph{};
  graph.nodeType = static_cast<CUgraphNodeType>(resource.node_type);
  switch (resource.kind) {
    case ResourceKind::kGraph: {
      graph.graph = static_cast<CUgraph>(resource.handle);
      const bool cloned = resource.original_id != 0;
      const uint32_t made =
          cloned ? CUPTI_CBID_RESOURCE_GRAPH_CLONED : CUPTI_CBID_RESOURCE_GRAPH_CREATED;
      return CallResource(created ? made : uint32_t{CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING},
                          resource, &graph);
    }
    case ResourceKind::kGraphNode:
      graph.node = static_cast<CUgraphNode>(resource.handle);
      graph.originalNode = static_cast<CUgraphNode>(resource.original);
      CallResource(created ? CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED
                           : CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING,
                   resource, &graph);
      // A clone is told twice, as NVIDIA's sample cuda_graphs_trace has to know.
      if (created && resource.original != nullptr)
        CallResource(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, resource, &graph);
      return;
    default:
      graph.graphExec = static_cast<CUgraphExec>(resource.handle);
      return CallResource(created ? CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED
                                  : CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING,
                          resource, &graph);
  }
}

bool On(uint32_t kind) { return Client::Get().kinds().On(kind); }

}  // namespace

void PutResource(const Resource& resource) {
  const Engine* engine = FindEngine();
  switch (resource.kind) {
    case ResourceKind::kDevice: {
      DeviceInfo info;
      if (!On(CUPTI_ACTIVITY_KIND_DEVICE) || !engine ||
          !engine->device_info(resource.device, &info))
        return;
      const DeviceRecord record = MakeDevice(info);
      return Client::Get().Put(&record, nullptr);
    }
    case ResourceKind::kContext: {
      if (!On(CUPTI_ACTIVITY_KIND_CONTEXT)) return;
      const ContextRecord record = MakeContext(resource);
      return Client::Get().Put(&record, nullptr);
    }
    case ResourceKind::kStream: {
      if (!On(CUPTI_ACTIVITY_KIND_STREAM)) return;
      const uint32_t correlation = engine == nullptr ? 0 : engine->current_correlation();
      const CUpti_ActivityStream record = MakeStream(resource, correlation);
      return Client::Get().Put(&record, nullptr);
    }
    default:
      return;
  }
}

void OnResource(const Resource* resource, bool created) {
  if (created) PutResource(*resource);
  switch (resource->kind) {
    case ResourceKind::kDevice: {
      const Engine* engine = FindEngine();
      // Devices are told inside cuInit; after the last one the driver is up.
      if (created && engine && resource->device + 1 == engine->device_count()) {
        CallResource(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, *resource, nullptr);
      }
      return;
    }
    case ResourceKind::kContext:
      return CallResource(created ? CUPTI_CBID_RESOURCE_CONTEXT_CREATED
                                  : CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                          *resource, nullptr);
    case ResourceKind::kStream:
      return CallResource(created ? CUPTI_CBID_RESOURCE_STREAM_CREATED
                                  : CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,
                          *resource, nullptr);
    case ResourceKind::kEvent:
      return;
    default:
      return CallGraph(*resource, created);
  }
}

void OnModule(const ModuleEvent* event) {
  if (event->loaded && Client::Get().kinds().On(CUPTI_ACTIVITY_KIND_MODULE)) {
    const CUpti_ActivityModule record = MakeModule(*event);
    Client::Get().Put(&record, nullptr);
  }
  CUpti_ModuleResourceData module{};
  module.moduleId = event->module_id;
  module.cubinSize = event->image_bytes;
  module.pCubin = static_cast<const char*>(event->image);
  CUpti_ResourceData data{};
  data.context = static_cast<CUcontext>(event->context);
  data.resourceDescriptor = &module;
  CallAll(CUPTI_CB_DOMAIN_RESOURCE,
          event->loaded ? CUPTI_CBID_RESOURCE_MODULE_LOADED
                        : CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
          &data);
}

const Observer& Hooks() {
  static const Observer& hooks = *[] {
    auto* all = new Observer;
    all->api_enter = OnApiEnter;
    all->api_exit = OnApiExit;
    all->submitted = OnSubmitted;
    all->completed = OnCompleted;
    all->synchronized = OnSynchronized;
    all->memory = OnMemory;
    all->pool = OnPool;
    all->module = OnModule;
    all->resource = OnResource;
    all->overhead = OnOverhead;
    return all;
  }();
  return hooks;
}

}  // namespace simgpu::cupti
