/// A library that replaces the clock of one program: its time of day stands still until a test moves it, while its
/// monotonic clock runs.
import Foundation
import LinuxTestSupport
import Testing

enum FixedClock {
  private static let built: Result<String, any Error> = Result {
    let source = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <stdlib.h>
      #include <sys/syscall.h>
      #include <sys/time.h>
      #include <time.h>
      #include <unistd.h>
      static time_t set(void) {
        char text[32] = "";
        const char *file = getenv("TEST_CLOCK_FILE");
        if (!file) return atol(getenv("TEST_CLOCK"));
        int descriptor = open(file, O_RDONLY | O_CLOEXEC);
        if (descriptor < 0 || read(descriptor, text, sizeof text - 1) <= 0) abort();
        close(descriptor);
        return atol(text);
      }
      time_t time(time_t *result) { if (result) *result = set(); return set(); }
      int gettimeofday(struct timeval *result, void *zone) { result->tv_sec = set(); result->tv_usec = 0; return 0; }
      int clock_gettime(clockid_t clock, struct timespec *result) {
        if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return syscall(SYS_clock_gettime, clock, result);
        result->tv_sec = set(); result->tv_nsec = 0; return 0;
      }
      """
    return try PreloadedLibrary.built("clock", source: source)
  }

  /// Returns the environment in which a program believes that it is this many seconds after the beginning of 1970.
  static func environment(seconds: Int) throws -> [String: String] {
    // The address sanitizer wants to be the first library, but works without that.
    ["LD_PRELOAD": try built.get(), "TEST_CLOCK": "\(seconds)", "ASAN_OPTIONS": "verify_asan_link_order=0"]
  }

  /// Returns the environment in which a program takes the time from a file at each reading.
  static func environment(file: String) throws -> [String: String] {
    ["LD_PRELOAD": try built.get(), "TEST_CLOCK_FILE": file, "ASAN_OPTIONS": "verify_asan_link_order=0"]
  }

  /// Sets the clock of the programs that read this file.
  static func set(_ file: String, to seconds: Int) throws {
    try Data("\(seconds)".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
  }
}
