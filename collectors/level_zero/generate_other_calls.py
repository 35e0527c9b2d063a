#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes TakeOthers (other_calls.h): for each of the loader's tables the functions that none of ours records.

usage: generate_other_calls.py --headers DIR --tables tables.def --functions functions.def --later later_functions.def --output FILE
DIR holds ze_api.h, ze_ddi.h, zes_ddi.h and zet_ddi.h of API 1.4 or newer.

A table only grows, at its end, but for those of experimental functions, of tools (zet) and of the system (zes), whose order has
changed. A slot is touched where the program's loader is known to have it: in the tables of ze_ddi.h from the version that
brought the function, in the others where the loader has the version of the headers."""

import argparse
import pathlib
import re

# Functions of ze_ddi.h that came after API 1.0, by its minor version: level-zero, include/ze_ddi.h from v1.0 to v1.32.
SINCE = {
    1: "DriverGetExtensionFunctionAddress DeviceGetGlobalTimestamps ContextCreateEx",
    2: "DeviceReserveCacheExt DeviceSetCacheAdviceExt",
    3: "DevicePciGetPropertiesExt CommandListAppendImageCopyToMemoryExt CommandListAppendImageCopyFromMemoryExt "
       "ImageGetAllocPropertiesExt MemFreeExt ModuleInspectLinkageExt",
    5: "ImageViewCreateExt",
    6: "DriverGetLastErrorDescription CommandListHostSynchronize MemPutIpcHandle EventPoolPutIpcHandle "
       "EventQueryKernelTimestampsExt",
    7: "DeviceGetRootDevice",
    9: "CommandQueueGetOrdinal CommandQueueGetIndex CommandListGetDeviceHandle CommandListGetContextHandle "
       "CommandListGetOrdinal CommandListImmediateGetIndex CommandListIsImmediate MemGetPitchFor2dImage "
       "EventPoolGetContextHandle EventPoolGetFlags EventGetEventPool EventGetSignalScope EventGetWaitScope",
    11: "InitDrivers",
    12: "DeviceImportExternalSemaphoreExt DeviceReleaseExternalSemaphoreExt CommandListAppendSignalExternalSemaphoreExt "
        "CommandListAppendWaitExternalSemaphoreExt",
    13: "RTASBuilderCreateExt RTASBuilderGetBuildPropertiesExt RTASBuilderBuildExt RTASBuilderCommandListAppendCopyExt "
        "RTASBuilderDestroyExt RTASParallelOperationCreateExt RTASParallelOperationGetPropertiesExt "
        "RTASParallelOperationJoinExt RTASParallelOperationDestroyExt DriverRTASFormatCompatibilityCheckExt "
        "DeviceGetVectorWidthPropertiesExt",
    14: "DriverGetDefaultContext DeviceSynchronize CommandListAppendLaunchKernelWithParameters "
        "CommandListAppendLaunchKernelWithArguments",
    15: "DeviceGetAggregatedCopyOffloadIncrementValue MemGetIpcHandleWithProperties EventCounterBasedCreate "
        "EventCounterBasedGetIpcHandle EventCounterBasedOpenIpcHandle EventCounterBasedCloseIpcHandle "
        "EventCounterBasedGetDeviceAddress PhysicalMemGetProperties",
    16: "DeviceGetRuntimeRequirements DeviceGetRuntimeRequirementsKey DeviceValidateRuntimeRequirements "
        "CommandListAppendMemoryCopyWithParameters CommandListAppendMemoryFillWithParameters "
        "CommandListImmediateAppendCommandListsWithParameters",
    17: "DeviceGetCounterBasedEventMaxValue CommandQueueGetFlags CommandQueueGetMode CommandQueueGetPriority "
        "CommandListGetFlags CommandListImmediateGetFlags CommandListImmediateGetMode CommandListImmediateGetPriority "
        "CommandListBeginGraphCaptureExt CommandListBeginCaptureIntoGraphExt CommandListIsGraphCaptureEnabledExt "
        "CommandListEndGraphCaptureExt CommandListGetGraphExt CommandListAppendGraphExt CommandListAppendHostFunction "
        "EventGetCounterBasedFlags GraphCreateExt GraphGetPrimaryCommandListExt GraphSetDestructionCallbackExt "
        "GraphInstantiateExt GraphIsEmptyExt GraphDumpContentsExt GraphDestroyExt ExecutableGraphGetSourceGraphExt "
        "ExecutableGraphDestroyExt",
}
NEWEST_KNOWN = max(SINCE)
VERSIONS = {name: minor for minor, names in SINCE.items() for name in names.split()}
EXPERIMENTAL = re.compile(r"Exp$")
COMMENTS = re.compile(r"///.*")


def ours(functions, later):
    """Names that have a function of ours in front that records them."""
    return {"".join(pair) for pair in re.findall(r"^SYNCLINE_ZE_(?:HOOK|APPEND)\((\w+), (\w+)\b", functions, re.M)} | set(
        re.findall(r"^SYNCLINE_ZE_LATER_HOOK\(\w+, (\w+),", later, re.M))


def wanted_version(prefix, kind, function, header_minor):
    """The condition on the loader's version under which the slot may be touched."""
    if prefix != "ze" or EXPERIMENTAL.search(kind):
        return f"version == {1 << 16 | header_minor:#x}"
    since = VERSIONS.get(function, 0)
    if since == 0 and header_minor > NEWEST_KNOWN:
        since = header_minor
    return f"version >= {1 << 16 | since:#x}"


