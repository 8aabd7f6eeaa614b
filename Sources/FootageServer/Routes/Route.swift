/// Which resource a path names (design: the folder's tree, mirrored; the extension picks the view).

internal import Formats
internal import HTTPSemantics

/// Pure: whether the recording exists is found out later. A name is looked up in the catalog and never becomes a path.
enum Route: Equatable {
  case page
  case health
  case list
  case recording(name: String, RecordingView)
  case unknown

  /// - Parameter path: as it stands in the request, still percent-encoded.
  init(_ path: ArraySlice<UInt8>) {
    let path = PercentEncoding.normalized(path)
    if path.elementsEqual("/".utf8) {
      self = .page
    } else if path.elementsEqual("/health".utf8) {
      self = .health
    } else if path.elementsEqual("/recordings".utf8) {
      self = .list
    } else if path.starts(with: Self.recordings) {
      self = Self.recording(path.dropFirst(Self.recordings.count)) ?? .unknown
    } else {
      self = .unknown
    }
  }

  private static let recordings = Array("/recordings/".utf8)

  private static func recording(_ encoded: ArraySlice<UInt8>) -> Route? {
    guard let dot = encoded.lastIndex(of: UInt8(ascii: ".")), dot > encoded.startIndex,
      let view = RecordingView(fileExtension: encoded[(dot + 1)...]),
      let name = PercentEncoding.decode(encoded[..<dot]),
      let text = String(validating: name, as: UTF8.self)
    else { return nil }
    return .recording(name: text, view)
  }
}

/// How a recording is shown. A clip or a playlist is one more case here, and one more function from an indexed
/// recording to a response.
enum RecordingView: Equatable {
  case mp4
  case json

  init?(fileExtension: ArraySlice<UInt8>) {
    if fileExtension.elementsEqual("mp4".utf8) {
      self = .mp4
    } else if fileExtension.elementsEqual("json".utf8) {
      self = .json
    } else {
      return nil
    }
  }
}
