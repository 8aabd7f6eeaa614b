/// Any text as JSON: a value that was read is the same after writing and reading it again. The same holds for peers'
/// documents.

internal import FootageAPI
internal import FootageBase

enum JSONText {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let value = JSONValue(bytes) else { return }
    var json = JSONWriter()
    json.value(value)
    try expect(JSONValue(json.bytes) == value, "\(value) is written as \(json.text)")
    if let item = try? RecordingItem(value) { try check(item) }
    if let list = RecordingList(value) {
      let items = list.items.compactMap { try? RecordingItem($0) }
      for item in items { try check(item) }
      let again = text { RecordingList.write(list.header, items, next: list.next, into: &$0) }
      try expect(
        JSONValue(again).flatMap(RecordingList.init)?.header == list.header, "another header: \(list.header)")
    }
    if let list = CameraList(value) {
      let again = text { list.write(into: &$0) }
      try expect(JSONValue(again).flatMap(CameraList.init) == list, "other cameras than \(list)")
    }
  }

  private static func check(_ item: RecordingItem) throws(Finding) {
    let written = text { item.write(into: &$0) }
    guard let read = JSONValue(written).flatMap({ try? RecordingItem($0) }) else {
      throw Finding(description: "\(item) cannot be read again")
    }
    // The items need not be equal, because seconds are written to the millisecond.
    try expect(text { read.write(into: &$0) } == written, "\(item) is written in another way the second time")
  }

  private static func text(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    write(&json)
    return json.bytes
  }
}
