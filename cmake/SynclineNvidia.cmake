# SPDX-License-Identifier: Apache-2.0
# SYNCLINE_NVTX_INCLUDE_DIR: the folder that holds nvtx3/; SYNCLINE_CUDA_INCLUDE_DIR: the one that holds cuda.h, or NOTFOUND.
# First an installed toolkit (CUDA_HOME, /usr/local/cuda), then the wheels that scripts/build puts into build/deps/nvidia.
set(SYNCLINE_NVIDIA_HINTS
  $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include /usr/local/cuda/include
  ${PROJECT_SOURCE_DIR}/build/deps/nvidia/cu13/include)
# The newest headers first: those with the counters extension (CUDA 13), else any NVTX 3.
find_path(SYNCLINE_NVTX_INCLUDE_DIR nvtx3/nvToolsExtCounters.h HINTS ${SYNCLINE_NVIDIA_HINTS} NO_CMAKE_FIND_ROOT_PATH)
find_path(SYNCLINE_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h HINTS ${SYNCLINE_NVIDIA_HINTS} NO_CMAKE_FIND_ROOT_PATH)
find_path(SYNCLINE_CUDA_INCLUDE_DIR cuda.h HINTS ${SYNCLINE_NVIDIA_HINTS} NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(SYNCLINE_NVTX_INCLUDE_DIR SYNCLINE_CUDA_INCLUDE_DIR)
if(NOT SYNCLINE_NVTX_INCLUDE_DIR)
  message(WARNING "The NVTX headers (nvtx3/nvToolsExt.h) were not found: NVTX ranges will not be recorded, and the tests "
    "cannot be built. Run `scripts/build`, which fetches them, or give the folder above nvtx3/ with "
    "-DSYNCLINE_NVTX_INCLUDE_DIR=DIR, or set CUDA_HOME to a CUDA toolkit.")
  if(SYNCLINE_BUILD_LAUNCHER AND BUILD_TESTING)
    message(FATAL_ERROR "Without the NVTX headers, build with -DBUILD_TESTING=OFF.")
  endif()
endif()
