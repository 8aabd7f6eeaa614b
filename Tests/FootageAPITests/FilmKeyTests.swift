import FootageAPI
import FootageBase
import Testing

/// The addresses of films. The values were computed with Python's `hashlib`.
@Suite struct FilmKeyTests {
  private static let tag = "00112233445566ff8899aabbccddeeff"

  @Test func `the key is a digest of the rules, the name and the whole tag`() {
    #expect(FilmVersion.current == 2)
    let key = FilmKey(ofRecording: "front/a b", entityTag: Self.tag)
    #expect(key.text == "9a4f9bef668e717aaf1cf8e1f7d023d9")
    #expect(FilmKey(ofRecording: "front/a b", entityTag: "\"\(Self.tag)\"") == key)
    #expect(key.bytes.count == 16 && FilmKey(key.text) == key)
    #expect(
      FilmKey(ofRecording: "robot7/front/a b", entityTag: Self.tag, robot: "robot7").text
        == "67109ce5dff813a123d74990f6e13d74")
    let bytes = NameBytes.text(Array("cam-".utf8) + [0xE9] + Array("/x".utf8))
    #expect(FilmKey(ofRecording: bytes, entityTag: "00").text == "e4f7c409bb4abc3048fd8809796a4412")
  }

  @Test func `another name, another tag, and another robot have another key`() {
    let keys = [
      FilmKey(ofRecording: "a", entityTag: Self.tag), FilmKey(ofRecording: "b", entityTag: Self.tag),
      // Only the last digit of the tag differs.
      FilmKey(ofRecording: "a", entityTag: Self.tag.dropLast() + "e"),
      FilmKey(ofRecording: "r/a", entityTag: Self.tag), FilmKey(ofRecording: "r/a", entityTag: Self.tag, robot: "r"),
      FilmKey(ofRecording: "s/a", entityTag: Self.tag, robot: "s"),
      FilmKey(ofRecording: "r/s/a", entityTag: Self.tag, robot: "r"),
      FilmKey(ofRecording: "r/s/a", entityTag: Self.tag, robot: "r/s"),
      // Two spellings of a letter are two names.
      FilmKey(ofRecording: "\u{E9}", entityTag: Self.tag), FilmKey(ofRecording: "e\u{301}", entityTag: Self.tag),
    ]
    #expect(Set(keys).count == keys.count && Set(keys.map(\.text)).count == keys.count)
  }

  @Test func `the item of a recording has the address that its robot serves`() {
    var item = RecordingItem(
      name: "a", camera: nil, state: .ready, isRecovered: false, size: 1, entityTag: "\"\(Self.tag)\"",
      tag: ItemTag("00112233445566ff"), startedAt: UnixTimestamp(seconds: 0), startedFrom: nil, isInFuture: false,
      duration: nil, video: nil, audio: nil)
    #expect(item.filmAddress() == .version(FilmKey(ofRecording: "a", entityTag: Self.tag)))
    let there = item.of(robot: "r").filmAddress(of: "r")
    #expect(there == .version(FilmKey(ofRecording: "r/a", entityTag: Self.tag, robot: "r")))
    (item.state, item.isLive, item.entityTag) = (.recording, true, nil)
    #expect(item.filmAddress()?.text == "00112233445566ff")
    item.isLive = false
    #expect(item.filmAddress() == nil)
    item.state = .refused("it is")
    #expect(item.filmAddress() == nil)
  }
}
