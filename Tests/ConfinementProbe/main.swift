/// Tries system calls under the filter of the process that reads files. `FootageSystemTests.ConfinementTests` starts
/// it.
import ConfinementCalls
import Glibc

// The standard library's exit needs none of the refused calls.
_exit(confinement_calls_try())
