// Tries system calls under the filter of the process that reads files, in each thread of a process.
#ifndef CONFINEMENT_CALLS_H
#define CONFINEMENT_CALLS_H

// Starts a second thread, confines this process like the one that reads files, and tries a table of system calls in
// both threads. For each call it writes a line to descriptor 1: the thread (`first`, `second`), the call, the
// expectation (`refused` or `allowed`), and the error number, which is 0 if the call succeeded.
//
// Returns 0, or 2 if the process could not be confined.
int confinement_calls_try(void);

#endif
