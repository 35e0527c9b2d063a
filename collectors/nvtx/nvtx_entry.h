// SPDX-License-Identifier: Apache-2.0
// How the door hands a program's NVTX tables to the collector; free of vendor types.
#pragma once

namespace syncline::nvtx {

// Called by InitializeInjectionNvtx2 (nvtx_door.cc), once for each copy of NVTX in the process,
// from any thread, also at once and from static initialisers. `get_export_table` is a
// NvtxGetExportTableFunc_t. `old_injection` is the path of the injection library that the user had
// set before us, or null or "": it is attached first and then called after us. Returns 1: attached;
// 0: nothing to do here (collector off, unknown table), NVTX then disables itself. Keeps errno.
int Attach(void* get_export_table, const char* old_injection);

// The same for InitializeInjectionNvtxExtension; `module_info` is a nvtxExtModuleInfo_t*.
// Extensions that we do not know are accepted and left alone.
int AttachExtension(void* module_info, const char* old_injection);

}  // namespace syncline::nvtx
