// What a Swift module cannot call under the name that it declares itself.
#ifndef CDARWIN_H
#define CDARWIN_H

// `flock`, of which there is a structure, too.
int cdarwin_flock(int descriptor, int operation);

#endif
