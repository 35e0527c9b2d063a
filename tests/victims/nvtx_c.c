/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface: nested push/pop, marks, start/end, a domain with registered strings, categories,
 * payloads of each type. */
#include "range.h"

static nvtxEventAttributes_t message(const char* text) {
  nvtxEventAttributes_t a;
  memset(&a, 0, sizeof a);
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = text;
  return a;
}

static void payload(const char* name, int32_t type, nvtxEventAttributes_t a) {
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = name;
  a.payloadType = type;
  nvtxRangePushEx(&a);
  nvtxRangePop();
}

static void payloads(void) {
  nvtxEventAttributes_t a = message("");
  a.payload.ullValue = UINT64_MAX;
  payload("u64", NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, a);
  a.payload.llValue = -5;
  payload("i64", NVTX_PAYLOAD_TYPE_INT64, a);
  a.payload.dValue = 2.5;
  payload("f64", NVTX_PAYLOAD_TYPE_DOUBLE, a);
  a.payload.uiValue = 4000000000u;
  payload("u32", NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, a);
  a.payload.iValue = -7;
  payload("i32", NVTX_PAYLOAD_TYPE_INT32, a);
  a.payload.fValue = 0.5f;
  payload("f32", NVTX_PAYLOAD_TYPE_FLOAT, a);
}

static void domain(void) {
  nvtxDomainHandle_t d = nvtxDomainCreateA("physics");
  nvtxDomainNameCategoryA(d, 3, "solver");
  nvtxEventAttributes_t a = message("");
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = nvtxDomainRegisterStringA(d, "registered");
  a.category = 3;
  a.colorType = NVTX_COLOR_ARGB;
  a.color = 0xff00ff00u;
  nvtxDomainRangePushEx(d, &a);
  nvtxEventAttributes_t inner = message("in domain");
  nvtxDomainRangePushEx(d, &inner);
  nvtxDomainRangePop(d);
  nvtxDomainRangePop(d);
  nvtxDomainMarkEx(d, &inner);
  nvtxRangeId_t id = nvtxDomainRangeStartEx(d, &a);
  nvtxDomainRangeEnd(d, id);
  nvtxDomainDestroy(d);
}

static void resource(void) {
  static int lock;
  nvtxResourceAttributes_t a;
  memset(&a, 0, sizeof a);
  a.version = NVTX_VERSION;
  a.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  a.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
  a.identifier.pValue = &lock;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "lock of the queue";
  nvtxDomainResourceDestroy(nvtxDomainResourceCreate(NULL, &a));
}

int main(void) {
  nvtxNameOsThreadA((uint32_t)getpid(), "chief");
  nvtxNameCategoryA(1, "phase");
  nvtxRangePushA("main");
  nvtxRangePushA("first");
  nvtxRangePop();
  nvtxRangePushW(L"wide \u00e9\u20ac");
  nvtxRangePop();
  nvtxMarkA("here");
  nvtxRangeId_t a = nvtxRangeStartA("overlap a");
  nvtxRangeId_t b = nvtxRangeStartA("overlap b");
  nvtxRangeEnd(a);
  nvtxRangeEnd(b);
  payloads();
  domain();
  resource();
  nvtxRangePop();
  puts("done");
  return 0;
}
