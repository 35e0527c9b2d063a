// SPDX-License-Identifier: Apache-2.0
// The driver API: modules, libraries, functions, variables and occupancy. Images are accepted
// unread: kernels compute nothing.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/device_facts.h"
#include "tests/simulated_gpu/engine/durations.h"
#include "tests/simulated_gpu/engine/graph.h"
#include "tests/simulated_gpu/engine/waits.h"

using simgpu::AsResult;
using simgpu::CurrentContext;
using simgpu::Function;
using simgpu::Module;

namespace {

// Variables have no size in a call: what a module's global gets until the runtime, which knows it,
// says otherwise.
constexpr size_t kGlobalBytes = 65536;

std::mutex& ModulesMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::map<const void*, Module*>& Modules() {
  static auto& modules = *new std::map<const void*, Module*>;
  return modules;
}

struct Global {
  CUdeviceptr address;
  size_t bytes;
};

std::map<std::pair<const Module*, std::string>, Global>& Globals() {
  static auto& globals = *new std::map<std::pair<const Module*, std::string>, Global>;
  return globals;
}

std::map<std::pair<const Module*, std::string>, Function*>& Functions() {
  static auto& functions = *new std::map<std::pair<const Module*, std::string>, Function*>;
  return functions;
}

void Tell(const Module* module, bool loaded) {
  if (!simgpu::Observed(simgpu::kModules)) return;
  const simgpu::Observer* observer = simgpu::CurrentObserver();
  if (observer == nullptr || observer->module == nullptr) return;
  simgpu::ModuleEvent event{};
  event.loaded = loaded;
  event.module_id = module->id;
  event.context = CurrentContext();
  if (CurrentContext() != nullptr) {
    event.context_id = CurrentContext()->id;
    event.device = CurrentContext()->device->ordinal;
  }
  event.image = module->image;
  event.time_ns = simgpu::Now();
  observer->module(&event);
}

// ELF, PTX, a fatbin, or the wrapper that nvcc makes of one.
bool LooksLikeAnImage(const void* image) {
  if (image == nullptr) return false;
  const auto* bytes = static_cast<const unsigned char*>(image);
  uint32_t magic;
  std::memcpy(&magic, image, sizeof magic);
  const bool text =
      bytes[0] == '/' || bytes[0] == '.' || bytes[0] == '\n' || bytes[0] == ' ' || bytes[0] == '\t';
  return std::memcmp(bytes, "\177ELF", 4) == 0 || magic == 0xba55ed50 || magic == 0x466243b1 ||
         text;
}

Module* Load(const void* image, bool is_library) {
  static std::atomic<uint32_t> next_id{1};
  auto* module = new Module;
  module->id = next_id.fetch_add(1);
  module->image = image;
  module->is_library = is_library;
  {
    std::lock_guard<std::mutex> lock(ModulesMutex());
    Modules()[module] = module;
  }
  Tell(module, true);
  return module;
}

CUresult LoadModule(CUmodule* out, const void* image) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!LooksLikeAnImage(image)) return CUDA_ERROR_INVALID_IMAGE;
  *out = reinterpret_cast<CUmodule>(Load(image, false));
  return CUDA_SUCCESS;
}

Module* AsModule(const void* handle) {
  std::lock_guard<std::mutex> lock(ModulesMutex());
  const auto found = Modules().find(handle);
  return found != Modules().end() && found->second->alive ? found->second : nullptr;
}

// docs/waits.md, row D4.
CUresult Unload(const void* handle) {
  Module* module = AsModule(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const uint64_t entry_ns = simgpu::Now();
  if (CurrentContext() != nullptr) {
    simgpu::Dependencies work;
    {
      simgpu::EngineLock lock(simgpu::EngineMutex());
      work = simgpu::ContextWork(CurrentContext(), false);
    }
    simgpu::HostWait(simgpu::WaitClass::kModuleLoad, work, entry_ns, simgpu::Record::kIfItWaited);
  }
  Tell(module, false);
  std::lock_guard<std::mutex> lock(ModulesMutex());
  module->alive = false;
  return CUDA_SUCCESS;
}

CUresult GetFunction(Function** out, const void* handle, const char* name) {
  Module* module = AsModule(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (out == nullptr || name == nullptr || *name == '\0') return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(ModulesMutex());
  Function*& function = Functions()[{module, name}];
  if (function == nullptr) {
    function = new Function;
    function->name = name;
    function->module = module;
    const std::optional<uint64_t> rule = simgpu::Durations::OfProcess().Rule(name);
    if (rule) function->rule_ns = static_cast<int64_t>(*rule);
  }
  *out = function;
  return CUDA_SUCCESS;
}

CUresult GetGlobal(CUdeviceptr* address, size_t* bytes, const void* handle, const char* name) {
  const Module* module = AsModule(handle);
  if (module == nullptr || name == nullptr)
    return module == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(ModulesMutex());
  Global& global = Globals()[{module, name}];
  if (global.address == 0) {
    void* made = nullptr;
    global.bytes = bytes != nullptr && *bytes != 0 ? *bytes : kGlobalBytes;
    const int error =
        simgpu::Allocate(CurrentContext(), global.bytes, simgpu::MemoryKind::kDevice, 0, &made);
    if (error != 0) return AsResult(error);
    global.address = reinterpret_cast<CUdeviceptr>(made);
  }
  if (address != nullptr) *address = global.address;
  if (bytes != nullptr) *bytes = global.bytes;
  return CUDA_SUCCESS;
}

CUresult FunctionAttribute(int* value, CUfunction_attribute attribute, const Function* function) {
  if (function == nullptr || value == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 90;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = function->max_dynamic_shared;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = function->carveout;
      return CUDA_SUCCESS;
    default:
      *value = 0;
      return attribute < CU_FUNC_ATTRIBUTE_MAX ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult SetFunctionAttribute(Function* function, CUfunction_attribute attribute, int value) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || value > 232448) return CUDA_ERROR_INVALID_VALUE;
    function->max_dynamic_shared = value;
  } else if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    function->carveout = value;
  }
  return CUDA_SUCCESS;
}

