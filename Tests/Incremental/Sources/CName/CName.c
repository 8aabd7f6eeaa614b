#include "CName.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char text[] = {
#embed "name.txt" suffix(,)
    0};

const char *cname_text(void) { return text; }
