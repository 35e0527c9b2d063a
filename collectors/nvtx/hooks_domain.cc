// SPDX-License-Identifier: Apache-2.0
// Creating and naming: domains, registered strings, categories, threads, resources.
#include <pthread.h>

#include <cstring>

#include "collectors/nvtx/domains.h"
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/naming.h"
#include "collectors/nvtx/registry.h"
#include "collectors/nvtx/text.h"

namespace syncline::nvtx::hook {
namespace {

// Never null, as programs take null for "no tool". A domain without memory is the default domain to
// all calls.
nvtxDomainHandle_t DomainOrStandIn(void* domain) {
  return domain != nullptr ? static_cast<nvtxDomainHandle_t>(domain)
                           : MakeHandle<nvtxDomainHandle_t>(HandleKind::kDomain, kNoIndex - 1);
}

uint32_t NumberOrDefault(nvtxDomainHandle_t domain) {
  const uint32_t number = DomainNumber(domain);
  if (number != kNoIndex) return number;
  CountLoss(kLoss_bad_attributes);
  return 0;
}

void NameThread(uint32_t thread, const char* name, size_t bytes) {
  const HookScope scope;
  if (scope) syncline::nvtx::NameThread(scope.log(), thread, name, bytes);
}

// The name of a resource; the text lives as long as the arguments.
void NameResourceByMessage(nvtxDomainHandle_t domain, uint32_t type, uint64_t key,
                           int32_t message_type, nvtxMessageValue_t message) {
  if (message_type == NVTX_MESSAGE_TYPE_ASCII && message.ascii != nullptr) {
    NameResource(domain, type, key, message.ascii, std::strlen(message.ascii));
  } else if (message_type == NVTX_MESSAGE_TYPE_UNICODE && message.unicode != nullptr) {
    const Utf8 text(message.unicode);
    if (text.valid()) NameResource(domain, type, key, text.data(), text.bytes());
  } else if (message_type == NVTX_MESSAGE_TYPE_REGISTERED &&
             FindString(message.registered) != nullptr) {
    const Text& text = FindString(message.registered)->text;
    NameResource(domain, type, key, text.data, text.bytes);
  } else if (message_type != NVTX_MESSAGE_UNKNOWN) {
    CountLoss(kLoss_bad_attributes);
  }
}

}  // namespace

nvtxDomainHandle_t DomainCreateA(const char* name) {
  return DomainOrStandIn(
      CreateDomain(name != nullptr ? name : "", name != nullptr ? std::strlen(name) : 0));
}

nvtxDomainHandle_t DomainCreateW(const wchar_t* name) {
  const Utf8 text(name);
  return DomainOrStandIn(text.valid() ? CreateDomain(text.data(), text.bytes())
                                      : CreateDomain("", 0));
}

void DomainDestroy(nvtxDomainHandle_t) {}  // its handles stay harmless for ever

void Initialize(const void*) {}

nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t domain, const char* string) {
  if (string == nullptr) return nullptr;
  return static_cast<nvtxStringHandle_t>(
      RegisterString(NumberOrDefault(domain), string, std::strlen(string)));
}

nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* string) {
  const Utf8 text(string);
  if (!text.valid()) return nullptr;
  return static_cast<nvtxStringHandle_t>(
      RegisterString(NumberOrDefault(domain), text.data(), text.bytes()));
}

void DomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name) {
  if (name != nullptr) NameCategory(NumberOrDefault(domain), category, name, std::strlen(name));
}

void DomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t* name) {
  const Utf8 text(name);
  if (text.valid()) NameCategory(NumberOrDefault(domain), category, text.data(), text.bytes());
}

void NameCategoryA(uint32_t category, const char* name) {
  DomainNameCategoryA(nullptr, category, name);
}

void NameCategoryW(uint32_t category, const wchar_t* name) {
  DomainNameCategoryW(nullptr, category, name);
}

void NameOsThreadA(uint32_t thread, const char* name) {
  if (name != nullptr) NameThread(thread, name, std::strlen(name));
}

void NameOsThreadW(uint32_t thread, const wchar_t* name) {
  const Utf8 text(name);
  if (text.valid()) NameThread(thread, text.data(), text.bytes());
}

nvtxResourceHandle_t DomainResourceCreate(nvtxDomainHandle_t domain,
                                          nvtxResourceAttributes_t* attributes) {
  auto* handle = static_cast<nvtxResourceHandle_t>(CreateObject(HandleKind::kResource));
  if (attributes == nullptr || attributes->version == 0 ||
      attributes->size < sizeof(nvtxResourceAttributes_t)) {
    CountLoss(kLoss_bad_attributes);
    return handle;
  }
  auto type = static_cast<uint32_t>(attributes->identifierType);
  uint64_t key = attributes->identifier.ullValue;
  // A thread by its pthread_t is known to us only if it is the calling one.
  if (type == NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX &&
      key == static_cast<uint64_t>(pthread_self())) {
    type = NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE;
    key = SysTid();
  }
  NameResourceByMessage(domain, type, key, attributes->messageType, attributes->message);
  return handle;
}

void DomainResourceDestroy(nvtxResourceHandle_t) {}

nvtxSyncUser_t DomainSyncUserCreate(nvtxDomainHandle_t domain,
                                    const nvtxSyncUserAttributes_t* attributes) {
  auto* handle = static_cast<nvtxSyncUser_t>(CreateObject(HandleKind::kSync));
  if (attributes == nullptr || attributes->version == 0 ||
      attributes->size < sizeof(nvtxSyncUserAttributes_t)) {
    CountLoss(kLoss_bad_attributes);
    return handle;
  }
  NameResourceByMessage(domain, kSyncUserResource, reinterpret_cast<uintptr_t>(handle),
                        attributes->messageType, attributes->message);
  return handle;
}

void DomainSyncUserDestroy(nvtxSyncUser_t) {}

// What happens to these objects is not recorded; that it was not is counted.
void DomainSyncUserAcquireStart(nvtxSyncUser_t) { CountLoss(kLoss_unsupported); }
void DomainSyncUserAcquireFailed(nvtxSyncUser_t) { CountLoss(kLoss_unsupported); }
void DomainSyncUserAcquireSuccess(nvtxSyncUser_t) { CountLoss(kLoss_unsupported); }
void DomainSyncUserReleasing(nvtxSyncUser_t) { CountLoss(kLoss_unsupported); }

}  // namespace syncline::nvtx::hook
