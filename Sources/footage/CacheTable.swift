/// What is cached, as a table for a terminal or as JSON.

internal import FootageClient
internal import Formats

enum CacheTable {
  static func text(_ entries: [MediaCache.Entry]) -> String {
    guard !entries.isEmpty else { return "the cache is empty\n" }
    return entries.map { entry in
      let share = entry.version.length == 0 ? 100 : entry.cachedBytes / max(1, entry.version.length / 100)
      let state = entry.isComplete ? "complete" : "\(min(99, share)) %"
      return
        "\(Terminal.printable(entry.key.name))  \(entry.cachedBytes) of \(entry.version.length) bytes, \(state)"
        + "\(entry.isKept ? ", kept" : "")  \(Terminal.printable(entry.path))\n"
    }.joined()
  }

  static func json(_ entries: [MediaCache.Entry]) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("cached") { json in
        json.array(entries) { json, entry in
          json.object { json in
            json.member("name", entry.key.name)
            json.member("robot", entry.key.robot)
            json.member("etag", entry.version.tag)
            json.member("size", entry.version.length)
            json.member("cachedBytes", entry.cachedBytes)
            json.member("complete", entry.isComplete)
            json.member("kept", entry.isKept)
            json.member("path", entry.path)
          }
        }
      }
    }
    return json.text + "\n"
  }
}
