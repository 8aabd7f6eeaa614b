// Child processes that are handed descriptors over a socket, and what keeps such a child small and harmless.
#ifndef CLINUX_PROCESS_H
#define CLINUX_PROCESS_H

#include <stddef.h>
#include <stdint.h>

// MARK: The parent's side

// Two ends of a socket that keeps messages apart and tells when the other end is closed (AF_UNIX, SOCK_SEQPACKET).
int clinux_socket_pair(int ends[2]);
// Two ends of a pipe, to read from and to write to. Nothing is written: the child reads its end to know that the parent is there.
int clinux_lifeline(int ends[2]);
// Starts `program` with two arguments. It gets `end` as descriptor 3, the reading end of a lifeline as 0, /dev/null as 1 and 2,
// and nothing else; no signal is blocked, and of the environment it sees what the loader and the sanitizers need. Returns an
// error number.
int clinux_spawn_with_socket(
    const char *program, const char *name, const char *argument, int end, int lifeline, int *process);
// Waits for the child's end. At least 0: its exit code; below: the signal that ended it, negated. INT32_MIN: an error.
int clinux_wait_for_child(int process);
// The processor time that a child has used since it began, in nanoseconds, until somebody has waited for its end.
int64_t clinux_processor_time(int process);
// Has the kernel end a child by SIGXCPU once it has used so many seconds of processor time in all, or the hard limit's.
int clinux_limit_processor_time(int process, uint64_t seconds);

// Sends a message and, with it, copies of descriptors.
int clinux_send_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count);
// Receives a message and the descriptors that came with it; fewer than wanted where fewer came. 0: the other end is closed.
ptrdiff_t clinux_receive_descriptors(
    int socket, void *bytes, size_t capacity, int *descriptors, int capacity_descriptors, int *descriptor_count);
// The beginning of the next message, which stays there. The result is the whole message's length, which may be more than the
// capacity, and below 0 where there is no message yet. 0: the other end is closed.
ptrdiff_t clinux_peek(int socket, void *bytes, size_t capacity);
// Waits until the socket can be received from. 1: it can; 0: the time is over; below 0: an error. -1 waits for ever.
int clinux_wait_readable(int descriptor, int milliseconds);

// A file that lives in memory alone, and a promise that nobody changes it any more.
int clinux_memory_file(const char *name);
int clinux_seal_memory_file(int descriptor);

// MARK: The child's side

// Gives up, for the whole process and for good, all that reading files does not need. From now on every thread of it may read
// and write what is open, allocate memory for data, and end; every other system call fails with EPERM (man 2 seccomp). It can
// send signals to itself alone, and neither handle nor block any. It is named footage-reader, and ignores the signals by which
// a terminal or a service manager stops a whole group. The kernel ends it when the other end of its lifeline, descriptor 0, is
// closed. Memory and the size of files are limited, cores are forbidden, and where memory runs out it is offered first.
//
// Below 0 where something of it cannot be had: from the kernel, or since the process runs under a sanitizer, which needs more
// memory and more system calls.
int clinux_confine_reader(uint64_t memory_bytes, uint64_t file_bytes);

#endif
