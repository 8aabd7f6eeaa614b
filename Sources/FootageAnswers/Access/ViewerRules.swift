package import FootageAPI
internal import FootageBase

/// The rules for what viewers may see and do: the lines of `viewers.conf`.
///
/// A line applies to a certificate with a name, to a key, or to every other certificate (`*`). If both a name and a key
/// match, the key's line counts: an authority wrote the name, and may write it again in another certificate.
package struct ViewerRules: Equatable, Sendable {
  /// The rights by the pins of keys.
  private var keys: [PublicKeyPin: ViewerRights] = [:]
  /// The rights by the bytes of names, because two spellings of `é` are equal as strings.
  private var names: [[UInt8]: ViewerRights] = [:]
  private var others: ViewerRights?

  /// The number of lines.
  package var count: Int { keys.count + names.count + (others == nil ? 0 : 1) }

  /// Returns the rights of a client. A client to which no line applies has no rights.
  ///
  /// - Parameter identity: the client's identity; nil if it showed no certificate.
  package func rights(of identity: ClientIdentity?) -> ViewerRights {
    guard let identity else { return .none }
    return identity.key.flatMap { keys[$0] } ?? names[Array(identity.name.utf8)] ?? others ?? .none
  }
}

extension ViewerRules {
  /// An error in the text of `viewers.conf`, and the line that contains it.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1 on.
    package let line: Int
    /// The problem, and what to write instead.
    package let problem: String

    package var description: String { "line \(line): \(problem)" }
  }

  /// The greatest length of the text in bytes, more than the viewers of any fleet need.
  package static let longestText = 1 << 20

  /// Reads lines such as `NAME cameras=front,rear keep status`; `#` begins a comment.
  ///
  /// - Throws: `Fault`. If anything in the file is wrong, none of it counts, because the intended text is unknown.
  package init(_ text: [UInt8]) throws(Fault) {
    var places: [String: Int] = [:]
    let text = TextBytes.withoutMark(text)
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      do throws(Problem) {
        guard let line = try Line(line) else { continue }
        if let former = places.updateValue(index + 1, forKey: line.key) {
          throw Problem("this viewer is already in line \(former): combine the two lines")
        }
        switch line.subject {
        case .others: others = line.rights
        case .key(let key): keys[key] = line.rights
        case .name(let name): names[name] = line.rights
        }
      } catch {
        throw Fault(line: index + 1, problem: error.text)
      }
    }
  }

  fileprivate struct Problem: Error {
    let text: String

    init(_ text: String) { self.text = text }
  }
}

extension ViewerRules {
  /// The parts of one line.
  private struct Line {
    enum Subject {
      case others
      case key(PublicKeyPin)
      case name([UInt8])
    }

    let subject: Subject
    private(set) var rights = ViewerRights.none

    /// Reads a line; nil for an empty line or a comment.
    init?(_ text: ArraySlice<UInt8>) throws(Problem) {
      let words = text.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.prefix { $0.first != UInt8(ascii: "#") }
      guard let first = words.first else { return nil }
      subject = try Self.subject(first)
      var hasCameras = false
      for word in words.dropFirst() {
        if word.starts(with: "cameras=".utf8) {
          guard !hasCameras else { throw Problem("cameras= is given twice: name all cameras in one list") }
          hasCameras = true
          rights.cameras = try Self.cameras(word.dropFirst("cameras=".utf8.count))
        } else {
          guard let permission = ViewerPermission(rawValue: String(decoding: word, as: UTF8.self)) else {
            throw Problem("'\(shown(word))' is not a valid right: use \(Self.allPermissions)")
          }
          guard rights.permissions.insert(permission).inserted else {
            throw Problem("\(permission.rawValue) is given twice: remove one")
          }
        }
      }
      guard hasCameras else {
        throw Problem("cameras= is missing: add cameras=front,rear, or cameras=* for all cameras")
      }
    }

    /// The clients to whom the line applies, as text. A file must not have two lines with the same text.
    var key: String {
      switch subject {
      case .others: "*"
      case .key(let key): key.description
      case .name(let name): "name \(Hexadecimal.encode(name))"
      }
    }

    private static let allPermissions =
      ViewerPermission.allCases.dropLast().map(\.rawValue).joined(separator: ", ") + " or share"

    private static func subject(_ word: ArraySlice<UInt8>) throws(Problem) -> Subject {
      if word.elementsEqual("*".utf8) { return .others }
      if word.starts(with: "sha256/".utf8) {
        guard let key = PublicKeyPin(String(decoding: word, as: UTF8.self)) else {
          throw Problem("'\(shown(word))' is not a valid pin: use sha256/ and 44 characters of base64")
        }
        return .key(key)
      }
      let name = try decoded(word, "a viewer's name")
      // A name that no certificate can have would make a line that applies to no client.
      guard name.unicodeScalars.count <= longestName else {
        throw Problem("a viewer's name can have at most \(longestName) characters, as in certificates")
      }
      return .name(Array(name.utf8))
    }

    /// The most characters of a common name (X.520).
    private static let longestName = 64

    private static func cameras(_ list: ArraySlice<UInt8>) throws(Problem) -> CameraSelection {
      if list.elementsEqual("*".utf8) { return .all }
      var names: [String] = []
      for word in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        let name = try decoded(word, "a camera's name")
        guard !name.utf8.contains(UInt8(ascii: "/")) else {
          throw Problem("'\(shown(word))' is not a valid camera: a camera's name cannot contain /")
        }
        names.append(name)
      }
      return CameraSelection(names)
    }

    private static func decoded(_ word: ArraySlice<UInt8>, _ what: String) throws(Problem) -> String {
      guard !word.isEmpty else { throw Problem("\(what) is empty: remove the comma, or add a name") }
      guard !word.contains(UInt8(ascii: "*")) else {
        throw Problem("'\(shown(word))': a * must stand alone and means all; in a name, write %2A")
      }
      guard let bytes = PercentEncoding.decode(word), let name = String(validating: bytes, as: UTF8.self) else {
        throw Problem("'\(shown(word))' is not percent-encoded UTF-8: write two hexadecimal digits after each %")
      }
      return name
    }
  }
}

/// Returns a text that is short enough for a line of a log.
private func shown(_ word: ArraySlice<UInt8>) -> String {
  TerminalControl.escaped(String(decoding: word, as: UTF8.self), limit: 80)
}
