#define _GNU_SOURCE 1

#include "CLinuxProcess.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: The parent's side

int clinux_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

extern char **environ;

// What the dynamic loader and the sanitizers read; everything else is none of the child's business.
static int is_passed_on(const char *variable) {
  static const char *const names[] = {"LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "TSAN_OPTIONS=", "LLVM_PROFILE_FILE="};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(variable, names[i], strlen(names[i])) == 0) return 1;
  return 0;
}

int clinux_spawn_with_socket(const char *program, const char *name, const char *argument, int end, int *process) {
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
  if ((error = posix_spawn_file_actions_adddup2(&actions, end, 3)) == 0 &&
      (error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)) == 0 &&
      (error = posix_spawn_file_actions_adddup2(&actions, 0, 1)) == 0 &&
      (error = posix_spawn_file_actions_adddup2(&actions, 0, 2)) == 0 &&
      (error = posix_spawn_file_actions_addclosefrom_np(&actions, 4)) == 0 &&
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

int clinux_wait_for_child(int process) {
  int status;
  pid_t result;
  do result = waitpid(process, &status, 0);
  while (result < 0 && errno == EINTR);
  if (result < 0) return INT32_MIN;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void clinux_kill_child(int process) { kill(process, SIGKILL); }

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

static void *end_with_peer(void *argument) {
  struct pollfd polled = {.fd = (int)(intptr_t)argument, .events = 0};
  for (;;) {
    if (poll(&polled, 1, -1) > 0 && (polled.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) _exit(0);
  }
}

int clinux_end_with_peer(int socket) {
  pthread_t thread;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return -1;
  pthread_attr_setstacksize(&attributes, 64 << 10);
  int error = pthread_create(&thread, &attributes, end_with_peer, (void *)(intptr_t)socket);
  pthread_attr_destroy(&attributes);
  if (error != 0) return -1;
  pthread_detach(thread);
  return 0;
}

void clinux_ignore_stop_signals(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_IGN);
}

int clinux_is_sanitized(void) {
  return dlsym(RTLD_DEFAULT, "__asan_init") != NULL || dlsym(RTLD_DEFAULT, "__tsan_init") != NULL;
}

int clinux_limit_resources(uint64_t memory_bytes, uint64_t file_bytes) {
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

#define ALLOW(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int clinux_forbid_system_calls(void) {
#if !defined(ARCHITECTURE)
  errno = ENOSYS;
  return -1;
#else
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
      // The x32 calls have numbers of their own, from here on.
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
#endif
      // Its socket, and what came through it.
      ALLOW(recvmsg), ALLOW(sendmsg), ALLOW(pread64), ALLOW(preadv2), ALLOW(read), ALLOW(pwrite64), ALLOW(write),
      ALLOW(fstat), ALLOW(lseek), ALLOW(close),
#ifdef SYS_newfstatat
      ALLOW(newfstatat),
#endif
      // Memory.
      ALLOW(brk), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(mprotect),
      // Time, threads' locks, and the end.
      ALLOW(futex), ALLOW(setitimer), ALLOW(clock_gettime), ALLOW(getrandom), ALLOW(sched_yield), ALLOW(gettid),
      ALLOW(getpid), ALLOW(tgkill), ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(rt_sigreturn),
      ALLOW(restart_syscall), ALLOW(exit), ALLOW(exit_group),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

int clinux_limit_processor_time(uint64_t milliseconds) {
  struct itimerval timer = {
      .it_value = {.tv_sec = (time_t)(milliseconds / 1000), .tv_usec = (suseconds_t)(milliseconds % 1000 * 1000)}};
  return setitimer(ITIMER_PROF, &timer, NULL);
}
