/// Command line tools for tests.

import TestSupport

enum Tool {
  /// Returns the tool's standard output; throws its standard error if it fails.
  static func run(_ name: String, _ arguments: [String]) throws -> String {
    try Command(name, arguments: arguments).successfulOutput()
  }
}
