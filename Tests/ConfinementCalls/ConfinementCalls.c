#define _GNU_SOURCE 1

#include "ConfinementCalls.h"

#include <CLinuxProcess.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// The arguments of the calls.
static long parent, own, page_bytes;
static int spare_file, handed[2];
static char *page;
static char buffer[64];
static struct itimerval interval = {.it_value = {.tv_sec = 1000}};
static struct rlimit limit;
static sigset_t every_signal;

struct call {
  const char *name;
  long number;
  int is_allowed;
  long arguments[6];
};

#define REFUSED(name, ...) {#name, SYS_##name, 0, {__VA_ARGS__}}
#define ALLOWED(name, ...) {#name, SYS_##name, 1, {__VA_ARGS__}}
#define NAMED(words, name, wanted, ...) {words, SYS_##name, wanted, {__VA_ARGS__}}

// Without the filter, the refused calls would succeed, or fail with an error other than EPERM. Signal 0 does no harm.
static void try_all(int thread) {
  long anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  struct call calls[] = {
      // Signals.
      REFUSED(kill, parent, 0),
      REFUSED(tkill, parent, 0),
      NAMED("tgkill-of-the-parent", tgkill, 0, parent, parent, 0),
      NAMED("tgkill-of-the-own-process", tgkill, 1, own, own, 0),
      REFUSED(rt_sigqueueinfo, parent, 0, (long)buffer),
      REFUSED(rt_tgsigqueueinfo, parent, parent, 0, (long)buffer),
      REFUSED(pidfd_open, parent),
      REFUSED(pidfd_send_signal, spare_file, 0),
      REFUSED(rt_sigaction, SIGXCPU, 0, 0, 8),
      REFUSED(rt_sigprocmask, SIG_BLOCK, (long)&every_signal, 0, 8),
      REFUSED(signalfd4, -1, (long)&every_signal, 8),
      // New code, and memory that no limit counts.
      NAMED("mmap-code", mmap, 0, 0, page_bytes, PROT_READ | PROT_EXEC, anonymous, -1),
      NAMED("mmap-code-to-write", mmap, 0, 0, page_bytes, PROT_READ | PROT_WRITE | PROT_EXEC, anonymous, -1),
      NAMED("mmap-code-of-a-file", mmap, 0, 0, page_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, spare_file),
      NAMED("mmap-shared", mmap, 0, 0, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1),
      NAMED("mmap-as-a-stack", mmap, 0, 0, page_bytes, PROT_READ | PROT_WRITE, anonymous | MAP_GROWSDOWN, -1),
      NAMED("mmap-data", mmap, 1, 0, page_bytes, PROT_READ | PROT_WRITE, anonymous, -1),
      NAMED("mprotect-code", mprotect, 0, (long)page, page_bytes, PROT_READ | PROT_EXEC),
      NAMED("mprotect-data", mprotect, 1, (long)page, page_bytes, PROT_READ | PROT_WRITE),
      REFUSED(pkey_mprotect, (long)page, page_bytes, PROT_READ | PROT_EXEC, -1),
      REFUSED(memfd_create, (long)"more", 0),
      REFUSED(shmget, 0, page_bytes, 0600),
      REFUSED(mlock, (long)page, page_bytes),
      REFUSED(userfaultfd, 1),
      // The limits of its time and of everything else.
      REFUSED(setitimer, ITIMER_REAL, (long)&interval),
      REFUSED(timer_create, CLOCK_MONOTONIC, 0, (long)buffer),
      REFUSED(timerfd_create, CLOCK_MONOTONIC, 0),
      REFUSED(prlimit64, 0, RLIMIT_CPU, 0, (long)&limit),
      NAMED("prlimit64-of-the-parent", prlimit64, 0, parent, RLIMIT_NOFILE, 0, (long)&limit),
      REFUSED(getpriority, 0, 0),
      REFUSED(setpriority, 0, 0, 19),
      REFUSED(sched_setaffinity, 0, 8, (long)buffer),
      REFUSED(ioprio_set, 1, 0, 3 << 13),
      // Its lifeline, its socket, and the calls that could separate it from them.
      NAMED("close-the-lifeline", close, 0, 0),
      NAMED("close-the-socket", close, 0, 3),
      NAMED("close-what-it-was-handed", close, 1, handed[thread]),
      REFUSED(dup, spare_file),
      REFUSED(dup3, spare_file, 0, 0),
      REFUSED(close_range, 0, 3, 0),
      REFUSED(fcntl, 0, F_SETFL, 0),
      REFUSED(ioctl, 0, 0x5452, (long)buffer),
      REFUSED(prctl, PR_SET_DUMPABLE, 1),
      REFUSED(seccomp, 0, 0, 0),
      // Processes and threads.
      REFUSED(clone, CLONE_THREAD, 0, 0, 0, 0),
      REFUSED(clone3, 0, 0),
      REFUSED(execve, (long)"/nowhere", 0, 0),
      REFUSED(execveat, AT_FDCWD, (long)"/nowhere", 0, 0, 0),
      REFUSED(ptrace, PTRACE_ATTACH, 0, 0, 0),
      REFUSED(process_vm_readv, own, 0, 0, 0, 0, 0),
      REFUSED(process_vm_writev, own, 0, 0, 0, 0, 0),
      REFUSED(unshare, 0),
      REFUSED(setns, -1, 0),
      // Files and folders.
      REFUSED(openat, AT_FDCWD, (long)"/etc/passwd", O_RDONLY),
      REFUSED(newfstatat, AT_FDCWD, (long)"/etc/passwd", (long)page),
      REFUSED(openat2, AT_FDCWD, (long)"/etc/passwd", 0, 0),
      REFUSED(statx, AT_FDCWD, (long)"/etc/passwd", 0, 0, 0),
      REFUSED(readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)buffer, sizeof buffer),
      REFUSED(getdents64, 0, (long)buffer, sizeof buffer),
      REFUSED(unlinkat, AT_FDCWD, (long)"/nowhere/file", 0),
      REFUSED(mkdirat, AT_FDCWD, (long)"/nowhere/folder", 0700),
      REFUSED(renameat2, AT_FDCWD, (long)"/nowhere/one", AT_FDCWD, (long)"/nowhere/other", 0),
      REFUSED(linkat, AT_FDCWD, (long)"/nowhere/one", AT_FDCWD, (long)"/nowhere/other", 0),
      REFUSED(symlinkat, (long)"one", AT_FDCWD, (long)"/nowhere/other"),
      REFUSED(fchmod, spare_file, 0600),
      REFUSED(fchmodat, AT_FDCWD, (long)"/nowhere/file", 0600),
      REFUSED(fchownat, AT_FDCWD, (long)"/nowhere/file", -1, -1, 0),
      REFUSED(ftruncate, spare_file, 0),
      REFUSED(flock, spare_file, 2),
      REFUSED(chdir, (long)"/"),
      REFUSED(inotify_init1, 0),
      REFUSED(io_uring_setup, 0, 0),
      // The network, and calls that wait.
      REFUSED(socket, AF_INET, SOCK_STREAM, 0),
      REFUSED(socketpair, AF_UNIX, SOCK_STREAM, 0, (long)buffer),
      REFUSED(connect, 3, 0, 0),
      REFUSED(bind, 3, 0, 0),
      REFUSED(sendto, 3, 0, 0, 0, 0, 0),
      REFUSED(epoll_create1, 0),
      REFUSED(eventfd2, 0, 0),
      REFUSED(pipe2, (long)buffer, 0),
#if defined(__x86_64__)
      // Older forms, which newer processors do not have.
      REFUSED(alarm, 1000),
      REFUSED(open, (long)"/etc/passwd", O_RDONLY),
      REFUSED(creat, (long)"/nowhere/file", 0600),
      REFUSED(dup2, spare_file, 0),
      REFUSED(arch_prctl, 0x1003, (long)buffer),
#endif
      // The calls that it needs for its work.
      ALLOWED(pread64, spare_file, (long)buffer, 1, 0),
      ALLOWED(lseek, spare_file, 0, SEEK_SET),
      ALLOWED(fstat, spare_file, (long)page),
      ALLOWED(madvise, (long)page, page_bytes, MADV_NORMAL),
      ALLOWED(clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)buffer),
      ALLOWED(getrandom, (long)buffer, 1, 0),
      ALLOWED(sched_yield, 0),
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    const long *given = calls[i].arguments;
    errno = 0;
    long result = syscall(calls[i].number, given[0], given[1], given[2], given[3], given[4], given[5]);
    int error = result < 0 ? errno : 0;
    char line[128];
    const char *name = thread == 0 ? "first" : "second";
    int length = snprintf(
        line, sizeof line, "%s %s %s %d\n", name, calls[i].name, calls[i].is_allowed ? "allowed" : "refused", error);
    // One call writes a line, so neither thread waits for the other's lock.
    ssize_t ignored = write(1, line, (size_t)length);
    (void)ignored;
  }
}

