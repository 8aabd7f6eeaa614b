#define _GNU_SOURCE 1

#include "CFootageLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct clinux_event) == sizeof(struct epoll_event), "the layouts are one");
_Static_assert(offsetof(struct clinux_event, data) == offsetof(struct epoll_event, data), "the layouts are one");

const uint32_t CLINUX_EPOLLIN = EPOLLIN, CLINUX_EPOLLOUT = EPOLLOUT, CLINUX_EPOLLRDHUP = EPOLLRDHUP,
               CLINUX_EPOLLERR = EPOLLERR, CLINUX_EPOLLHUP = EPOLLHUP, CLINUX_EPOLLET = EPOLLET;

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_epoll_add(int poller, int descriptor, uint32_t events, uint64_t data) {
  struct epoll_event event = {events, {.u64 = data}};
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

int clinux_epoll_remove(int poller, int descriptor) {
  struct epoll_event event = {0};
  return epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &event);
}

int clinux_epoll_wait(int poller, struct clinux_event *events, int count, int milliseconds) {
  return epoll_wait(poller, (struct epoll_event *)events, count, milliseconds);
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_signalfd(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  return signalfd(-1, &set, SFD_CLOEXEC);
}

int clinux_next_signal(int descriptor) {
  struct signalfd_siginfo information;
  ssize_t count = read(descriptor, &information, sizeof information);
  return count == sizeof information ? (int)information.ssi_signo : -1;
}

int clinux_openat(int folder, const char *path, int flags, unsigned mode) {
  return openat(folder, path, flags | O_CLOEXEC, (mode_t)mode);
}

const int CLINUX_O_PATH = O_PATH;

int clinux_open_for_looking(int folder, const char *path) {
  return openat(folder, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int clinux_open_beneath(int folder, const char *path, int flags) {
  struct open_how how = {
      .flags = (uint64_t)(unsigned)flags | O_CLOEXEC | O_NOFOLLOW,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  // The C library has no function for it.
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

ptrdiff_t clinux_pread_nowait(int descriptor, void *buffer, size_t count, int64_t offset) {
  struct iovec vector = {buffer, count};
  return preadv2(descriptor, &vector, 1, offset, RWF_NOWAIT);
}

int clinux_rename_without_replacing(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int clinux_rename_in(int folder, const char *from, const char *to) {
  return renameat2(folder, from, folder, to, RENAME_NOREPLACE);
}

int clinux_take_read_lease(int descriptor) {
  // Who breaks a lease sends SIGIO, which would end the process: SIGURG, which is ignored unless asked for, takes its
  // place.
  return fcntl(descriptor, F_SETSIG, SIGURG) < 0 ? -1 : fcntl(descriptor, F_SETLEASE, F_RDLCK);
}

int clinux_drop_lease(int descriptor) { return fcntl(descriptor, F_SETLEASE, F_UNLCK); }

ptrdiff_t clinux_copy_file_range(int from, int64_t *from_offset, int to, size_t count) {
  off_t offset = *from_offset;
  ssize_t copied = copy_file_range(from, &offset, to, NULL, count, 0);
  *from_offset = offset;
  return copied;
}

int clinux_set_attribute(int descriptor, const char *name, const void *value, size_t count) {
  return fsetxattr(descriptor, name, value, count, 0);
}

ptrdiff_t clinux_attribute(int descriptor, const char *name, void *value, size_t capacity) {
  return fgetxattr(descriptor, name, value, capacity);
}

int clinux_remove_attribute(int descriptor, const char *name) { return fremovexattr(descriptor, name); }

// The kernel's structure is the C library's own where a file's size has 64 bits.
int clinux_status(int descriptor, void *status) { return (int)syscall(SYS_fstat, descriptor, status); }

int clinux_create_thread(unsigned long *identity, void *(*start)(void *), void *argument) {
  static const int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigdelset(&blocked, crashes[i]);
  // A new thread begins with the signals blocked that its parent has blocked then.
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  int result = pthread_create(identity, NULL, start, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}

int clinux_file_system_number(int descriptor, uint64_t *number) {
  struct statfs status;
  if (fstatfs(descriptor, &status) != 0) return -1;
  _Static_assert(sizeof status.f_fsid == sizeof *number, "two numbers of 32 bits");
  memcpy(number, &status.f_fsid, sizeof *number);
  return 0;
}

int clinux_accept(int listener, void *address, uint32_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_peer_credentials(int descriptor, uint32_t *user, uint32_t *group, int32_t *process) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  *user = peer.uid;
  *group = peer.gid;
  *process = peer.pid;
  return 0;
}

ptrdiff_t clinux_ask_about_sockets(const void *message, size_t count, void *answer, size_t capacity) {
  int descriptor = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (descriptor < 0) return -1;
  struct sockaddr_nl from = {0};
  socklen_t length = sizeof from;
  ssize_t received = -1;
  // The kernel answers one socket within `send`: who would have to wait is not answered.
  if (send(descriptor, message, count, 0) == (ssize_t)count)
    received = recvfrom(descriptor, answer, capacity, MSG_DONTWAIT, (struct sockaddr *)&from, &length);
  // Number 0 is the kernel; anybody else has nothing to say here.
  if (received >= 0 && from.nl_pid != 0) {
    received = -1;
    errno = EPERM;
  }
  int number = errno;
  close(descriptor);
  errno = number;
  return received;
}

const char *clinux_error_text(int error_number) { return strerrordesc_np(error_number); }

char **clinux_environment(void) { return environ; }

// linux/ioprio.h, which older systems do not install: the class stands in the three highest bits of sixteen.
enum { CLINUX_IOPRIO_WHO_PROCESS = 1, CLINUX_IOPRIO_IDLE = 3 << 13 };

int clinux_yield_to_others(void) {
  // With 0 both are about the calling thread alone.
  int nice = setpriority(PRIO_PROCESS, 0, 19);
  long disk = syscall(SYS_ioprio_set, CLINUX_IOPRIO_WHO_PROCESS, 0, CLINUX_IOPRIO_IDLE);
  return nice == 0 && disk == 0 ? 0 : -1;
}

void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int64_t clinux_build_seconds(void) {
  struct tm day = {0};
  return strptime(__DATE__, "%b %d %Y", &day) ? (int64_t)timegm(&day) : 0;
}

int clinux_wait_for_semaphore(void *semaphore, uint64_t deadline_milliseconds) {
  struct timespec deadline = {(time_t)(deadline_milliseconds / 1000), (long)(deadline_milliseconds % 1000) * 1000000};
  return sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline);
}

void clinux_give_back_memory(void) { malloc_trim(0); }
