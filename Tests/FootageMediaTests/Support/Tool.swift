/// Runs command line tools for tests.

import TestSupport

enum Tool {
  /// What the tool wrote to standard output; throws what it wrote to standard error where it fails.
  static func run(_ name: String, _ arguments: [String]) throws -> String {
    try Command(name, arguments: arguments).successfulOutput()
  }
}
