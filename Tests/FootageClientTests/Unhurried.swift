/// A trait for tests that do not concern the time until a robot is given up, since a busy machine must not look like an
/// absent robot.
import FootageFetching
import Testing

@testable import FootageCore

struct Unhurried: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    var patience = DocumentPatience()
    patience.reaching = .seconds(60)
    patience.silence = .seconds(60)
    patience.whole = .seconds(120)
    var limits = ClientLimits()
    limits.connect = .seconds(60)
    limits.handshake = .seconds(60)
    limits.acceptance = .seconds(60)
    try await ClientLimits.$standard.withValue(limits) {
      try await DocumentPatience.$standard.withValue(patience) { try await function() }
    }
  }
}

extension Trait where Self == Unhurried {
  static var unhurried: Self { Unhurried() }
}

extension RetryPolicy {
  /// A policy without pauses, which does not wait for absent robots.
  static let immediate = RetryPolicy(retries: 3, base: .zero, maximum: .zero, downloads: .retries)
}
