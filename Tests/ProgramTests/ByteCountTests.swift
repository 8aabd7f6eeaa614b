import Testing

@testable import FootageCommands

@Suite struct ByteCountTests {
  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("500", 500), ("1k", 1_000), ("1K", 1_000), ("500M", 500_000_000), ("8G", 8_000_000_000),
      ("2T", 2_000_000_000_000), ("3Gi", 3_221_225_472), ("18446744073709551615", .max),
      ("18446744073709551k", 18_446_744_073_709_551_000),
    ] as [(String, UInt64)])
  func `a size is a number with a unit of a thousand`(text: String, bytes: UInt64) throws {
    #expect(try ByteCount.read(text, option: "quota") == bytes)
  }

  @Test(arguments: [
    "", "M", "-1", "1.5G", "1 G", "1g", "1m", "1MB", "18446744073709551616", "18446744073709552k", "99999999999T",
    "0x10", "½", "i", "1i", "1ki8", "Ki",
  ])
  func `what is none is told with the option's name`(text: String) {
    let error = #expect(throws: UsageError.self) { try ByteCount.read(text, option: "quota") }
    #expect(error?.description == "--quota must be a size such as 500M or 8G, not '\(text)'")
  }
}
