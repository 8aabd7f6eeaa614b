// What is known of a build only while it is made.
#ifndef CBUILD_H
#define CBUILD_H

// The commit that was built, as `git describe` gives it; empty where nobody said (the environment's FOOTAGE_COMMIT). It
// stands in a target of its own, so that another commit compiles this one file and nothing else.
const char *cbuild_commit(void);

#endif
