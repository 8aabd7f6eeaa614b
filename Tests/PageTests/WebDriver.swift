/// A headless Chromium under remote control (W3C WebDriver, https://www.w3.org/TR/webdriver2/), with its console and
/// its network requests.

import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// Keys that are not characters (WebDriver §17.4.2).
enum Key {
  static let tab = "\u{E004}"
  static let enter = "\u{E007}"
  static let space = " "
  static let arrowLeft = "\u{E012}"
  static let arrowRight = "\u{E014}"
}

final class WebDriver {
  private let driver: RunningProgram
  private let port: UInt16
  private let session: String

  private init(driver: RunningProgram, port: UInt16, session: String) {
    self.driver = driver
    self.port = port
    self.session = session
  }

  /// Starts a driver on a free port, and a browser that accepts a self-signed certificate and reaches only this
  /// machine. The caller must end it with ``quit()``.
  ///
  /// - Parameter zone: the viewer's zone, in the form of TZ.
  static func start(width: Int = 1280, height: Int = 800, zone: String, folder: URL) async throws -> WebDriver {
    let (driver, port) = try await startDriver(zone: zone)
    do {
      var arguments: [JSONValue] = [
        "--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--mute-audio", "--autoplay-policy=user-gesture-required",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
        .string("--window-size=\(width),\(height)"),
        .string("--user-data-dir=\(folder.appending(path: "profile-\(UUID().uuidString)").path)"),
      ]
      // Chromium's sandbox does not work for root, the user of many build machines.
      if NSUserName() == "root" { arguments.append("--no-sandbox") }
      let capabilities: JSONValue = [
        "browserName": "chrome", "acceptInsecureCerts": true,
        "goog:chromeOptions": ["args": .array(arguments)],
        "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
      ]
      let answer = try await send("POST", to: "/session", at: port, ["capabilities": ["alwaysMatch": capabilities]])
      guard let id = answer["sessionId"]?.string else { throw CommandFailure(description: "no session: \(answer)") }
      return WebDriver(driver: driver, port: port, session: "/session/\(id)")
    } catch {
      driver.stop()
      throw error
    }
  }

  /// Starts the driver. It finds a port that is free for IPv4 and then needs the same port for IPv6. If another process
  /// has taken that one meanwhile, the driver ends and the start is repeated.
  private static func startDriver(zone: String) async throws -> (RunningProgram, UInt16) {
    var attempt = 0
    while true {
      attempt += 1
      let driver = try RunningProgram(Command("chromedriver", "--port=0", environment: ["TZ": zone]))
      let port = try await eventually("the port of chromedriver; it said \(driver.errors)") { () async -> UInt16?? in
        if let match = driver.output.firstMatch(of: /started successfully on port (\d+)/) { return UInt16(match.1) }
        return driver.isRunning ? nil : .some(nil)
      }
      if let port { return (driver, port) }
      guard attempt < 5, driver.errors.contains("Address already in use") else {
        throw CommandFailure(description: "chromedriver ended: \(driver.errors)")
      }
    }
  }

  /// Closes the browser and ends the driver.
  func quit() async {
    _ = try? await Self.send("DELETE", to: session, at: port, nil)
    driver.stop()
  }

  func open(_ url: URL) async throws {
    try await post("url", ["url": .string(url.absoluteString)])
  }

  /// Runs the body of a function in the page, and returns its result or the value of its promise.
  @discardableResult
  func run(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
    try await post("execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Waits until a script returns something other than false or null, and returns that.
  @discardableResult
  func wait(for what: String, _ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
    do {
      return try await eventually(what) {
        let last = try await post("execute/sync", ["script": .string(script), "args": .array(arguments)])
        return last == .null || last == .bool(false) ? nil : last
      }
    } catch {
      let text = try? await run("return document.body.innerText.slice(0, 800)").string
      Issue.record("\(what): the page shows: \(text ?? "nothing")")
      throw error
    }
  }

  /// Clicks as a person does: in the middle of an element, which nothing may cover.
  func click(_ selector: String) async throws {
    let found = try await post("element", ["using": "css selector", "value": .string(selector)])
    guard case .object(let members) = found, let id = members.values.first?.string else {
      throw CommandFailure(description: "no element \(selector)")
    }
    try await post("element/\(id)/click", [:])
  }

  /// Presses and releases keys one after the other, wherever the focus is.
  func press(_ keys: String...) async throws {
    let actions = keys.flatMap { key -> [JSONValue] in
      [["type": "keyDown", "value": .string(key)], ["type": "keyUp", "value": .string(key)]]
    }
    try await post("actions", ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
  }

  /// Returns the console messages of level SEVERE since the last call: errors, uncaught exceptions, policy violations.
  func consoleErrors() async throws -> [String] {
    try await log("browser").filter { $0["level"] == "SEVERE" }.compactMap { $0["message"]?.string }
  }

  /// Returns every URL that a document of this origin requested since the last call, without the browser's own pages.
  func requestedURLs(by origin: URL) async throws -> [URL] {
    try await log("performance").compactMap { entry in
      guard let text = entry["message"]?.string, let message = JSONValue(Array(text.utf8))?["message"],
        message["method"] == "Network.requestWillBeSent",
        message["params"]?["documentURL"]?.string?.hasPrefix(origin.absoluteString) == true
      else { return nil }
      return message["params"]?["request"]?["url"]?.string.flatMap(URL.init(string:))
    }
  }

  private func log(_ type: String) async throws -> [JSONValue] {
    try await post("se/log", ["type": .string(type)]).array ?? []
  }

  @discardableResult
  private func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
    try await Self.send("POST", to: "\(session)/\(path)", at: port, body)
  }

  private static func send(
    _ method: String, to path: String, at port: UInt16, _ body: JSONValue?
  ) async throws -> JSONValue {
    let text = body?.text ?? ""
    // Foundation's own client on Linux refuses chromedriver's fields, which have no blank after the colon.
    let answer = try await onThread {
      let connection = try RawConnection(to: port, patience: 120)
      try connection.send(
        """
        \(method) \(path) HTTP/1.1\r
        Host: 127.0.0.1:\(port)\r
        Content-Type: application/json; charset=utf-8\r
        Content-Length: \(text.utf8.count)\r
        Connection: close\r
        \r
        \(text)
        """)
      return try connection.response()
    }
    let value = try JSONValue(parsing: answer.text)["value"] ?? .null
    guard answer.status == 200 else {
      throw CommandFailure(
        description: "\(method) \(path): \(value["error"]?.string ?? ""): \(value["message"]?.string ?? "")")
    }
    return value
  }
}

extension JSONValue {
  var isTrue: Bool { self == .bool(true) }
}
