import LinuxTestSupport
import Foundation

/// A library in C that stands before the C library's functions in one program, by `LD_PRELOAD`.
enum PreloadedLibrary {
  /// The path of a library, compiled once a run.
  static func built(_ name: String, source: String) throws -> String {
    try SharedFiles.path(name + ".so") { path in
      try Data(source.utf8).write(to: URL(fileURLWithPath: path + ".c"))
      _ = try Command("clang", "-w", "-O1", "-shared", "-fPIC", "-o", path, path + ".c").successfulOutput()
    }
  }
}
