/// A library between one program and its disk. It makes calls on some of the program's files fail while a test wants
/// that.
import Foundation
import LinuxTestSupport
import Testing

struct FaultyDisk {
  private let control: String
  /// The environment of the program that is to have the fault.
  let environment: [String: String]

  /// - Parameters:
  ///   - control: the path of a file that says what fails. Nothing fails while it does not exist.
  ///   - paths: a part of the paths of the files that are affected.
  ///   - calls: the names of the calls: `write` for all that write, `read` for those that read at an offset.
  init(_ control: String, paths: String, calls: String...) throws {
    self.control = control
    environment = [
      "LD_PRELOAD": try Self.built.get(), "TEST_FAULT": control, "TEST_FAULT_PATHS": paths,
      "TEST_FAULT_CALLS": calls.joined(separator: " "),
      // The address sanitizer wants to be the first library, but works without that.
      "ASAN_OPTIONS": "verify_asan_link_order=0",
    ]
  }

  /// Makes the calls fail with this error from now on.
  func begin(_ error: Int32) throws { try write("\(error)") }

  /// Lets another process append to a file before each call from now on. The calls themselves succeed.
  func beginTouching(_ path: String) throws { try write("0 \(path)") }

  /// Makes calls that may wait for the disk block until `end`. Calls that must not wait find nothing in memory.
  func beginHolding() throws { try write("hold") }

  /// Ends all faults and blocked calls.
  func end() throws { try FileManager.default.removeItem(atPath: control) }

  /// The number of calls that were affected so far.
  var hits: Int { FileManager.default.contents(atPath: control + ".hits")?.count ?? 0 }

  /// Writes the file atomically, so that no reader sees half of it.
  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: control), options: .atomic)
  }

  private static let built: Result<String, any Error> = Result {
    let source = """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <fcntl.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/syscall.h>
      #include <sys/uio.h>
      #include <unistd.h>
      /* Whether this call on this file shall fail: with errno. */
      static int fails(const char *call, int fd) {
        const char *control = getenv("TEST_FAULT"), *paths = getenv("TEST_FAULT_PATHS");
        const char *calls = getenv("TEST_FAULT_CALLS");
        char link[64], path[4096], text[4096], touched[4096] = "";
        char kind[64] = "";
        sscanf(call, "%63s", kind);
        if (!control || !paths || !calls || !strstr(calls, kind)) return 0;
        int saved = errno, error = 0;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length < 0) { errno = saved; return 0; }
        path[length] = 0;
        if (!strstr(path, paths)) { errno = saved; return 0; }
        int file = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY, 0);
        if (file < 0) { errno = saved; return 0; }
        length = syscall(SYS_read, file, text, sizeof text - 1);
        text[length < 0 ? 0 : length] = 0;
        syscall(SYS_close, file);
        int holds = strncmp(text, "hold", 4) == 0;
        sscanf(text, "%d %4095[^\\n]", &error, touched);
        if (holds && strcmp(call, "read without waiting") == 0) { errno = EAGAIN; return 1; }
        snprintf(text, sizeof text, "%s.hits", control);
        file = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND, 0600);
        syscall(SYS_write, file, ".", 1);
        syscall(SYS_close, file);
        while (holds && syscall(SYS_faccessat, AT_FDCWD, control, F_OK) == 0) usleep(2000);
        if (touched[0]) {
          file = syscall(SYS_openat, AT_FDCWD, touched, O_WRONLY | O_APPEND, 0);
          syscall(SYS_write, file, "more", 4);
          syscall(SYS_close, file);
        }
        errno = error ? error : saved;
        return error != 0;
      }
      ssize_t write(int fd, const void *bytes, size_t count) {
        return fails("write", fd) ? -1 : syscall(SYS_write, fd, bytes, count);
      }
      ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
        return fails("write", fd) ? -1 : syscall(SYS_pwrite64, fd, bytes, count, offset);
      }
      ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
        return fails("write", fd) ? -1 : syscall(SYS_pwrite64, fd, bytes, count, offset);
      }
      ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {
        return fails("read", fd) ? -1 : syscall(SYS_pread64, fd, bytes, count, offset);
      }
      ssize_t pread64(int fd, void *bytes, size_t count, off_t offset) {
        return fails("read", fd) ? -1 : syscall(SYS_pread64, fd, bytes, count, offset);
      }
      ssize_t preadv2(int fd, const struct iovec *pieces, int count, off_t offset, int flags) {
        if (fails(flags & RWF_NOWAIT ? "read without waiting" : "read", fd)) return -1;
        return syscall(SYS_preadv2, fd, pieces, count, offset, 0L, flags);
      }
      ssize_t preadv64v2(int fd, const struct iovec *pieces, int count, off_t offset, int flags) {
        return preadv2(fd, pieces, count, offset, flags);
      }
      int ftruncate(int fd, off_t length) { return fails("ftruncate", fd) ? -1 : syscall(SYS_ftruncate, fd, length); }
      int ftruncate64(int fd, off_t length) { return fails("ftruncate", fd) ? -1 : syscall(SYS_ftruncate, fd, length); }
      int fsync(int fd) { return fails("fsync", fd) ? -1 : syscall(SYS_fsync, fd); }
      int fdatasync(int fd) { return fails("fsync", fd) ? -1 : syscall(SYS_fdatasync, fd); }
      int close(int fd) {
        int failed = fails("close", fd), error = errno, status = syscall(SYS_close, fd);
        if (!failed) return status;
        errno = error;
        return -1;
      }
      ssize_t copy_file_range(int from, off_t *in, int to, off_t *out, size_t count, unsigned flags) {
        return fails("copy_file_range", to) ? -1 : syscall(SYS_copy_file_range, from, in, to, out, count, flags);
      }
      """
    return try PreloadedLibrary.built("fault", source: source)
  }
}
