import FootageSystem
import Testing

@Suite struct ErrnoTests {
  @Test func `a number has the words of the C library, and one that is unknown its number`() {
    #expect(Errno.notFound.description == "No such file or directory")
    #expect(Errno(rawValue: 9_999).description == "error 9999")
    #expect(SystemError("fork", .wouldBlock).description == "fork failed: Resource temporarily unavailable")
  }
}