def blocks(headers, tables, left_out):
    minor = int(re.search(r"ZE_API_VERSION_CURRENT = ZE_MAKE_VERSION\( *1, *(\d+) *\)", (headers / "ze_api.h").read_text()).group(1))
    for prefix in ("ze", "zes", "zet"):
        text = COMMENTS.sub("", (headers / f"{prefix}_ddi.h").read_text())
        structs = dict((name, body) for body, name in
                       re.findall(r"typedef struct _\w+_dditable_t\s*\{([^}]*)\}\s*(\w+_dditable_t);", text))
        for kind, struct in re.findall(r"\n" + prefix + r"Get(\w+)ProcAddrTable\(\s*ze_api_version_t version,\s*(\w+_dditable_t)\*", text):
            if (prefix, kind) not in tables:
                continue
            lines = [f"    case DdiTable::k_{prefix}{kind}: {{", f"      auto* table = static_cast<{struct}*>(memory);"]
            for function, slot in re.findall(r"\w+_pfn(\w+)_t\s+(pfn\w+);", structs[struct]):
                if prefix == "ze" and function in left_out:
                    continue
                lines.append(f"      if ({wanted_version(prefix, kind, function, minor)}) "
                             f'TakeOther<"{prefix}{function}">(&table->{slot});')
            if len(lines) > 2:
                yield "\n".join(lines + ["      return;", "    }"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("headers", "tables", "functions", "later", "output"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    tables = set(re.findall(r"^SYNCLINE_ZE_TABLE\((\w+), (\w+)\)", arguments.tables.read_text(), re.M))
    cases = list(blocks(arguments.headers, tables, ours(arguments.functions.read_text(), arguments.later.read_text())))
    arguments.output.write_text("\n".join([
        "// Written by generate_other_calls.py.", "#include <level_zero/ze_ddi.h>", "#include <level_zero/zes_ddi.h>",
        "#include <level_zero/zet_ddi.h>", "", '#include "collectors/level_zero/other_calls.h"', "",
        "namespace syncline::level_zero {", "", "void TakeOthers(DdiTable kind, uint32_t version, void* memory) {", "  switch (kind) {",
        *cases, "    default:", "      return;", "  }", "}", "", "}  // namespace syncline::level_zero", ""]))


if __name__ == "__main__":
    main()
