/* SPDX-License-Identifier: Apache-2.0 */
/* Acts as the NVTX version 2 library does: version 0, 16 core functions, 15 of the second table;
 * then records. */
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCore = 16, kCore2 = 15, kCanary = 4 };

static int (*push)(const char*);
static int (*pop)(void);
static void* slots[64];
static void* other[64];
static void** core[kCore + kCanary];
static void** core2[kCore2 + kCanary];
static void* canary = (void*)0x5a5a;

static int NVTX_API get_table(NvtxCallbackModule module, NvtxFunctionTable* table,
                              unsigned int* size) {
  if (module == NVTX_CB_MODULE_CORE) {
    *table = (NvtxFunctionTable)core;
    *size = kCore;
    return 1;
  }
  if (module == NVTX_CB_MODULE_CORE2) {
    *table = (NvtxFunctionTable)core2;
    *size = kCore2;
    return 1;
  }
  *table = NULL;
  *size = 0;
  return 0;
}

static const void* NVTX_API export_table(uint32_t id) {
  static NvtxExportTableCallbacks callbacks = {sizeof callbacks, get_table};
  static NvtxExportTableVersionInfo version = {sizeof version, 0, 0, 0};
  if (id == NVTX_ETID_CALLBACKS) return &callbacks;
  return id == NVTX_ETID_VERSIONINFO ? (const void*)&version : NULL;
}

int main(void) {
  for (int i = 0; i < kCore + kCanary; ++i) core[i] = i < kCore ? &slots[i] : &canary;
  for (int i = 0; i < kCore2 + kCanary; ++i) core2[i] = i < kCore2 ? &other[i] : &canary;
  core[NVTX_CBID_CORE_RangePushA] = (void**)&push;
  core[NVTX_CBID_CORE_RangePop] = (void**)&pop;
  const char* path = getenv("NVTX_INJECTION64_PATH");
  void* library = path ? dlopen(path, RTLD_LAZY) : NULL;
  NvtxInitializeInjectionNvtxFunc_t initialise;
  *(void**)&initialise = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
  if (initialise && initialise(export_table) != 1) return 90;
  if (canary != (void*)0x5a5a) return 91; /* wrote beyond the size that the table has */
  if (push) push("from version 2");
  if (pop) pop();
  puts("done");
  return 0;
}
