/* SPDX-License-Identifier: Apache-2.0 */
/* Extended payloads: a struct by a registered schema, as NCCL does it, with a nested struct, an
 * array and an enum. */
#include "range.h"

#include <nvtx3/nvToolsExtPayload.h>

struct Inner {
  int32_t x;
  double y;
};
struct Outer {
  uint64_t bytes;
  int32_t op;
  float ratio;
  struct Inner inner;
  uint16_t list[3];
  char text[8];
};

static uint64_t register_schema(nvtxDomainHandle_t d, const char* name,
                                const nvtxPayloadSchemaEntry_t* entries, size_t count,
                                size_t size) {
  nvtxPayloadSchemaAttr_t attr;
  memset(&attr, 0, sizeof attr);
  attr.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  attr.name = name;
  attr.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  attr.entries = entries;
  attr.numEntries = count;
  attr.payloadStaticSize = size;
  return nvtxPayloadSchemaRegister(d, &attr);
}

int main(void) {
  nvtxDomainHandle_t d = nvtxDomainCreateA("payloads");
  require(nvtxDomainIsEnabled(d) == 1 || getenv("NVTX_INJECTION64_PATH") == NULL,
          "the domain is not enabled");
  const nvtxPayloadSchemaEntry_t inner[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "x", NULL, 0, offsetof(struct Inner, x), NULL, NULL},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "y", NULL, 0, offsetof(struct Inner, y), NULL, NULL}};
  uint64_t inner_id = register_schema(d, "Inner", inner, 2, sizeof(struct Inner));
  const nvtxPayloadSchemaEntry_t outer[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", NULL, 0, offsetof(struct Outer, bytes), NULL,
       NULL},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "op", NULL, 0, offsetof(struct Outer, op), NULL, NULL},
      {0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "ratio", NULL, 0, offsetof(struct Outer, ratio), NULL,
       NULL},
      {0, inner_id, "inner", NULL, 0, offsetof(struct Outer, inner), NULL, NULL},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "list", NULL, 3,
       offsetof(struct Outer, list), NULL, NULL},
      {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", NULL, 8,
       offsetof(struct Outer, text), NULL, NULL}};
  uint64_t outer_id = register_schema(d, "Outer", outer, 6, sizeof(struct Outer));
  for (int i = 0; i < 3; ++i) {
    struct Outer value = {1000u + (uint64_t)i, i, 0.5f, {-i, 0.25 * i}, {1, 2, 3}, "text"};
    nvtxPayloadData_t data = {outer_id, sizeof value, &value};
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = "with payload";
    a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    a.reserved0 = 1;
    a.payload.ullValue = (uint64_t)(uintptr_t)&data;
    nvtxDomainRangePushEx(d, &a);
    nvtxDomainRangePop(d);
  }
  return 0;
}
