import Foundation

/// The arguments after the program's name: words, and options that have one value each.
struct Arguments: Sendable {
  private static let names = ["--from", "--robot"]
  private var words: [String] = []
  private var options: [String: String] = [:]

  init(_ typed: some Sequence<String>) throws {
    var rest = Array(typed)[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        words.append(word)
        continue
      }
      guard Self.names.contains(word) else { throw Misuse("there is no option \(word)") }
      guard let value = rest.popFirst() else { throw Misuse("\(word) needs a value") }
      options[String(word.dropFirst(2))] = value
    }
    words.reverse()
  }

  var isEmpty: Bool { words.isEmpty }

  /// - Parameter what: the name of the word, for the error if there is no further word.
  mutating func next(_ what: String) throws -> String {
    guard let word = words.popLast() else { throw Misuse("\(what) is missing") }
    return word
  }

  mutating func nextIfAny() -> String? { words.popLast() }

  /// Returns all remaining words.
  mutating func rest(_ what: String) throws -> [String] {
    let first = try next(what)
    defer { words = [] }
    return [first] + words.reversed()
  }

  /// Returns the file that the next word names. Its folder must exist.
  mutating func file() throws -> URL { URL(filePath: try next("the file")) }

  mutating func seconds(_ what: String) throws -> Double {
    let text = try next(what)
    guard let seconds = Double(text), seconds >= 0, seconds.isFinite else {
      throw Misuse("\(text) is no number of seconds")
    }
    return seconds
  }

  func option(_ name: String) -> String? { options[name] }
}

/// An argument that makes no sense to the app.
struct Misuse: Error {
  let what: String

  init(_ what: String) { self.what = what }
}