Function* AsFunction(void* handle) { return static_cast<Function*>(handle); }

}  // namespace

SIMGPU_CALL(kContext, cuModuleLoadData, (CUmodule * module, const void* image), module, image) {
  return LoadModule(module, image);
}

SIMGPU_CALL(kContext, cuModuleLoadDataEx,
            (CUmodule * module, const void* image, unsigned int numOptions, CUjit_option* options,
             void** optionValues),
            module, image, numOptions, options, optionValues) {
  (void)numOptions, (void)options, (void)optionValues;
  return LoadModule(module, image);
}

SIMGPU_CALL(kContext, cuModuleLoadFatBinary, (CUmodule * module, const void* fatCubin), module,
            fatCubin) {
  return LoadModule(module, fatCubin);
}

SIMGPU_CALL(kContext, cuModuleLoad, (CUmodule * module, const char* fname), module, fname) {
  std::FILE* file = fname == nullptr ? nullptr : std::fopen(fname, "rb");
  if (file == nullptr) return CUDA_ERROR_FILE_NOT_FOUND;
  char begin[8] = {};
  const size_t size = std::fread(begin, 1, sizeof begin, file);
  std::fclose(file);
  if (size < 4 || !LooksLikeAnImage(begin)) return CUDA_ERROR_INVALID_IMAGE;
  *module = reinterpret_cast<CUmodule>(Load(nullptr, false));
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuModuleUnload, (CUmodule hmod), hmod) { return Unload(hmod); }

SIMGPU_CALL(kContext, cuModuleGetFunction, (CUfunction * hfunc, CUmodule hmod, const char* name),
            hfunc, hmod, name) {
  return GetFunction(reinterpret_cast<Function**>(hfunc), hmod, name);
}

SIMGPU_CALL(kContext, cuModuleGetGlobal,
            (CUdeviceptr * dptr, size_t* bytes, CUmodule hmod, const char* name), dptr, bytes, hmod,
            name) {
  if (bytes != nullptr) *bytes = 0;  // what is there is no size the program asks for
  return GetGlobal(dptr, bytes, hmod, name);
}

