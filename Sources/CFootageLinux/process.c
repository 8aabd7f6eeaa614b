#define _GNU_SOURCE 1

#include "CLinuxProcess.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// MARK: The parent's side

int clinux_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

int clinux_lifeline(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

extern char **environ;

// What the dynamic loader and the sanitizers read; everything else is none of the child's business.
static int is_passed_on(const char *variable) {
  static const char *const names[] = {"LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "TSAN_OPTIONS=", "LLVM_PROFILE_FILE="};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(variable, names[i], strlen(names[i])) == 0) return 1;
  return 0;
}

// The descriptors that the child finds, and the first number that is none of its own.
enum { LIFELINE = 0, PARENT = 3, FIRST_FREE = 4 };

// Starts the program with two descriptors that lie above those which the child gets.
static int spawn(const char *program, const char *name, const char *argument, int end, int lifeline, int *process) {
  char *arguments[] = {(char *)name, (char *)argument, NULL};
  char *environment[8];
  int count = 0;
  // A crash is reported by its signal; a backtrace would cost seconds.
  environment[count++] = "SWIFT_BACKTRACE=enable=no";
  for (char **variable = environ; *variable != NULL && count < 7; variable++)
    if (is_passed_on(*variable)) environment[count++] = *variable;
  environment[count] = NULL;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if ((error = posix_spawn_file_actions_adddup2(&actions, end, PARENT)) == 0 &&
      (error = posix_spawn_file_actions_adddup2(&actions, lifeline, LIFELINE)) == 0 &&
      (error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_RDWR, 0)) == 0 &&
      (error = posix_spawn_file_actions_adddup2(&actions, 1, 2)) == 0 &&
      (error = posix_spawn_file_actions_addclosefrom_np(&actions, FIRST_FREE)) == 0 &&
      (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0 &&
      (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0 &&
      (error = posix_spawnattr_setpgroup(&attributes, 0)) == 0 &&
      (error = posix_spawnattr_setflags(
           &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)) == 0) {
    pid_t child;
    error = posix_spawn(&child, program, &actions, &attributes, arguments, environment);
    if (error == 0) *process = (int)child;
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int clinux_spawn_with_socket(
    const char *program, const char *name, const char *argument, int end, int lifeline, int *process) {
  // Else one of the two might lie where the other has to go.
  int high_end = fcntl(end, F_DUPFD_CLOEXEC, FIRST_FREE);
  if (high_end < 0) return errno;
  int high_lifeline = fcntl(lifeline, F_DUPFD_CLOEXEC, FIRST_FREE);
  int error = high_lifeline < 0 ? errno : spawn(program, name, argument, high_end, high_lifeline, process);
  if (high_lifeline >= 0) close(high_lifeline);
  close(high_end);
  return error;
}

int clinux_wait_for_child(int process) {
  int status;
  pid_t result;
  do result = waitpid(process, &status, 0);
  while (result < 0 && errno == EINTR);
  if (result < 0) return INT32_MIN;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int64_t clinux_processor_time(int process) {
  clockid_t meter;
  struct timespec time;
  if (clock_getcpuclockid(process, &meter) != 0 || clock_gettime(meter, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int clinux_limit_processor_time(int process, uint64_t seconds) {
  struct rlimit limit;
  if (prlimit(process, RLIMIT_CPU, NULL, &limit) != 0) return -1;
  // The hard limit may be the operator's, and could not be raised again.
  limit.rlim_cur = seconds < limit.rlim_max ? seconds : limit.rlim_max;
  return prlimit(process, RLIMIT_CPU, &limit, NULL);
}

#define MOST_DESCRIPTORS 4

int clinux_send_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
  if (descriptor_count < 0 || descriptor_count > MOST_DESCRIPTORS) {
    errno = EINVAL;
    return -1;
  }
  struct iovec vector = {(void *)bytes, count};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (descriptor_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, descriptor_count * sizeof(int));
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)count ? 0 : -1;
}

ptrdiff_t clinux_receive_descriptors(
    int socket, void *bytes, size_t capacity, int *descriptors, int capacity_descriptors, int *descriptor_count) {
  struct iovec vector = {bytes, capacity};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t received;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  *descriptor_count = 0;
  if (received < 0) return -1;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int i = 0; i < count; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof descriptor);
      if (*descriptor_count < capacity_descriptors)
        descriptors[(*descriptor_count)++] = descriptor;
      else
        close(descriptor);
    }
  }
  return received;
}

ptrdiff_t clinux_peek(int socket, void *bytes, size_t capacity) {
  return recv(socket, bytes, capacity, MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);
}

int clinux_wait_readable(int descriptor, int milliseconds) {
  struct pollfd polled = {.fd = descriptor, .events = POLLIN};
  int count = poll(&polled, 1, milliseconds);
  // A signal is an early end of the wait; the caller knows the time.
  return count < 0 && errno == EINTR ? 0 : count;
}

int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int clinux_seal_memory_file(int descriptor) {
  return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

// MARK: The child's side

// Has the kernel end this process, by SIGKILL, when the other end of the lifeline is closed: nothing that runs in here
// has a part in it, so nothing can keep it from happening (man 2 fcntl, F_SETSIG).
static int end_with_parent(void) {
  int flags = fcntl(LIFELINE, F_GETFL);
  if (flags < 0 || fcntl(LIFELINE, F_SETOWN, getpid()) != 0 || fcntl(LIFELINE, F_SETSIG, SIGKILL) != 0 ||
      fcntl(LIFELINE, F_SETFL, flags | O_ASYNC) != 0)
    return -1;
  // A parent that was gone before tells it here.
  struct pollfd polled = {.fd = LIFELINE, .events = 0};
  if (poll(&polled, 1, 0) > 0 && (polled.revents & (POLLHUP | POLLERR)) != 0) _exit(0);
  return 0;
}

// By these a terminal or a service manager stops a whole group; the parent says when it is over.
static void ignore_stop_signals(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_IGN);
}

// A sanitizer needs more memory and more system calls than are allowed here.
static int is_sanitized(void) {
  return dlsym(RTLD_DEFAULT, "__asan_init") != NULL || dlsym(RTLD_DEFAULT, "__tsan_init") != NULL;
}

static int limit_resources(uint64_t memory_bytes, uint64_t file_bytes) {
  int adjustment = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (adjustment >= 0) {
    ssize_t ignored = write(adjustment, "1000", 4);
    (void)ignored;
    close(adjustment);
  }
  // RLIMIT_DATA counts what is private and can be written, whatever libraries and threads reserve (man 2 getrlimit).
  struct rlimit memory = {memory_bytes, memory_bytes}, file = {file_bytes, file_bytes}, core = {0, 0};
  return setrlimit(RLIMIT_CORE, &core) | setrlimit(RLIMIT_FSIZE, &file) | setrlimit(RLIMIT_DATA, &memory);
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// The lower half of an argument; both processors store it first. The kernel takes no more of an `int` or of flags.
#define ARGUMENT(index) offsetof(struct seccomp_data, args[index])

#define ALLOWED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), ALLOWED

// Allows the call where a comparison of one argument with a value holds; `then` and `otherwise` are 0 and 1, or 1 and 0
// where it must not hold.
#define ALLOW_WHERE(call, index, comparison, value, then, otherwise) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(index)), \
      BPF_JUMP(BPF_JMP | comparison | BPF_K, value, then, otherwise), ALLOWED, REFUSED

// The filter holds for every thread there is: a second one would else be a way around it.
static int forbid_system_calls(void) {
#if !defined(ARCHITECTURE)
  errno = ENOSYS;
  return -1;
#else
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
      // The x32 calls have numbers of their own, from here on.
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
      // Its socket, and what came through it.
      ALLOW(recvmsg), ALLOW(sendmsg), ALLOW(pread64), ALLOW(preadv2), ALLOW(read), ALLOW(pwrite64), ALLOW(write),
      ALLOW(fstat), ALLOW(lseek),
      // What it was handed may be closed, and not its lifeline.
      ALLOW_WHERE(close, 0, BPF_JGE, FIRST_FREE, 0, 1),
      // Memory: no new code, and none that its limit does not count.
      ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise),
      ALLOW_WHERE(mprotect, 2, BPF_JSET, PROT_EXEC, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 6),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(2)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(3)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED | MAP_GROWSDOWN, 1, 0),
      ALLOWED,
      REFUSED,
      // Time, locks, and the end: by a signal, which it can send to itself alone, and neither block nor handle.
      ALLOW(futex), ALLOW(clock_gettime), ALLOW(getrandom), ALLOW(sched_yield), ALLOW(gettid), ALLOW(getpid),
      ALLOW_WHERE(tgkill, 0, BPF_JEQ, (unsigned)getpid(), 0, 1),
      ALLOW(restart_syscall), ALLOW(exit), ALLOW(exit_group),
      REFUSED,
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  // The C library has no function for it.
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0 ? 0 : -1;
#endif
}

int clinux_confine_reader(uint64_t memory_bytes, uint64_t file_bytes) {
  prctl(PR_SET_NAME, "footage-reader", 0, 0, 0);
  ignore_stop_signals();
  int is_bound = end_with_parent();
  if (is_sanitized()) return -1;
  int is_limited = limit_resources(memory_bytes, file_bytes);
  return is_bound | is_limited | forbid_system_calls();
}
