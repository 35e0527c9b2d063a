// SPDX-License-Identifier: Apache-2.0
// The rows of docs/waits.md about synchronising, querying, launching, streams, events and graphs.
#include "tests/simulated_gpu/facts/kernels.h"
#include "tests/simulated_gpu/facts/waits.h"

namespace facts {

const std::vector<Row> kExplicitRows = {
    {"device_synchronize.blocking_busy", &Things::a, [](Things&) { cudaDeviceSynchronize(); }},
    {"device_synchronize.non_blocking_busy", &Things::non_blocking,
     [](Things&) { cudaDeviceSynchronize(); }},
    {"stream_synchronize.same", &Things::a, [](Things& t) { cudaStreamSynchronize(t.a); }},
    {"stream_synchronize.other_blocking", &Things::a,
     [](Things& t) { cudaStreamSynchronize(t.b); }},
    {"stream_synchronize.blocking_while_legacy_busy", &Things::legacy,
     [](Things& t) { cudaStreamSynchronize(t.b); }},
    {"stream_synchronize.legacy_while_legacy_busy", &Things::legacy,
     [](Things&) { cudaStreamSynchronize(nullptr); }},
    {"stream_synchronize.legacy_while_blocking_busy", &Things::a,
     [](Things&) { cudaStreamSynchronize(nullptr); }},
    {"stream_synchronize.legacy_while_non_blocking_busy", &Things::non_blocking,
     [](Things&) { cudaStreamSynchronize(nullptr); }},
    {"stream_synchronize.per_thread_while_blocking_busy", &Things::a,
     [](Things&) { cudaStreamSynchronize(cudaStreamPerThread); }},
    {"event_synchronize.recorded", &Things::a, [](Things& t) { cudaEventSynchronize(t.done); }},
    {"event_synchronize.never_recorded", &Things::a,
     [](Things& t) { cudaEventSynchronize(t.never_recorded); }},
    {"event_query", &Things::a, [](Things& t) { cudaEventQuery(t.done); }},
    {"stream_query", &Things::a, [](Things& t) { cudaStreamQuery(t.a); }},
    {"stream_wait_event", &Things::a, [](Things& t) { cudaStreamWaitEvent(t.b, t.done, 0); }},
    {"event_record", &Things::a, [](Things& t) { cudaEventRecord(t.other, t.a); }},
    {"launch_host_function", &Things::a,
     [](Things& t) {
       cudaLaunchHostFunc(
           t.a, [](void*) {}, nullptr);
     }},
    {"launch.same_stream", &Things::a, [](Things& t) { LaunchTiny(t.a); }},
    {"launch.legacy_while_blocking_busy", &Things::a, [](Things&) { LaunchTiny(nullptr); }},
    {"stream_create", &Things::a, [](Things& t) { cudaStreamCreate(&t.scratch_stream); }, nullptr,
     [](Things& t) { cudaStreamDestroy(t.scratch_stream); }},
    {"stream_destroy.busy", &Things::scratch_stream,
     [](Things& t) { cudaStreamDestroy(t.scratch_stream); },
     [](Things& t) { cudaStreamCreate(&t.scratch_stream); }},
    {"event_destroy.pending", &Things::a,
     [](Things& t) {
       cudaEventRecord(t.scratch_event, t.a);
       cudaEventDestroy(t.scratch_event);
     },
     [](Things& t) { cudaEventCreate(&t.scratch_event); }},
    {"graph_instantiate", &Things::a,
     [](Things& t) {
       cudaGraphExec_t e;
       cudaGraphInstantiate(&e, t.graph, 0);
     }},
    {"graph_upload.other_stream", &Things::a, [](Things& t) { cudaGraphUpload(t.exec, t.b); }},
    {"graph_launch.same_stream", &Things::a, [](Things& t) { cudaGraphLaunch(t.exec, t.a); }},
    {"graph_launch.twice", &Things::a,
     [](Things& t) {
       cudaGraphLaunch(t.exec, t.a);
       cudaGraphLaunch(t.exec, t.a);
     }},
};

}  // namespace facts
