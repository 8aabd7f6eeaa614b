/// For tests of something else than how soon a robot is given up: a busy machine is no robot that is away.
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
  /// Without a pause, and nobody is waited for.
  static let immediate = RetryPolicy(retries: 3, base: .zero, maximum: .zero, downloads: .retries)
}
