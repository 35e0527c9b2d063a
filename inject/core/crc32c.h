// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), the checksum of spool blocks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline {

// Continues `crc` (0 to begin) over `bytes` at `data`: Crc32c(Crc32c(0, a), b) is the checksum of a
// followed by b. Uses the CPU's instruction where it has one (about 3 cycles per 8 bytes). Any
// thread, signal-safe, keeps errno.
uint32_t Crc32c(uint32_t crc, const void* data, size_t bytes);

// The same without the CPU's instruction; for tests and other architectures.
uint32_t Crc32cByTable(uint32_t crc, const void* data, size_t bytes);

}  // namespace syncline
