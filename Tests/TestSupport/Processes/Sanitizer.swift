import Foundation

/// True if this program and the programs that it starts were built with a sanitizer. A sanitizer needs its own memory
/// for each byte, and system calls that a process that reads files is not allowed to make.
package let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in unsafe dlsym(nil, name) != nil }
