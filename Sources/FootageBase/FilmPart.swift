/// A part of a film: the text after the film's address in a target.
///
/// The parts of a camera's film that have other sound than their recording lie in a folder: `silent-aac/`, `mute/`.
package enum FilmPart: Hashable, Sendable {
  /// The initialization of all tracks, `init.mp4`; for further sample entries `init1.mp4` and so on.
  ///
  /// - entry: the number of the video track's sample entry, from 0 on.
  case initialization(entry: Int, sound: FilmSound = .own)
  /// The initialization of the video track alone, which the key frames need: `video.mp4`, `video1.mp4` and so on.
  case videoInitialization(entry: Int)
  /// A media segment: `N.m4s`, numbered from 0 on.
  case segment(Int, sound: FilmSound = .own)
  /// A key frame as a segment of one sample: `kN.m4s`, numbered from 0 on.
  case keyFrame(Int)
  /// The complete fragments after a position in a growing recording: `next?after=CURSOR`. Nil begins with the last key
  /// frame.
  case next(after: FilmCursor?)
}

/// A position in a growing recording. Only the robot that issued it can interpret its text; an app returns the text
/// unchanged.
package struct FilmCursor: Hashable, Sendable {
  /// The text: 1 to 64 digits and hyphens.
  package let text: String

  /// The greatest length in characters.
  private static let longest = 64

  /// - Returns: nil if the text is empty, too long, or contains anything but digits and hyphens.
  package init?(_ text: some StringProtocol) {
    let isToken = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
    }
    guard (1...Self.longest).contains(text.utf8.count), isToken else { return nil }
    self.text = String(text)
  }

  /// - Parameter number: a number that is not negative.
  package init(number: Int) { text = String(number) }
}
