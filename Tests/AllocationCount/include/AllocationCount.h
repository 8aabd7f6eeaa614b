// The number of times that a thread asks Swift for memory. The test program's own malloc counts, and calls the C
// library's.
//
// The memory of objects, arrays and closures is counted. The memory that C libraries use for themselves is not, and
// neither is the space that unoptimized generic code uses for each value that it touches.
#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

// Returns false under a sanitizer, which has a malloc of its own.
bool allocation_count_works(void);

// Starts or stops counting the calling thread's allocations.
void allocation_count_this_thread(bool is_counted);

// Returns the number of allocations by all threads that are or were counted, since the program started.
uint64_t allocation_count(void);

#endif
