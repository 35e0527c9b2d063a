// SPDX-License-Identifier: Apache-2.0
// Two libraries are built of this, of the same size: with FIRST and without.
int cudaDeviceSynchronize(void);

#ifdef FIRST
int first_wait(void) {
  return cudaDeviceSynchronize() + 1;  // waits FIRST
}
int plug(void) { return first_wait() + 1; }
#else
int other_wait(void) {
  return cudaDeviceSynchronize() + 1;  // waits OTHER
}
int plug(void) { return other_wait() + 1; }
#endif
