// SPDX-License-Identifier: Apache-2.0
// The facts program's view of CUPTI: its functions, found at run time, and one client that keeps
// what it is told.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace facts {

#define FACTS_CUPTI_FUNCTIONS(X)            \
  X(cuptiGetVersion)                        \
  X(cuptiGetTimestamp)                      \
  X(cuptiSubscribe)                         \
  X(cuptiUnsubscribe)                       \
  X(cuptiEnableDomain)                      \
  X(cuptiEnableCallback)                    \
  X(cuptiGetCallbackName)                   \
  X(cuptiGetStreamIdEx)                     \
  X(cuptiGetDeviceId)                       \
  X(cuptiGetContextId)                      \
  X(cuptiActivityEnable)                    \
  X(cuptiActivityDisable)                   \
  X(cuptiActivityRegisterCallbacks)         \
  X(cuptiActivityGetNextRecord)             \
  X(cuptiActivityGetNumDroppedRecords)      \
  X(cuptiActivityFlushAll)                  \
  X(cuptiActivityGetAttribute)              \
  X(cuptiActivitySetAttribute)              \
  X(cuptiActivityPushExternalCorrelationId) \
  X(cuptiActivityPopExternalCorrelationId)  \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiFinalize)

struct Cupti {
#define FACTS_CUPTI_FIELD(name) decltype(&::name) name = nullptr;
  FACTS_CUPTI_FUNCTIONS(FACTS_CUPTI_FIELD)
#undef FACTS_CUPTI_FIELD
  // Since 13.0: may be missing.
  decltype(&::cuptiSubscribe_v2) cuptiSubscribe_v2 = nullptr;
};

// Null where no libcupti.so.13 or .12 with all of these functions can be loaded.
const Cupti* FindCupti();

// One callback at its enter.
struct SeenCall {
  int domain;
  uint32_t cbid, correlation;
  int depth;  // 0 outermost
  std::string function, symbol;
  bool has_params;
};

struct SeenRecord {
  uint32_t kind;
  std::vector<uint8_t> bytes;  // zero behind the end of the record
  template <typename Record>
  Record As() const {
    Record record;
    std::memcpy(static_cast<void*>(&record), bytes.data(), sizeof record);
    return record;
  }
};

// Static, as CUPTI's buffer callbacks carry no pointer. Clients are numbered, for the facts about
// two of them.
struct Client {
  static constexpr int kClients = 2;
  static CUptiResult Subscribe(CUpti_SubscriberHandle* handle);
  static CUptiResult Register(int client = 0);
  static void Forget();
  static std::vector<SeenCall> Calls();
  static std::vector<SeenRecord> Records(int client = 0);
  static std::vector<SeenRecord> Records(uint32_t kind, int client);
  static int Exits();

  // On which thread buffers were asked for and given back: "application", "other", "both", "never".
  static std::string RequestedOn();
  static std::string CompletedOn();
  static int UnknownBuffers();  // given back to the client that did not provide them
};

}  // namespace facts
