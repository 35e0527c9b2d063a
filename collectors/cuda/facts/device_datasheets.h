// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's datasheets promise of its devices. Figures that a datasheet has with sparsity are
// halved here.
#pragma once

#include "model/devices/device_peaks.h"

namespace syncline {

// Devices by the whole name that CUDA has for them: parts of them (MIG) and other models that are
// called alike (A10G, RTX 4090 D) do not reach this.
inline constexpr DevicePeaks kDatasheets[] = {
    // device                fp64  fp32  tf32   fp16   bf16   fp8     GB/s  datasheet
    {"GB200", 40, 80, 1250, 2500, 2500, 5000, 8000, "GB200 NVL72 datasheet"},
    {"B200", 37, 75, 1100, 2250, 2250, 4500, 7700, "HGX B200 datasheet"},
    {"H200", 67, 67, 494.5, 989.5, 989.5, 1979, 4800, "H200 datasheet, SXM"},
    {"H200 NVL", 60, 60, 417.5, 835.5, 835.5, 1670.5, 4800, "H200 datasheet, NVL"},
    {"H100 80GB HBM3", 67, 67, 494.5, 989.5, 989.5, 1979, 3350, "H100 datasheet, SXM"},
    {"H100 NVL", 60, 60, 417.5, 835.5, 835.5, 1670.5, 3900, "H100 datasheet, NVL"},
    {"H100 PCIe", 51, 51, 378, 756.5, 756.5, 1513, 2000, "H100 datasheet, PCIe"},
    {"A100-SXM4-40GB", 19.5, 19.5, 156, 312, 312, 0, 1555, "A100 datasheet, 40GB SXM"},
    {"A100-SXM4-80GB", 19.5, 19.5, 156, 312, 312, 0, 2039, "A100 datasheet, 80GB SXM"},
    {"A100-PCIE-40GB", 19.5, 19.5, 156, 312, 312, 0, 1555, "A100 datasheet, 40GB PCIe"},
    {"A100 80GB PCIe", 19.5, 19.5, 156, 312, 312, 0, 1935, "A100 datasheet, 80GB PCIe"},
    {"A10", 0, 31.2, 62.5, 125, 125, 0, 600, "A10 datasheet"},
    {"L4", 0, 30.3, 60, 121, 121, 242.5, 300, "L4 datasheet"},
    {"L40S", 0, 91.6, 183, 362.05, 362.05, 733, 864, "L40S datasheet"},
    {"Tesla V100-SXM2-16GB", 7.8, 15.7, 0, 125, 0, 0, 900, "V100 datasheet, SXM2"},
    {"Tesla V100-SXM2-32GB", 7.8, 15.7, 0, 125, 0, 0, 900, "V100 datasheet, SXM2"},
    {"Tesla V100-PCIE-16GB", 7, 14, 0, 112, 0, 0, 900, "V100 datasheet, PCIe"},
    {"Tesla V100-PCIE-32GB", 7, 14, 0, 112, 0, 0, 900, "V100 datasheet, PCIe"},
    {"Tesla V100S-PCIE-32GB", 8.2, 16.4, 0, 130, 0, 0, 1134, "V100 datasheet, V100S PCIe"},
    {"Tesla T4", 0, 8.1, 0, 65, 0, 0, 320, "T4 datasheet"},
    {"GeForce RTX 4090", 0, 82.6, 82.6, 165.2, 165.2, 0, 1008,
     "Ada GPU architecture whitepaper, RTX 4090"},
    {"GeForce RTX 3090", 0, 35.6, 35.6, 71, 71, 0, 936,
     "Ampere GA102 GPU architecture whitepaper, RTX 3090"},
};

}  // namespace syncline
