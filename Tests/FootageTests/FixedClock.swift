/// A library that answers for the clock of one program: its calendar stands still, its stopwatch runs.
import Foundation
import TestSupport
import Testing

enum FixedClock {
  private static let built: Result<String, any Error> = Result {
    let folder = try Fixtures.sharedFolder()
    let source = """
      #define _GNU_SOURCE
      #include <stdlib.h>
      #include <sys/syscall.h>
      #include <sys/time.h>
      #include <time.h>
      #include <unistd.h>
      static time_t set(void) { return atol(getenv("TEST_CLOCK")); }
      time_t time(time_t *result) { if (result) *result = set(); return set(); }
      int gettimeofday(struct timeval *result, void *zone) { result->tv_sec = set(); result->tv_usec = 0; return 0; }
      int clock_gettime(clockid_t clock, struct timespec *result) {
        if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return syscall(SYS_clock_gettime, clock, result);
        result->tv_sec = set(); result->tv_nsec = 0; return 0;
      }
      """
    try Data(source.utf8).write(to: URL(fileURLWithPath: folder + "/clock.c"))
    let compiled = try Command(
      "clang", "-w", "-shared", "-fPIC", "-o", folder + "/clock.so", folder + "/clock.c"
    ).run()
    try #require(compiled.succeeded, "\(compiled.errors)")
    return folder + "/clock.so"
  }

  /// What makes a program believe that it is so many seconds after the beginning of 1970.
  static func environment(seconds: Int) throws -> [String: String] {
    // The address sanitizer wants to be first among the libraries, and works without.
    ["LD_PRELOAD": try built.get(), "TEST_CLOCK": "\(seconds)", "ASAN_OPTIONS": "verify_asan_link_order=0"]
  }
}
