// SPDX-License-Identifier: Apache-2.0
// Waits on stacks and behind tables that are not there for long: stacks_go shrunk|unreadable
// LIBRARY|raced.
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

int cudaMalloc(void**, size_t);
int cudaMemsetAsync(void*, int, size_t, void*);
int cudaDeviceSynchronize(void);

static void* memory;
static int waits;

__attribute__((noinline)) static void wait_once(void) {
  cudaMemsetAsync(memory, 0, 64, 0);
  waits += cudaDeviceSynchronize() == 0;
}

// A fiber that needs `need` bytes of a stack of `bytes` at `place`.
static ucontext_t caller, fiber;
static size_t need;

static void on_fiber(void) {
  char* room = alloca(need);
  memset(room, 1, need);
  for (int i = 0; i < 3; ++i) wait_once();
  *(volatile char*)room = 2;
}

static void run_fiber(void* place, size_t bytes, size_t wanted) {
  char* stack =
      mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  need = wanted;
  getcontext(&fiber);
  fiber.uc_stack.ss_sp = stack;
  fiber.uc_stack.ss_size = bytes;
  fiber.uc_link = &caller;
  makecontext(&fiber, on_fiber, 0);
  swapcontext(&caller, &fiber);
  munmap(stack, bytes);
}

// The next stack begins where the last one did, and ends before it.
static void shrunk(void) {
  char* place = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 20; ++i) {
    run_fiber(place, 128 << 10, 40 << 10);
    run_fiber(place, 96 << 10, 8 << 10);
  }
}

// The page that a library's table of functions begins in: unreadable, then gone.
struct table {
  ElfW(Addr) base;
  char* page;
};

static int find_table(struct dl_phdr_info* object, size_t bytes, void* out) {
  struct table* table = out;
  (void)bytes;
  for (int i = 0; object->dlpi_addr == table->base && i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      table->page = (char*)((table->base + object->dlpi_phdr[i].p_vaddr) & ~(ElfW(Addr))4095);
  }
  return table->page != NULL;
}

static void unreadable(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  int (*plug)(void) = (int (*)(void))dlsym(library, "plug");
  struct link_map* map;
  dlinfo(library, RTLD_DI_LINKMAP, &map);
  struct table table = {map->l_addr, NULL};
  dl_iterate_phdr(find_table, &table);
  mprotect(table.page, 4096, PROT_NONE);
  for (int i = 0; i < 3; ++i) waits += plug();
  munmap(table.page, 4096);
  for (int i = 0; i < 3; ++i) waits += plug();
}

// call_lost(function, place): its table says that its caller's frame is at `place`.
void call_lost(void (*function)(void), void* place);
__asm__(
    ".text\n.globl call_lost\n.type call_lost, @function\ncall_lost:\n.cfi_startproc\n"
    "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\nmov %rsi, %rbx\n"
    ".cfi_remember_state\n.cfi_escape 0x0f, 2, 0x73, 0\n"  // the frame is where rbx says
    "call *%rdi\n.cfi_restore_state\n"
    "pop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size call_lost, .-call_lost\n");

static char* pages;
static atomic_int done;

// The place is never free: what another thread mapped there meanwhile would be lost to it.
static void* come_and_go(void* unused) {
  while (!atomic_load(&done)) {
    mmap(pages, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mmap(pages, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }
  return unused;
}

__attribute__((noinline)) static int deeper(int depth) {
  if (depth == 0) call_lost(wait_once, pages + 64);
  return depth == 0 ? 1 : deeper(depth - 1) + 1;
}

static void* wait_lost(void* unused) {
  for (int i = 0; i < 3000; ++i) deeper(i % 600);  // stacks that were not seen before
  atomic_store(&done, 1);
  return unused;
}

static void raced(void) {
  pthread_t mapper, waiter;
  pages = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_create(&mapper, NULL, come_and_go, NULL);
  pthread_create(&waiter, NULL, wait_lost, NULL);  // its stack lies below the page
  pthread_join(waiter, NULL);
  pthread_join(mapper, NULL);
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  setvbuf(stdout, NULL, _IONBF, 0);
  if (cudaMalloc(&memory, 64) != 0) return 1;
  if (strcmp(what, "shrunk") == 0) shrunk();
  if (strcmp(what, "unreadable") == 0) unreadable(arguments[2]);
  if (strcmp(what, "raced") == 0) raced();
  printf("%d waits\n", waits);
  return 0;
}
