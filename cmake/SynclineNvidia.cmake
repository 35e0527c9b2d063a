# SPDX-License-Identifier: Apache-2.0
# SYNCLINE_NVTX_INCLUDE_DIR: the folder that holds nvtx3/; SYNCLINE_CUDA_INCLUDE_DIR: the one that holds cuda.h, or NOTFOUND;
# SYNCLINE_CUPTI_INCLUDE_DIR: the one that holds the cupti*.h that belong to it, or NOTFOUND;
# SYNCLINE_NVCC: the compiler that belongs to that cuda.h, for the tests, or NOTFOUND.
# First an installed toolkit (CUDA_HOME, /usr/local/cuda, PATH), then the wheels that scripts/build puts into build/deps/nvidia.
find_program(SYNCLINE_NVCC_OF_PATH nvcc NO_CMAKE_FIND_ROOT_PATH)
set(toolkit_of_path "")
if(SYNCLINE_NVCC_OF_PATH)
  file(REAL_PATH ${SYNCLINE_NVCC_OF_PATH} toolkit_of_path)
  cmake_path(GET toolkit_of_path PARENT_PATH toolkit_of_path)
  cmake_path(GET toolkit_of_path PARENT_PATH toolkit_of_path)
endif()
set(SYNCLINE_NVIDIA_TOOLKITS
  $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda ${toolkit_of_path} ${PROJECT_SOURCE_DIR}/build/deps/nvidia/cu13)
# The first that is CUDA 13 and whole comes first (scripts/lib.sh fetches the wheels if there is none): parts of several
# toolkits would not fit together. nvcc is taken from nowhere else.
foreach(toolkit IN LISTS SYNCLINE_NVIDIA_TOOLKITS)
  if(EXISTS ${toolkit}/bin/nvcc AND EXISTS ${toolkit}/include/cuda.h
      AND EXISTS ${toolkit}/include/nvtx3/nvToolsExtCounters.h
      AND (EXISTS ${toolkit}/include/cupti_driver_cbid.h OR EXISTS ${toolkit}/extras/CUPTI/include/cupti_driver_cbid.h))
    list(PREPEND SYNCLINE_NVIDIA_TOOLKITS ${toolkit})
    find_program(SYNCLINE_NVCC nvcc PATHS ${toolkit}/bin NO_DEFAULT_PATH)
    message(STATUS "CUDA headers and nvcc: ${toolkit}")
    break()
  endif()
endforeach()
# The wheels' headers go before an incomplete toolkit's without nvcc too: fetching nvcc later then changes no header.
set(wheels ${PROJECT_SOURCE_DIR}/build/deps/nvidia/cu13)
if(NOT SYNCLINE_NVCC AND EXISTS ${wheels}/include/cuda.h AND EXISTS ${wheels}/include/cupti_driver_cbid.h)
  list(PREPEND SYNCLINE_NVIDIA_TOOLKITS ${wheels})
endif()
list(TRANSFORM SYNCLINE_NVIDIA_TOOLKITS APPEND /include OUTPUT_VARIABLE SYNCLINE_NVIDIA_HINTS)
# The newest headers first: those with the counters extension (CUDA 13), else any NVTX 3.
find_path(SYNCLINE_NVTX_INCLUDE_DIR nvtx3/nvToolsExtCounters.h HINTS ${SYNCLINE_NVIDIA_HINTS} NO_CMAKE_FIND_ROOT_PATH)
find_path(SYNCLINE_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h HINTS ${SYNCLINE_NVIDIA_HINTS} NO_CMAKE_FIND_ROOT_PATH)
find_path(SYNCLINE_CUDA_INCLUDE_DIR cuda.h HINTS ${SYNCLINE_NVIDIA_HINTS} NO_CMAKE_FIND_ROOT_PATH)
if(SYNCLINE_CUDA_INCLUDE_DIR)
  find_path(SYNCLINE_CUPTI_INCLUDE_DIR cupti_activity_deprecated.h
    HINTS ${SYNCLINE_CUDA_INCLUDE_DIR} ${SYNCLINE_CUDA_INCLUDE_DIR}/../extras/CUPTI/include NO_CMAKE_FIND_ROOT_PATH)
endif()
mark_as_advanced(SYNCLINE_NVTX_INCLUDE_DIR SYNCLINE_CUDA_INCLUDE_DIR SYNCLINE_CUPTI_INCLUDE_DIR SYNCLINE_NVCC SYNCLINE_NVCC_OF_PATH)
if(NOT SYNCLINE_NVTX_INCLUDE_DIR)
  message(WARNING "The NVTX headers (nvtx3/nvToolsExt.h) were not found: NVTX ranges will not be recorded, and the tests "
    "cannot be built. Run `scripts/build`, which fetches them, or give the folder above nvtx3/ with "
    "-DSYNCLINE_NVTX_INCLUDE_DIR=DIR, or set CUDA_HOME to a CUDA toolkit.")
  if(SYNCLINE_BUILD_LAUNCHER AND BUILD_TESTING)
    message(FATAL_ERROR "Without the NVTX headers, build with -DBUILD_TESTING=OFF.")
  endif()
endif()
