// SPDX-License-Identifier: Apache-2.0
// Bump allocation from blocks that are mapped and never unmapped.
#include "inject/core/arena.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "inject/core/sys.h"

namespace syncline {
namespace {

constexpr size_t kBlockBytes = 64 << 10;

struct alignas(16) Block {
  std::atomic<size_t> used;  // of `size`; may grow past it when several threads find the block full
  size_t size;
};

std::atomic<Block*> g_block;
std::atomic<size_t> g_mapped;

Block* NewBlock(size_t bytes) {
  const size_t total = (sizeof(Block) + bytes + 4095) & ~size_t{4095};
  if (g_mapped.fetch_add(total, std::memory_order_relaxed) + total > kMaxArenaBytes) {
    g_mapped.fetch_sub(total, std::memory_order_relaxed);
    return nullptr;
  }
  auto* block =
      static_cast<Block*>(SysMap(total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  if (block == nullptr) {
    g_mapped.fetch_sub(total, std::memory_order_relaxed);
    return nullptr;
  }
  block->size = total - sizeof(Block);
  return block;
}

char* TakeFrom(Block* block, size_t bytes) {
  if (block->used.load(std::memory_order_relaxed) + bytes > block->size) return nullptr;
  const size_t offset = block->used.fetch_add(bytes, std::memory_order_relaxed);
  return offset + bytes <= block->size ? reinterpret_cast<char*>(block + 1) + offset : nullptr;
}

}  // namespace

void* ArenaAllocate(size_t bytes) {
  if (bytes > kMaxArenaBytes) return nullptr;
  bytes = (bytes + 15) & ~size_t{15};
  // Acquire: pairs with the release that published the block's size.
  Block* block = g_block.load(std::memory_order_acquire);
  if (block != nullptr) {
    if (char* memory = TakeFrom(block, bytes)) return memory;
  }
  const bool large =
      bytes >
      kBlockBytes / 4;  // gets a block of its own: the shared one is not thrown away half empty
  Block* fresh = NewBlock(large ? bytes : kBlockBytes - sizeof(Block));
  if (fresh == nullptr) return nullptr;
  char* memory = TakeFrom(fresh, bytes);
  // Whoever comes second keeps what it took and leaves the rest of its block unused: races here are
  // rare.
  if (!large) g_block.compare_exchange_strong(block, fresh, std::memory_order_acq_rel);
  return memory;
}

const char* ArenaCopy(const char* text, size_t bytes) {
  auto* copy = static_cast<char*>(ArenaAllocate(bytes + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

}  // namespace syncline
