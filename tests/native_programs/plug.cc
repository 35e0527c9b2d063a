// SPDX-License-Identifier: Apache-2.0
// A library that is opened while the program runs.
extern "C" int cudaDeviceSynchronize();

extern "C" int plug() {
  return cudaDeviceSynchronize() + 1;  // waits plug
}
