internal import FootageAPI

extension RobotError {
  /// Why a robot does not have or make what it was asked for, as it says it to programs: the `code` of its problem
  /// documents (RFC 9457). A later robot may have others.
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// As the robot writes it: `not-found`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }
    init(_ code: ProblemCode) { rawValue = code.rawValue }

    public var description: String { rawValue }

    /// There is nothing of that name.
    public static let notFound = Code(ProblemCode.notFound)
    /// The recorder still writes to it.
    public static let notReady = Code(ProblemCode.notReady)
    /// It cannot be played, for the reason that the list gives.
    public static let refused = Code(ProblemCode.refused)
    /// The version that was asked for is another one by now.
    public static let gone = Code(ProblemCode.gone)
    /// The recording has nothing that this view could show.
    public static let noSuchView = Code(ProblemCode.noSuchView)
    /// The camera recorded nothing at that time.
    public static let noFootage = Code(ProblemCode.noFootage)
    /// More time than a view of this kind can have.
    public static let tooLong = Code(ProblemCode.tooLong)
    /// It begins behind the end of the recording.
    public static let outside = Code(ProblemCode.outside)
    /// The recordings of that time have formats that no single movie can have.
    public static let formatsDiffer = Code(ProblemCode.formatsDiffer)
  }
}
