internal import FootageAPI

extension RobotError {
  /// The reason why a robot does not have or make what was requested, for programs: the `code` of its problem documents
  /// (RFC 9457). A later robot may use other codes.
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The code as the robot writes it: `not-found`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }
    init(_ code: ProblemCode) { rawValue = code.rawValue }

    public var description: String { rawValue }

    /// Nothing with the requested name exists.
    public static let notFound = Code(ProblemCode.notFound)
    /// The recorder is still writing the recording.
    public static let notReady = Code(ProblemCode.notReady)
    /// The recording cannot be played, for the reason that the list gives.
    public static let refused = Code(ProblemCode.refused)
    /// The requested version has been replaced.
    public static let gone = Code(ProblemCode.gone)
    /// The recording has nothing that this view could show.
    public static let noSuchView = Code(ProblemCode.noSuchView)
    /// The camera recorded nothing at the requested time.
    public static let noFootage = Code(ProblemCode.noFootage)
    /// The requested time is longer than a view of this kind can be.
    public static let tooLong = Code(ProblemCode.tooLong)
    /// The requested part begins after the end of the recording.
    public static let outside = Code(ProblemCode.outside)
    /// The recordings in the requested time range have formats that cannot be combined in one movie.
    public static let formatsDiffer = Code(ProblemCode.formatsDiffer)
  }
}
