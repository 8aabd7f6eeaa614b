// What Linux offers and Swift's Glibc import hides. One line each says why it is here.
//
// No _GNU_SOURCE here: with it, structures of the C library (fd_set) have other members than in Swift's Glibc module, and
// a compiler that sees both refuses them. What needs it is a function of CLinux.c.
#ifndef CLINUX_H
#define CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>     // hidden by Glibc's module map
#include <sys/eventfd.h>   // hidden by Glibc's module map
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>     // hidden by Glibc's module map
#include <sys/random.h>    // hidden by Glibc's module map
#include <sys/signalfd.h>  // hidden by Glibc's module map
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The words for an error number in the C locale; hidden.
const char *clinux_error_words(int number);

// The day of the build: __DATE__ is the C compiler's. Seconds since 1970.
int64_t clinux_build_seconds(void);

// `preadv2` with RWF_NOWAIT: both are hidden, and a single buffer is all that is needed.
ssize_t clinux_pread_nowait(int descriptor, void *buffer, size_t count, off_t offset);

// `open` and `openat` are variadic, which Swift cannot call.
static inline int clinux_openat(int folder, const char *path, int flags, mode_t mode) {
  return openat(folder, path, flags | O_CLOEXEC, mode);
}

// `fcntl` and `ioctl` are variadic, which Swift cannot call.
static inline int clinux_set_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

// `renameat2` with RENAME_NOREPLACE: hidden; an older kernel or file system answers EINVAL.
int clinux_rename_without_replacing(const char *from, const char *to);

// A read lease is granted only while nobody has the file open for writing; F_SETLEASE is hidden. Who breaks it sends
// SIGIO, which would end the process: SIGURG, which is ignored unless asked for, takes its place.
int clinux_take_read_lease(int descriptor);
int clinux_drop_lease(int descriptor);

// `copy_file_range` is hidden.
ssize_t clinux_copy_file_range(int from, off_t *from_offset, int to, size_t count);

// `sync_file_range` is hidden.
int clinux_begin_writeback(int descriptor);

// `prctl` is variadic, and `pthread_setname_np` hidden.
static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// `accept4` is hidden.
int clinux_accept(int listener, struct sockaddr *address, socklen_t *length);

// The union inside epoll_event is unsafe to Swift; the loops keep a number in it.
static inline int clinux_epoll_add(int poller, int descriptor, uint32_t events, uint64_t data) {
  struct epoll_event event = {events, {.u64 = data}};
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}
static inline int clinux_epoll_remove(int poller, int descriptor) {
  struct epoll_event event = {0};
  return epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &event);
}

#endif