static int begin[2], end[2];

// Reports that the thread is running, waits for permission to begin, and reports that it is done.
static void *try_in_second(void *unused) {
  char byte = 0;
  if (write(end[1], &byte, 1) == 1 && read(begin[0], &byte, 1) == 1) {
    try_all(1);
    ssize_t ignored = write(end[1], &byte, 1);
    (void)ignored;
  }
  return unused;
}

int confinement_calls_try(void) {
  parent = getppid();
  own = getpid();
  page_bytes = sysconf(_SC_PAGESIZE);
  sigemptyset(&every_signal);
  sigaddset(&every_signal, SIGXCPU);
  // The calls of `close` use numbers up to this one; the next opened descriptors are above it.
  while ((spare_file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)) >= 0 && spare_file < 8) {}
  for (int i = 0; i < 2; i++) handed[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  page = mmap(NULL, (size_t)page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_t second;
  if (spare_file < 0 || page == MAP_FAILED || pipe2(begin, O_CLOEXEC) != 0 || pipe2(end, O_CLOEXEC) != 0 ||
      pthread_create(&second, NULL, try_in_second, NULL) != 0)
    return 2;
  // The thread is started first, because that needs calls that are not allowed later.
  char byte = 0;
  if (read(end[0], &byte, 1) != 1) return 2;
  if (clinux_confine_reader(256 << 20, 1 << 20) != 0) return 2;
  try_all(0);
  if (write(begin[1], &byte, 1) != 1 || read(end[0], &byte, 1) != 1) return 2;
  return 0;
}
