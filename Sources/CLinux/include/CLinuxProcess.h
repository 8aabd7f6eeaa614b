// Child processes that are handed descriptors over a socket, and what keeps such a child small and harmless.
#ifndef CLINUX_PROCESS_H
#define CLINUX_PROCESS_H

#include <stddef.h>
#include <stdint.h>

// MARK: The parent's side

// Two ends of a socket that keeps messages apart and tells when the other end is closed (AF_UNIX, SOCK_SEQPACKET).
int clinux_socket_pair(int ends[2]);
// Starts `program` with two arguments. It gets `end` as descriptor 3, /dev/null as 0 to 2, and nothing else; no signal is
// blocked, and of the environment it sees what the loader and the sanitizers need. Returns an error number.
int clinux_spawn_with_socket(const char *program, const char *name, const char *argument, int end, int *process);
// Waits for the child's end. At least 0: its exit code; below: the signal that ended it, negated. INT32_MIN: an error.
int clinux_wait_for_child(int process);
void clinux_kill_child(int process);

// Sends a message and, with it, copies of descriptors.
int clinux_send_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count);
// Receives a message and the descriptors that came with it; fewer than wanted where fewer came. 0: the other end is closed.
ptrdiff_t clinux_receive_descriptors(
    int socket, void *bytes, size_t capacity, int *descriptors, int capacity_descriptors, int *descriptor_count);
// Waits until the socket can be received from. 1: it can; 0: the time is over; below 0: an error. -1 waits for ever.
int clinux_wait_readable(int descriptor, int milliseconds);

// A file that lives in memory alone, and a promise that nobody changes it any more.
int clinux_memory_file(const char *name);
int clinux_seal_memory_file(int descriptor);

// MARK: The child's side

// Ends the process when the other end of the socket is closed, whatever its other threads are doing.
int clinux_end_with_peer(int socket);
// Ignores the signals by which a terminal or a service manager stops a whole group: the parent says when it is over.
void clinux_ignore_stop_signals(void);
// Whether the process runs under a sanitizer, which needs more memory and more system calls than are allowed here.
int clinux_is_sanitized(void);
// Limits memory and the size of files, forbids cores, and offers this process first where memory runs out.
int clinux_limit_resources(uint64_t memory_bytes, uint64_t file_bytes);
// From now on this thread may read, write what is open, and allocate, and nothing else: every other system call fails
// with EPERM (man 2 seccomp). Fails where the kernel cannot do that.
int clinux_forbid_system_calls(void);
// Ends the process by SIGPROF when it has used so much more processor time; 0 takes that back.
int clinux_limit_processor_time(uint64_t milliseconds);

#endif
