/// Any bytes as a store's answer: a value that was read is the same after writing and reading it again.

internal import FootageStore

enum StoreAnswer {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let element = try? XMLElement(parsing: bytes) else { return }
    guard let again = try? XMLElement(parsing: element.document) else {
      throw Finding(description: "\(element) cannot be read again")
    }
    try expect(again == element, "\(element) is read again as \(again)")
  }
}
