// SPDX-License-Identifier: Apache-2.0
// What the parts of the facts program share: how a fact is printed, the sections, and times.
#pragma once

#include <cstdint>
#include <string>

namespace facts {

// Prints key=value. A fact never fails: what cannot be found out is a value too ("absent", an error
// number).
void Fact(const std::string& key, const std::string& value);
void Fact(const std::string& key, long long value);
void FactYesNo(const std::string& key, bool value);

// Each section runs in a process of its own, so that one that crashes or hangs costs only itself.
void CudaSection();
void WaitsSection();
void CuptiSection();
void SwitchesSection();
void ClientsSection();
void CublasSection();
void CudnnSection();
void NcclSection();

uint64_t MonotonicNs();
uint64_t RealtimeNs();

}  // namespace facts
