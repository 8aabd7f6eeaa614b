#include "CLinux.h"

#include <time.h>

int64_t clinux_build_seconds(void) {
  struct tm day = {0};
  return strptime(__DATE__, "%b %d %Y", &day) ? (int64_t)timegm(&day) : 0;
}
