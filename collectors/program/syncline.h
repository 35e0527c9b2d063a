/* SPDX-License-Identifier: Apache-2.0 */
/* What a program may tell Syncline, the profiler, of itself. C99 and C++; nothing to link.
 *
 *   syncline_region step = syncline_region_begin("step");
 *   ...
 *   syncline_region_end(step);
 *
 * Where the program does not run under `syncline --`, each call is one load and one comparison, and
 * nothing happens. docs/door.md says more. */
#ifndef SYNCLINE_H_
#define SYNCLINE_H_

#include <stddef.h>
#include <stdint.h>

/* In the words of C: NOLINTBEGIN(readability-identifier-naming,modernize-*) */
#ifdef __cplusplus
extern "C" {
#endif

typedef struct syncline_region {
  uint64_t id;       /* 0: not recorded */
  uint64_t begin_ns; /* CLOCK_MONOTONIC */
} syncline_region;

enum { SYNCLINE_LABEL_TEXT = 1, SYNCLINE_LABEL_INTEGER = 2, SYNCLINE_LABEL_REAL = 3 };

/* What a region bears: SYNCLINE_TEXT("request", id), SYNCLINE_INTEGER("batch", 8). */
typedef struct syncline_label {
  const char* key;
  uint32_t kind;
  uint32_t reserved;
  union {
    const char* text;
    int64_t integer;
    double real;
  } value;
} syncline_label;

/* The region may end on another thread, and overlap others of its thread. */
enum { SYNCLINE_ANY_THREAD = 1 };
/* The time is kept for which devices are busy with what this thread launches in the region. Not
 * with SYNCLINE_ANY_THREAD: whose launches they are is not known there. */
enum { SYNCLINE_DEVICE_TIME = 2 };

/* What is known of a region's device time. */
enum {
  SYNCLINE_DEVICE_UNKNOWN = 0,  /* nothing: not asked for, nothing launched, or forgotten */
  SYNCLINE_DEVICE_PENDING = 1,  /* what has come so far; the region is open, or more is to come */
  SYNCLINE_DEVICE_AT_LEAST = 2, /* a part, and it cannot be known what is missing */
  SYNCLINE_DEVICE_COMPLETE = 3
};

/* The library's functions, if it is there. A program that is linked to fixed places has to ask for
 * them through its table of places, or its linker would settle that they are not there. */
#if defined(__x86_64__) && !defined(__PIC__)
#define SYNCLINE_FIND_(name, found) \
  __asm__(".weak " #name "\n\tmovq " #name "@GOTPCREL(%%rip), %0" : "=r"(found))
#else
#define SYNCLINE_FIND_(name, found) ((found) = (name))
#endif
#define SYNCLINE_DOOR_(result, name, parameters)                        \
  result syncline_door_##name parameters __attribute__((weak));         \
  typedef result(*syncline_##name##_function) parameters;               \
  static inline syncline_##name##_function syncline_find_##name(void) { \
    syncline_##name##_function found;                                   \
    SYNCLINE_FIND_(syncline_door_##name, found);                        \
    return found;                                                       \
  }
SYNCLINE_DOOR_(syncline_region, begin,
               (const char* name, const syncline_label* labels, size_t count, uint32_t flags))
SYNCLINE_DOOR_(uint64_t, end, (syncline_region region))
SYNCLINE_DOOR_(uint32_t, device_time, (syncline_region region, uint64_t* busy_ns))
SYNCLINE_DOOR_(int, pause, (void))
SYNCLINE_DOOR_(int, resume, (void))
SYNCLINE_DOOR_(void, flush, (void))
SYNCLINE_DOOR_(const char*, output_dir, (void))
SYNCLINE_DOOR_(int, is_recording, (void))
#undef SYNCLINE_DOOR_
#undef SYNCLINE_FIND_

static inline syncline_label SYNCLINE_TEXT(const char* key, const char* text) {
  syncline_label label;
  label.key = key;
  label.kind = SYNCLINE_LABEL_TEXT;
  label.reserved = 0;
  label.value.text = text;
  return label;
}

static inline syncline_label SYNCLINE_INTEGER(const char* key, int64_t integer) {
  syncline_label label;
  label.key = key;
  label.kind = SYNCLINE_LABEL_INTEGER;
  label.reserved = 0;
  label.value.integer = integer;
  return label;
}

static inline syncline_label SYNCLINE_REAL(const char* key, double real) {
  syncline_label label;
  label.key = key;
  label.kind = SYNCLINE_LABEL_REAL;
  label.reserved = 0;
  label.value.real = real;
  return label;
}

/* Names and labels are copied. A region ends on the thread that began it; regions nest. */
static inline syncline_region syncline_region_begin_with(const char* name,
                                                         const syncline_label* labels, size_t count,
                                                         uint32_t flags) {
  const syncline_begin_function begin = syncline_find_begin();
  const syncline_region none = {0, 0};
  return begin ? begin(name, labels, count, flags) : none;
}

static inline syncline_region syncline_region_begin(const char* name) {
  return syncline_region_begin_with(name, NULL, 0, 0);
}

/* The nanoseconds that it lasted on the host; 0: Syncline is not there. */
static inline uint64_t syncline_region_end(syncline_region region) {
  const syncline_end_function end = syncline_find_end();
  return end ? end(region) : 0;
}

/* How long devices have been busy with what was launched in the region, begun with
 * SYNCLINE_DEVICE_TIME, as far as it is known now: waits for nothing. Gives a SYNCLINE_DEVICE_...;
 * *busy_ns is 0 if nothing is known. */
static inline uint32_t syncline_region_device_time(syncline_region region, uint64_t* busy_ns) {
  const syncline_device_time_function device_time = syncline_find_device_time();
  *busy_ns = 0;
  return device_time ? device_time(region, busy_ns) : (uint32_t)SYNCLINE_DEVICE_UNKNOWN;
}

/* With `syncline --gate program`: nothing that begins from now on is recorded, or it is again.
 * 1: so it is; 0: Syncline is not there, or was not told so. */
static inline int syncline_pause(void) {
  const syncline_pause_function pause = syncline_find_pause();
  return pause ? pause() : 0;
}
static inline int syncline_resume(void) {
  const syncline_resume_function resume = syncline_find_resume();
  return resume ? resume() : 0;
}

/* What devices have done and their driver still holds goes to the launcher now. */
static inline void syncline_flush(void) {
  const syncline_flush_function flush = syncline_find_flush();
  if (flush) flush();
}

/* The run's directory; NULL: Syncline is not there. */
static inline const char* syncline_output_dir(void) {
  const syncline_output_dir_function output_dir = syncline_find_output_dir();
  return output_dir ? output_dir() : NULL;
}

/* Whether what begins on this thread now is recorded. */
static inline int syncline_is_recording(void) {
  const syncline_is_recording_function is_recording = syncline_find_is_recording();
  return is_recording ? is_recording() : 0;
}

#ifdef __cplusplus
} /* extern "C" */

namespace syncline {

/* As long as it lives: syncline::Region step("step", {SYNCLINE_INTEGER("number", 7)}); */
class Region {
 public:
  explicit Region(const char* name, uint32_t flags = 0)
      : region_(syncline_region_begin_with(name, NULL, 0, flags)) {}
  template <size_t kCount>
  Region(const char* name, const syncline_label (&labels)[kCount], uint32_t flags = 0)
      : region_(syncline_region_begin_with(name, labels, kCount, flags)) {}
  ~Region() { syncline_region_end(region_); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  /* For syncline_region_device_time, also when it has ended. */
  syncline_region handle() const { return region_; }

 private:
  syncline_region region_;
};

}  // namespace syncline
#endif
/* NOLINTEND(readability-identifier-naming,modernize-*) */

#endif /* SYNCLINE_H_ */
