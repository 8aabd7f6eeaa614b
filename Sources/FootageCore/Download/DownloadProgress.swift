/// How far a download is.
public struct DownloadProgress: Hashable, Sendable {
  /// In bytes, with what an earlier run has fetched.
  public var received: UInt64
  /// In bytes.
  public var total: UInt64
  /// Over the last few seconds.
  public var bytesPerSecond: Double
  /// At this speed; nil where nothing came lately.
  public var remaining: Duration?

  /// - Parameters:
  ///   - received: in bytes.
  ///   - total: in bytes.
  ///   - bytesPerSecond: over the last few seconds.
  ///   - remaining: nil where it is not known.
  public init(received: UInt64, total: UInt64, bytesPerSecond: Double, remaining: Duration?) {
    self.received = received
    self.total = total
    self.bytesPerSecond = bytesPerSecond
    self.remaining = remaining
  }
}

/// What a finished download is.
public struct DownloadedRecording: Hashable, Sendable {
  /// As the robot lists it.
  public var name: String
  /// Of the version that the file holds: strong, quotes included.
  public var entityTag: String
  /// In bytes.
  public var length: UInt64
  /// The file was there before, of this very version, and was left as it is.
  public var wasThere = false

  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - entityTag: of the version that the file holds, quotes included.
  ///   - length: in bytes.
  ///   - wasThere: whether the file was left as it is.
  public init(name: String, entityTag: String, length: UInt64, wasThere: Bool = false) {
    self.name = name
    self.entityTag = entityTag
    self.length = length
    self.wasThere = wasThere
  }
}
