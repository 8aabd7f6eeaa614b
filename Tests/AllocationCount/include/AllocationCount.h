// How often a thread asks Swift for memory: the test program's own malloc, which hands on to the C library's.
//
// Counted is what objects, arrays and closures take. Not counted is what C libraries take for themselves, nor the
// room that unoptimised generic code takes for each value it touches.
#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

// False under a sanitizer, which has a malloc of its own.
bool allocation_count_works(void);

// From now on the calling thread's allocations are counted, or no longer.
void allocation_count_this_thread(bool is_counted);

// By all threads that are or were counted, since the program started.
uint64_t allocation_count(void);

#endif
