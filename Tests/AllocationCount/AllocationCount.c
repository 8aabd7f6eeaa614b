#define _GNU_SOURCE 1

#include "AllocationCount.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static _Thread_local bool counted;
static _Atomic uint64_t count;

void allocation_count_this_thread(bool is_counted) { counted = is_counted; }

uint64_t allocation_count(void) { return atomic_load(&count); }

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

bool allocation_count_works(void) { return false; }

#else

bool allocation_count_works(void) { return true; }

static void note(void *caller) {
  if (!counted) return;
  // dladdr may allocate.
  counted = false;
  Dl_info place;
  // The function through which the Swift runtime allocates reference-counted memory.
  if (dladdr(caller, &place) && place.dli_sname && strcmp(place.dli_sname, "swift_slowAlloc") == 0) {
    atomic_fetch_add(&count, 1);
  }
  counted = true;
}

// The C library's own functions, under the names that it exports for programs that interpose them.
extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  note(__builtin_return_address(0));
  return __libc_malloc(size);
}

void *realloc(void *memory, size_t size) {
  note(__builtin_return_address(0));
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  note(__builtin_return_address(0));
  void *allocated = __libc_memalign(alignment, size);
  if (!allocated) return ENOMEM;
  *memory = allocated;
  return 0;
}

#endif
