import Foundation
import LinuxTestSupport

/// Runs a program to its end. - Returns: its exit status.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> Int32 {
  try Command(program, arguments: arguments).run().status
}

func contents(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

func put(_ bytes: [UInt8], _ path: String) throws { try RecordedFile.write(bytes, to: path) }

func makeFolder(_ path: String) throws {
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}

/// Sets a file's modification time to the given number of seconds ago.
func age(_ path: String, by seconds: Double) throws {
  try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path)
}

/// Runs a closure while this thread lacks root's privileges, so that operations fail as they do for other users.
func withoutPrivileges<Result>(_ body: () throws -> Result) rethrows -> Result {
  typealias SetUser = @convention(c) (UInt32) -> CInt
  guard let symbol = dlsym(nil, "setfsuid") else { fatalError("the C library has no setfsuid") }
  let setUser = unsafeBitCast(symbol, to: SetUser.self)
  let isRoot = geteuid() == 0
  if isRoot { _ = setUser(65_534) }
  defer { if isRoot { _ = setUser(0) } }
  return try body()
}
