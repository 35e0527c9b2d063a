// SPDX-License-Identifier: Apache-2.0
// A library that calls its program while it is loaded (own_thread_test.cc).
void OnLoad(void);

__attribute__((constructor)) static void Load(void) { OnLoad(); }
