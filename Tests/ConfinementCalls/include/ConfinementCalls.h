// Tries system calls behind the filter of the process that reads files, in each thread of a process.
#ifndef CONFINEMENT_CALLS_H
#define CONFINEMENT_CALLS_H

// Starts a second thread, confines this process as the one that reads files is, and tries a table of system calls in both
// threads. Writes a line for each to descriptor 1: the thread (`first`, `second`), the call, `refused` or `allowed` for what is
// wanted, and the error number, 0 where the call succeeded.
//
// Returns 0, or 2 where the process could not be confined.
int confinement_calls_try(void);

#endif
