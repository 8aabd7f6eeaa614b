// What Linux offers and Swift's Glibc import hides. One line each says why it is here.
#ifndef CLINUX_H
#define CLINUX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>        // strerrordesc_np is hidden
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

// The day of the build: __DATE__ is the C compiler's. Seconds since 1970.
int64_t clinux_build_seconds(void);

// `preadv2` with RWF_NOWAIT: both are hidden, and a single buffer is all that is needed.
static inline ssize_t clinux_pread_nowait(int descriptor, void *buffer, size_t count, off_t offset) {
  struct iovec vector = {buffer, count};
  return preadv2(descriptor, &vector, 1, offset, RWF_NOWAIT);
}

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
static inline int clinux_rename_without_replacing(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

// A read lease is granted only while nobody has the file open for writing; F_SETLEASE is hidden. Who breaks it sends
// SIGIO, which would end the process: SIGURG, which is ignored unless asked for, takes its place.
static inline int clinux_take_read_lease(int descriptor) {
  return fcntl(descriptor, F_SETSIG, SIGURG) < 0 ? -1 : fcntl(descriptor, F_SETLEASE, F_RDLCK);
}
static inline int clinux_drop_lease(int descriptor) { return fcntl(descriptor, F_SETLEASE, F_UNLCK); }

// `copy_file_range` is hidden.
static inline ssize_t clinux_copy_file_range(int from, off_t *from_offset, int to, size_t count) {
  return copy_file_range(from, from_offset, to, NULL, count, 0);
}

// `sync_file_range` is hidden.
static inline int clinux_begin_writeback(int descriptor) {
  return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
}

// `prctl` is variadic, and `pthread_setname_np` hidden.
static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// `accept4` is hidden.
static inline int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

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
