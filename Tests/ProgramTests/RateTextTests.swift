import FootageServing
import Testing

@testable import FootageCommands

@Suite struct RateTextTests {
  @Test(
    arguments: [
      ("8M", 8_000_000), ("1MB", 8_000_000), ("100k", 100_000), ("250K", 250_000), ("250000", 250_000),
      ("2G", 2_000_000_000),
      ("1Mi", 1_048_576), ("1MiB", 8_388_608), ("128KiB", 1_048_576), ("50000B", 400_000), ("1Gi", 1_073_741_824),
    ] as [(String, UInt64)])
  func `a rate is bits a second, and bytes with a B`(text: String, bitsPerSecond: UInt64) throws {
    #expect(try RateText.read(text, option: "max-rate").bitsPerSecond == bitsPerSecond)
  }

  @Test(arguments: [
    "", "M", "8m", "8 M", "-8M", "8.5M", "8Mb", "8Mbit", "8MBB", "8iB", "8T", "+8M", "99K", "0", "101G",
    "18446744073709551616", "18446744073709551615G", "٨M",
  ])
  func `anything else is refused with an example`(text: String) {
    #expect(throws: UsageError.self) { try RateText.read(text, option: "max-rate") }
  }

  @Test(
    arguments: [
      (8_000_000, "8 Mbit/s"), (1_500_000, "1500 kbit/s"), (2_000_000_000, "2 Gbit/s"), (1_048_576, "1048576 bit/s"),
    ] as [(UInt64, String)])
  func `the log says it in words`(bitsPerSecond: UInt64, text: String) throws {
    #expect(BitRate(bitsPerSecond: bitsPerSecond)?.description == text)
  }
}
