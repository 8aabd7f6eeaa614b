#ifndef CPAGE_H
#define CPAGE_H

#include <stddef.h>

// The files of the web page (Sources/FootageServer/Page), as they lie there.
typedef struct {
  const char *name;
  // Not ended by a zero.
  const unsigned char *bytes;
  size_t count;
} cpage_file;

// The next file, by its number from 0 on; its name is NULL behind the last.
cpage_file cpage_file_at(size_t number);

#endif
