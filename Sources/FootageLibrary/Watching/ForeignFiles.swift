internal import FootageAPI
internal import FootageBase

/// The number of video files in the recordings folder that are not MP4, and so are no recordings.
package struct ForeignFiles: Hashable, Sendable {
  package var count: Int
  /// The path of one of them; nil if there is none.
  package var example: RelativePath?

  package init(count: Int = 0, example: RelativePath? = nil) {
    self.count = count
    self.example = example
  }

  /// A sentence for people that names one of the files and the command that makes an MP4 of it; nil if there are none.
  package var sentence: String? {
    guard count > 0, let example, let kind = ForeignVideo(name: NameBytes.bytes(of: example.text)) else { return nil }
    let files = count == 1 ? "1 file in the recordings folder is" : "\(count) files in the recordings folder are"
    return "\(files) not MP4 and in no list (\(count == 1 ? "" : "one is ")\(example)). This makes an MP4 of it: "
      + "\(kind.command)."
  }
}

/// A kind of video file that Footage does not serve, according to a name's extension.
struct ForeignVideo: Hashable, Sendable {
  /// The extension in lower case, without the dot.
  let suffix: String

  /// The longest extension in the table, in bytes.
  private static let longestSuffix = 5

  /// The ways in which FFmpeg makes an MP4 of a file.
  private enum Conversion {
    /// The pictures and the sound are usually in formats that MP4 and browsers take, so they are copied.
    case copying
    /// The file has no times, so the number of pictures a second must be given.
    case timing
    /// The pictures or the sound are usually in formats that browsers do not play, so they are encoded again.
    case encoding
  }

  private static let conversions: [String: Conversion] = [
    "mkv": .copying, "webm": .copying, "flv": .copying, "f4v": .copying, "3gp": .copying, "3g2": .copying,
    // The files of action cameras are MP4 with another name.
    "insv": .copying, "360": .copying, "lrv": .copying, "lrf": .copying,
    "ts": .copying, "m2ts": .copying, "mts": .copying, "m2t": .copying,
    "h264": .timing, "264": .timing, "avc": .timing, "h265": .timing, "265": .timing, "hevc": .timing,
    "avi": .encoding, "mpg": .encoding, "mpeg": .encoding, "wmv": .encoding, "asf": .encoding, "ogv": .encoding,
    "mjpeg": .encoding, "mjpg": .encoding, "dav": .encoding,
  ]

  private let conversion: Conversion

  /// - Parameter name: the file's name, or its path.
  /// - Returns: nil if the extension is that of an MP4, or of no video.
  init?(name: [UInt8]) {
    guard let dot = name.suffix(Self.longestSuffix + 1).lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
      name[dot - 1] != UInt8(ascii: "/")
    else { return nil }
    let suffix = String(
      decoding: name[(dot + 1)...].map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
    guard let conversion = Self.conversions[suffix] else { return nil }
    self.suffix = suffix
    self.conversion = conversion
  }

  static func == (one: ForeignVideo, other: ForeignVideo) -> Bool { one.suffix == other.suffix }
  func hash(into hasher: inout Hasher) { hasher.combine(suffix) }

  /// The command that makes an MP4 of a file called `NAME` with this extension.
  var command: String {
    switch conversion {
    case .copying: "ffmpeg -i NAME.\(suffix) -c copy NAME.mp4"
    case .timing: "ffmpeg -framerate 25 -i NAME.\(suffix) -c copy NAME.mp4 (25: its pictures a second)"
    case .encoding: "ffmpeg -i NAME.\(suffix) -c:v libx264 -pix_fmt yuv420p -c:a aac NAME.mp4"
    }
  }
}

/// The counts of foreign video files, folder by folder.
struct ForeignFileCounts: Hashable {
  /// The maximum number of folders that are counted one by one, to bound the memory. Further ones are counted together
  /// by each scan of the whole folder.
  static let folderLimit = 4_096

  private var folders: [RelativePath: ForeignFiles] = [:]
  private var others = ForeignFiles()

  var total: ForeignFiles {
    let all = Array(folders.values) + [others]
    let example = all.compactMap(\.example).min()
    return ForeignFiles(count: all.reduce(0) { $0 + $1.count }, example: example)
  }

  /// Counts a file in a folder.
  mutating func add(_ path: RelativePath, in folder: RelativePath) {
    if folders[folder] != nil || folders.count < Self.folderLimit {
      folders[folder, default: ForeignFiles()].add(path)
    } else {
      others.add(path)
    }
  }

  /// Replaces the counts of one folder, without those of the folders in it.
  mutating func set(_ counts: ForeignFiles, of folder: RelativePath) {
    guard counts.count > 0 else {
      folders[folder] = nil
      return
    }
    // The files of a folder beyond the limit are among the others.
    if folders[folder] != nil || folders.count < Self.folderLimit { folders[folder] = counts }
  }

  /// Replaces the counts of a folder and of all folders in it by those of a scan.
  ///
  /// - Parameter unlisted: the folders that the scan could not list; their counts stay.
  mutating func replace(in folder: RelativePath, by scan: ForeignFileCounts, unlisted: [RelativePath]) {
    if folder == .root { others = scan.others }
    folders = folders.filter { path, _ in
      !path.isInside(folder) || unlisted.contains { path.isInside($0) }
    }
    for (path, counts) in scan.folders { set(counts, of: path) }
  }
}

extension ForeignFiles {
  fileprivate mutating func add(_ path: RelativePath) {
    count += 1
    if example.map({ path < $0 }) ?? true { example = path }
  }

  /// Counts the foreign video files among the entries of a folder.
  init(in folder: RelativePath, names: some Sequence<[UInt8]>) {
    self.init()
    for name in names where ForeignVideo.isListed(name) { add(folder.appending(NameBytes.text(name))) }
  }
}

extension ForeignVideo {
  /// Returns whether a file with this name counts: its extension is that of a foreign video, and it is not hidden.
  static func isListed(_ name: [UInt8]) -> Bool {
    name.first != UInt8(ascii: ".") && ForeignVideo(name: name) != nil
  }
}
