import FootageLibrary
import Testing

@testable import FootageCommands

@Suite struct RetentionOptionsTests {
  private func rules(_ arguments: [String]) throws(UsageError) -> RetentionRules {
    try RetentionOptions.rules(
      try ParsedArguments(arguments, for: Usage("serve", "Serves.", options: RetentionOptions.options)) { _ in nil })
  }

  private static let hour: Int64 = 3_600_000_000_000

  @Test func `without an option nothing is ever deleted`() throws {
    let rules = try rules([])
    #expect(!rules.isActive && rules.keepAtLeast == Self.hour && rules.words == nil)
  }

  @Test func `rules are read as people write them`() throws {
    #expect(try rules(["--keep-free", "10G"]).keepFree == .bytes(10_000_000_000))
    #expect(try rules(["--keep-free", "2Gi"]).keepFree == .bytes(2 << 30))
    #expect(try rules(["--keep-free", "15%"]).keepFree == .percent(15))
    #expect(try rules(["--max-size", "40G"]).maxSize == 40_000_000_000)
    let ages = try rules(["--max-age", "7d,rear=3d,side%2Cway=90m", "--keep-at-least", "30s"])
    #expect(ages.maxAge == 7 * 24 * Self.hour)
    #expect(ages.maxAgeByCamera == ["rear": 3 * 24 * Self.hour, "side,way": 3 * Self.hour / 2])
    #expect(ages.keepAtLeast == 30_000_000_000)
    #expect(ages.words?.contains("none of rear is older than 3 d") == true)
  }

  @Test func `an age of nothing keeps nothing young`() throws {
    for text in ["0s", "0m", "0d"] { #expect(try rules(["--keep-at-least", text]).keepAtLeast == 0) }
  }

  @Test func `a floor is of each camera, and of cameras of their own`() throws {
    #expect(try rules([]).cameraFloor == 0)
    let floors = try rules(["--max-size", "40G", "--camera-floor", "2G,rear=5G,side%2Cway=1Gi"])
    #expect(floors.cameraFloor == 2_000_000_000)
    #expect(floors.cameraFloorByCamera == ["rear": 5_000_000_000, "side,way": 1 << 30])
    #expect(floors.words?.contains("rear keeps 5.0 GB") == true, "\(floors.words ?? "")")
  }

  @Test func `a viewer may protect a share of the disk`() throws {
    func share(_ arguments: [String]) throws(UsageError) -> RetentionRules.Room {
      try RetentionOptions.keepShare(
        try ParsedArguments(arguments, for: Usage("serve", "Serves.", options: RetentionOptions.options)) { _ in nil })
    }
    #expect(try share([]) == .percent(25))
    #expect(try share(["--keep-share", "100%"]) == .percent(100))
    #expect(try share(["--keep-share", "10G"]) == .bytes(10_000_000_000))
    for text in ["0%", "101%", "much", "-1"] {
      #expect(throws: UsageError.self) { try share(["--keep-share", text]) }
    }
  }

  @Test(arguments: [
    ["--camera-floor", "much"], ["--camera-floor", "1G,2G"], ["--camera-floor", "rear="], ["--camera-floor", "=1G"],
    ["--camera-floor", "rear=1G,rear=2G"], ["--camera-floor", "1G,"],
    ["--keep-free", "0%"], ["--keep-free", "100%"], ["--keep-free", "much"], ["--keep-free", "10X"],
    ["--max-size", "-1"], ["--max-age", "7"], ["--max-age", "0d"], ["--max-age", "7d,8d"], ["--max-age", "rear="],
    ["--max-age", "=3d"], ["--max-age", "rear=3d,rear=4d"], ["--max-age", "7d,"], ["--max-age", "99999999999999999d"],
    ["--keep-at-least", "soon"],
  ])
  func `what makes no sense is told`(arguments: [String]) {
    #expect(throws: UsageError.self) { try rules(arguments) }
  }
}
