import LinuxTestSupport
import Foundation

/// A library in C that replaces functions of the C library in one program, by `LD_PRELOAD`.
enum PreloadedLibrary {
  /// Returns the path of a library, which is compiled once per run.
  static func built(_ name: String, source: String) throws -> String {
    try SharedFiles.path(name + ".so") { path in
      try Data(source.utf8).write(to: URL(fileURLWithPath: path + ".c"))
      _ = try Command("clang", "-w", "-O1", "-shared", "-fPIC", "-o", path, path + ".c").successfulOutput()
    }
  }
}