SIMGPU_CALL_NO_STRUCT(kContext, cuModuleGetLoadingMode, (CUmoduleLoadingMode * mode), (mode)) {
  const char* wanted = std::getenv("CUDA_MODULE_LOADING");
  *mode = wanted != nullptr && std::strcmp(wanted, "EAGER") == 0 ? CU_MODULE_EAGER_LOADING
                                                                 : CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuLibraryLoadData,
            (CUlibrary * library, const void* code, CUjit_option* jitOptions,
             void** jitOptionsValues, unsigned int numJitOptions, CUlibraryOption* libraryOptions,
             void** libraryOptionValues, unsigned int numLibraryOptions),
            library, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions,
            libraryOptionValues, numLibraryOptions) {
  (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
  (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
  if (library == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!LooksLikeAnImage(code)) return CUDA_ERROR_INVALID_IMAGE;
  *library = reinterpret_cast<CUlibrary>(Load(code, true));
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuLibraryUnload, (CUlibrary library), library) { return Unload(library); }

SIMGPU_CALL(kDriver, cuLibraryGetKernel, (CUkernel * pKernel, CUlibrary library, const char* name),
            pKernel, library, name) {
  return GetFunction(reinterpret_cast<Function**>(pKernel), library, name);
}

SIMGPU_CALL(kDriver, cuLibraryGetModule, (CUmodule * pMod, CUlibrary library), pMod, library) {
  if (AsModule(library) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *pMod = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuLibraryGetGlobal,
            (CUdeviceptr * dptr, size_t* bytes, CUlibrary library, const char* name), dptr, bytes,
            library, name) {
  return GetGlobal(dptr, bytes, library,
                   name);  // *bytes, where not 0, is the size it gets: the runtime knows it
}

// A kernel of a library is the same for all contexts: its handle serves as the function.
SIMGPU_CALL(kContext, cuKernelGetFunction, (CUfunction * pFunc, CUkernel kernel), pFunc, kernel) {
  *pFunc = reinterpret_cast<CUfunction>(kernel);
  return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuKernelGetAttribute,
            (int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev), pi, attrib,
            kernel, dev) {
  (void)dev;
  return FunctionAttribute(pi, attrib, AsFunction(kernel));
}

SIMGPU_CALL(kDriver, cuKernelSetAttribute,
            (CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev), attrib, val,
            kernel, dev) {
  (void)dev;
  return SetFunctionAttribute(AsFunction(kernel), attrib, val);
}

SIMGPU_CALL(kDriver, cuKernelGetName, (const char** name, CUkernel hfunc), name, hfunc) {
  if (hfunc == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = AsFunction(hfunc)->name.c_str();
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuFuncGetName, (const char** name, CUfunction hfunc), name, hfunc) {
  if (hfunc == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = AsFunction(hfunc)->name.c_str();
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuFuncGetModule, (CUmodule * hmod, CUfunction hfunc), hmod, hfunc) {
  if (hfunc == nullptr || hmod == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *hmod = reinterpret_cast<CUmodule>(AsFunction(hfunc)->module);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuFuncGetAttribute, (int* pi, CUfunction_attribute attrib, CUfunction hfunc),
            pi, attrib, hfunc) {
  return FunctionAttribute(pi, attrib, AsFunction(hfunc));
}

SIMGPU_CALL(kContext, cuFuncSetAttribute,
            (CUfunction hfunc, CUfunction_attribute attrib, int value), hfunc, attrib, value) {
  return SetFunctionAttribute(AsFunction(hfunc), attrib, value);
}

SIMGPU_CALL(kContext, cuFuncSetCacheConfig, (CUfunction hfunc, CUfunc_cache config), hfunc,
            config) {
  (void)config;
  return hfunc == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuFuncLoad, (CUfunction function), function) {
  return function == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuOccupancyMaxActiveBlocksPerMultiprocessor,
            (int* numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize), numBlocks,
            func, blockSize, dynamicSMemSize) {
  if (func == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (numBlocks == nullptr || blockSize <= 0) return CUDA_ERROR_INVALID_VALUE;
  *numBlocks = simgpu::BlocksPerMultiprocessor(blockSize, dynamicSMemSize);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
            (int* numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize,
             unsigned int flags),
            numBlocks, func, blockSize, dynamicSMemSize, flags) {
  (void)flags;
  if (func == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (numBlocks == nullptr || blockSize <= 0) return CUDA_ERROR_INVALID_VALUE;
  *numBlocks = simgpu::BlocksPerMultiprocessor(blockSize, dynamicSMemSize);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuOccupancyAvailableDynamicSMemPerBlock,
            (size_t * dynamicSmemSize, CUfunction func, int numBlocks, int blockSize),
            dynamicSmemSize, func, numBlocks, blockSize) {
  if (func == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const int most = simgpu::BlocksPerMultiprocessor(blockSize, 0);
  if (dynamicSmemSize == nullptr || numBlocks <= 0 || numBlocks > most)
    return CUDA_ERROR_INVALID_VALUE;
  *dynamicSmemSize = simgpu::SharedPerBlock(numBlocks);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuOccupancyMaxPotentialBlockSize,
            (int* minGridSize, int* blockSize, CUfunction func,
             CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
             int blockSizeLimit),
            minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
            blockSizeLimit) {
  if (func == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  int best = 0, best_threads = -1;
  const int limit = blockSizeLimit > 0 ? std::min(blockSizeLimit, 1024) : 1024;
  for (int size = limit; size > 0; size -= size % 32 == 0 ? 32 : size % 32) {
    const size_t shared =
        blockSizeToDynamicSMemSize != nullptr ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
    const int threads = simgpu::BlocksPerMultiprocessor(size, shared) * size;
    if (threads <= best_threads) continue;
    best = size;
    best_threads = threads;
  }
  *blockSize = best;
  *minGridSize = best == 0 ? 0 : best_threads / best * 132;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuOccupancyMaxActiveClusters,
            (int* numClusters, CUfunction func, const CUlaunchConfig* config), numClusters, func,
            config) {
  if (func == nullptr || config == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *numClusters = 16;
  return CUDA_SUCCESS;
}
