import Testing

@testable import FootageCommands

@Suite struct PreloadTests {
  @Test(arguments: [("5s", 5), ("2m", 120), ("0.5s", 0.5)] as [(String, Double)])
  func `a time is seconds or minutes`(text: String, seconds: Double) { #expect(Preload.seconds(text) == seconds) }

  @Test(arguments: ["", "s", "5", "0s", "-1s", "1e9m", "5h", "nans"])
  func `anything else is none`(text: String) { #expect(Preload.seconds(text) == nil) }
}
