#define _GNU_SOURCE 1
#include "CLinux.h"

#include <time.h>

int64_t clinux_build_seconds(void) {
  struct tm day = {0};
  return strptime(__DATE__, "%b %d %Y", &day) ? (int64_t)timegm(&day) : 0;
}

const char *clinux_error_words(int number) { return strerrordesc_np(number); }

ssize_t clinux_pread_nowait(int descriptor, void *buffer, size_t count, off_t offset) {
  struct iovec vector = {buffer, count};
  return preadv2(descriptor, &vector, 1, offset, RWF_NOWAIT);
}

int clinux_rename_without_replacing(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int clinux_take_read_lease(int descriptor) {
  return fcntl(descriptor, F_SETSIG, SIGURG) < 0 ? -1 : fcntl(descriptor, F_SETLEASE, F_RDLCK);
}

int clinux_drop_lease(int descriptor) { return fcntl(descriptor, F_SETLEASE, F_UNLCK); }

ssize_t clinux_copy_file_range(int from, off_t *from_offset, int to, size_t count) {
  return copy_file_range(from, from_offset, to, NULL, count, 0);
}

int clinux_begin_writeback(int descriptor) {
  return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
