/// The progress of a download.
public struct DownloadProgress: Hashable, Sendable {
  /// The number of bytes that are in the file, including those that an earlier run fetched.
  public var received: UInt64
  /// The length of the recording in bytes.
  public var total: UInt64
  /// The speed over the last few seconds.
  public var bytesPerSecond: Double
  /// The time until the end at this speed; nil if nothing has arrived in the last few seconds.
  public var remaining: Duration?

  /// - Parameters:
  ///   - received: in bytes.
  ///   - total: in bytes.
  ///   - bytesPerSecond: the speed over the last few seconds.
  ///   - remaining: nil if it is unknown.
  public init(received: UInt64, total: UInt64, bytesPerSecond: Double, remaining: Duration?) {
    self.received = received
    self.total = total
    self.bytesPerSecond = bytesPerSecond
    self.remaining = remaining
  }
}

/// The result of a finished download.
public struct DownloadedRecording: Hashable, Sendable {
  /// The name in the robot's list.
  public var name: String
  /// The strong entity tag of the version in the file, including its quotes.
  public var entityTag: String
  /// The length of the file in bytes.
  public var length: UInt64
  /// True if the file already contained exactly this version, and was left unchanged.
  public var wasThere = false

  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - entityTag: the entity tag of the version in the file, including its quotes.
  ///   - length: in bytes.
  ///   - wasThere: true if the file was left as it is.
  public init(name: String, entityTag: String, length: UInt64, wasThere: Bool = false) {
    self.name = name
    self.entityTag = entityTag
    self.length = length
    self.wasThere = wasThere
  }
}
