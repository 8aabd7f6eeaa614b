// What Linux offers and Swift's Glibc import hides.
//
// No header of the system is included here: with _GNU_SOURCE, which the hidden calls need, some of its types look
// different from what Swift's own Glibc module has seen, and the two must not meet. So these are functions of our own,
// and CFootageLinux.c implements them. Unless said otherwise a result below 0 means failure, with the reason in errno.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

#include "CLinuxProcess.h"

// MARK: epoll, eventfd, signalfd: hidden as a whole

// The kernel packs its `struct epoll_event` on x86-64 alone, where 32-bit programs had that layout before; on every other
// processor the number is aligned (linux/eventpoll.h, EPOLL_PACKED).
#if defined(__x86_64__)
#define CLINUX_PACKED __attribute__((packed))
#else
#define CLINUX_PACKED
#endif

// `struct epoll_event` with a number for its union (man 2 epoll_ctl).
struct clinux_event {
  uint32_t events;
  uint64_t data;
} CLINUX_PACKED;

extern const uint32_t CLINUX_EPOLLIN, CLINUX_EPOLLOUT, CLINUX_EPOLLRDHUP, CLINUX_EPOLLERR, CLINUX_EPOLLHUP, CLINUX_EPOLLET;

int clinux_epoll_create(void);
int clinux_epoll_add(int poller, int descriptor, uint32_t events, uint64_t data);
int clinux_epoll_remove(int poller, int descriptor);
int clinux_epoll_wait(int poller, struct clinux_event *events, int count, int milliseconds);

// An eventfd that does not block.
int clinux_eventfd(void);

// A signalfd for the signals of the mask's numbers, which are blocked for this thread and those it starts.
int clinux_signalfd(const int *signals, int count);
// The number of the next signal; blocks until there is one.
int clinux_next_signal(int descriptor);

// MARK: Files

// `openat` is variadic. O_CLOEXEC goes without saying.
int clinux_openat(int folder, const char *path, int flags, unsigned mode);
// Opens a folder to look names up in, which needs no right to list it: O_PATH, which is hidden. A link is refused.
int clinux_open_for_looking(int folder, const char *path);
// `openat2`: opens what lies below the folder and is reached through no link and no way out of it. A link as the last part
// is refused too, unless the flags say O_PATH.
int clinux_open_beneath(int folder, const char *path, int flags);
extern const int CLINUX_O_PATH;
// `preadv2` with RWF_NOWAIT, into one buffer.
ptrdiff_t clinux_pread_nowait(int descriptor, void *buffer, size_t count, int64_t offset);
// `renameat2` with RENAME_NOREPLACE; an older kernel or file system answers EINVAL.
int clinux_rename_without_replacing(const char *from, const char *to);
// The same of two names in one folder.
int clinux_rename_in(int folder, const char *from, const char *to);
// A read lease is granted only while nobody has the file open for writing.
int clinux_take_read_lease(int descriptor);
int clinux_drop_lease(int descriptor);
ptrdiff_t clinux_copy_file_range(int from, int64_t *from_offset, int to, size_t count);
// `fsetxattr`, `fgetxattr` and `fremovexattr`, whose header is not imported; the second's result is the value's length in bytes.
int clinux_set_attribute(int descriptor, const char *name, const void *value, size_t count);
ptrdiff_t clinux_attribute(int descriptor, const char *name, void *value, size_t capacity);
int clinux_remove_attribute(int descriptor, const char *name);

// `fstat`, into a `struct stat`, by the call that takes no path. The C library takes one that does, which the process that reads
// files may not.
int clinux_status(int descriptor, void *status);

// What the file system of an open file says of itself, `f_fsid` of `fstatfs`, which is hidden; 0 where it says nothing.
int clinux_file_system_number(int descriptor, uint64_t *number);

// MARK: Sockets

// Asks the kernel about sockets (man 7 sock_diag), whose headers are not imported: sends one message of NETLINK_SOCK_DIAG and
// takes what it answers, which is there at once. The result is how long the answer is, whole or cut to the capacity.
ptrdiff_t clinux_ask_about_sockets(const void *message, size_t count, void *answer, size_t capacity);

// MARK: The rest

// `accept4`; the connection does not block. The address is a `struct sockaddr`.
int clinux_accept(int listener, void *address, uint32_t *length);
// Who connected to a socket with a path: `SO_PEERCRED`, whose `struct ucred` is hidden.
int clinux_peer_credentials(int descriptor, uint32_t *user, uint32_t *group, int32_t *process);
// `pthread_create` of a thread that no signal of the process is handed to: signals are the program's, and one that met
// a thread of ours would end it in the middle of something. Crashes are reported as ever. Returns an error number.
int clinux_create_thread(unsigned long *identity, void *(*start)(void *), void *argument);
// Has the calling thread run, and be served by disks, when nobody else wants to: `setpriority` with the nice value 19, and
// `ioprio_set` with the idle class (man 2 ioprio_set), which has no wrapper. Fails where one of the two does.
int clinux_yield_to_others(void);
// `strerrordesc_np`: what an error number means, in the C locale; null for one that is unknown.
const char *clinux_error_text(int error_number);
// `environ`, a variable that may be changed by anybody: the variables of this process as `NAME=VALUE`, up to a null.
char **clinux_environment(void);
// `prctl` is variadic, and `pthread_setname_np` hidden. 15 bytes at most count.
void clinux_name_thread(const char *name);
// `sem_clockwait`, which is hidden: waits until a moment on CLOCK_MONOTONIC, in milliseconds. A `sem_t`.
int clinux_wait_for_semaphore(void *semaphore, uint64_t deadline_milliseconds);
// `malloc_trim`, which is hidden: gives free memory back to the system.
void clinux_give_back_memory(void);
// The day of the build, in seconds since 1970: __DATE__ is the C compiler's.
int64_t clinux_build_seconds(void);

#endif
