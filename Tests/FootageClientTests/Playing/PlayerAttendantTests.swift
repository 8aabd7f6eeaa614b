/// The control of a player that is fed.
import FootageCore
import Testing

@Suite struct PlayerAttendantTests {
  /// Returns the state of a recording of 100 seconds.
  private static func state(_ end: Double) -> PlaybackState {
    PlaybackState(activity: .loading, cachedSeconds: [0..<end], length: 100_000, duration: 100)
  }

  private var attendant = PlayerAttendant(BufferingPolicy())

  @Test mutating func `a player is started, stopped and goes on as fast as before`() {
    #expect(attendant.step(Self.state(1), at: .nan, rate: 0) == .nothing)
    #expect(attendant.step(Self.state(3), at: 0, rate: 0) == .play(rate: 1))
    #expect(attendant.step(Self.state(3), at: 0.2, rate: 1) == .nothing)
    #expect(attendant.step(Self.state(3), at: 2.9, rate: 2) == .pause)
    #expect(attendant.step(Self.state(7), at: 2.9, rate: 0) == .nothing)
    #expect(attendant.step(Self.state(8), at: 2.9, rate: 0) == .play(rate: 2))
    #expect(attendant.step(Self.state(8), at: 3, rate: 2) == .nothing)
  }

  @Test mutating func `what its viewer has stopped stays so`() {
    #expect(attendant.step(Self.state(3), at: 0, rate: 0) == .play(rate: 1))
    #expect(attendant.step(Self.state(3), at: 2, rate: 0) == .nothing)
    #expect(attendant.step(Self.state(2), at: 2, rate: 0) == .nothing)
    #expect(attendant.step(Self.state(90), at: 2, rate: 0) == .nothing)
    // It is stopped and continues again once its viewer wants it to play.
    #expect(attendant.step(Self.state(2), at: 2, rate: 1) == .pause)
    #expect(attendant.step(Self.state(90), at: 2, rate: 0) == .play(rate: 1))
  }

  @Test mutating func `a viewer who stops it while it waits has it stay, until they want it again`() {
    #expect(attendant.step(Self.state(3), at: 0, rate: 0) == .play(rate: 1))
    #expect(attendant.step(Self.state(3), at: 2.9, rate: 1.5) == .pause)
    #expect(attendant.step(Self.state(90), at: 2.9, rate: 0, isWanted: false) == .nothing)
    #expect(attendant.step(Self.state(90), at: 2.9, rate: 0, isWanted: true) == .play(rate: 1.5))
  }

  @Test mutating func `a player that is started too early by its viewer waits`() {
    #expect(attendant.step(Self.state(1), at: 0, rate: 1.5) == .pause)
    #expect(attendant.step(Self.state(3), at: 0, rate: 0) == .play(rate: 1.5))
  }

  @Test mutating func `one that runs already is not started`() {
    #expect(attendant.step(Self.state(3), at: 0, rate: 1) == .nothing)
    #expect(attendant.step(Self.state(3), at: 1, rate: 0) == .nothing)
  }

  @Test mutating func `after a leap two seconds are enough, and one that stands stays there`() {
    #expect(attendant.step(Self.state(30), at: 0, rate: 0) == .play(rate: 1))
    #expect(attendant.step(Self.state(30), at: 29, rate: 1) == .pause)
    #expect(attendant.step(Self.state(31), at: 29, rate: 0) == .play(rate: 1))
    #expect(attendant.step(Self.state(31), at: 29.3, rate: 0) == .nothing)
    #expect(attendant.step(Self.state(31), at: 3, rate: 0) == .nothing)
  }

  @Test mutating func `a fast player does not leap`() {
    #expect(attendant.step(Self.state(30), at: 0, rate: 0) == .play(rate: 1))
    #expect(attendant.step(Self.state(30), at: 15, rate: 8) == .nothing)
  }
}
