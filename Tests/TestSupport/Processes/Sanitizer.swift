import Foundation

/// Whether this program, and with it the programs that it starts, was built with a sanitizer: that needs memory of its own
/// for each byte, and system calls that a reader of files is not allowed.
package let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in unsafe dlsym(nil, name) != nil }
