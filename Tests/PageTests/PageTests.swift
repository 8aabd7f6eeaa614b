/// The page in a real browser, on the real server: what a person in front of it does and sees.

import FootageAPI
import Formats
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct PageTests {
  @Test func `an empty folder says how a recording gets in`() async throws {
    try await Scene.play { scene in
      try await scene.visit()
      try await scene.browser.wait(
        for: "words",
        "return document.querySelector('.empty').innerText.includes('Copy an MP4 into the recordings folder')")
    }
  }

  @Test func `a recording is listed by day with its time, camera, length, size and resolution`() async throws {
    try await Scene.play { scene in
      try await scene.record("front/2026-03-04T05-06-07")
      try await scene.visit()
      try await scene.waitForRow("front/2026-03-04T05-06-07")
      let text = try await scene.browser.run("return document.querySelector('li').innerText").string ?? ""
      #expect(text.contains("front"))
      #expect(text.contains("0:20"))
      #expect(text.contains("320×180"))
      #expect(text.contains("kB") || text.contains("MB"))
      let isTimed = try await scene.browser.run(
        """
        const time = new Date(arguments[0]).toLocaleTimeString(undefined,
          {hour: '2-digit', minute: '2-digit', second: '2-digit'});
        return document.querySelector('.time').textContent === time;
        """, .string(try await scene.item("front/2026-03-04T05-06-07").startedAt.rfc3339))
      #expect(isTimed.isTrue)
      #expect(try await scene.browser.run("return document.querySelectorAll('.day h2').length").double == 1)
    }
  }

  @Test func `a recording ahead of the clock, and within a second, is listed, and its day can be chosen`() async throws
  {
    try await Scene.play { scene in
      for name in ["front/2090-03-04T05-06-07.250", "front/2090-03-04T05-06-07.500", "front/2026-03-04T05-06-07"] {
        try await scene.record(name)
      }
      try await scene.visit()
      try await scene.waitForRow("front/2090-03-04T05-06-07.250")
      try await scene.waitForRow("front/2026-03-04T05-06-07")
      let first = "return document.querySelector('li').innerHTML.includes('05-06-07.500')"
      #expect(try await scene.browser.run(first).isTrue)
      #expect(try await scene.browser.run("return document.getElementById('-day').max >= '2090-03-03'").isTrue)
      try await scene.browser.run(
        """
        const day = document.getElementById('-day');
        day.value = day.max;
        day.dispatchEvent(new Event('change', {bubbles: true}));
        """)
      try await scene.browser.wait(
        for: "the day", "return document.querySelector('li')?.innerHTML.includes('2090-03-04T05-06-07')")
    }
  }

  @Test func `a click plays in place, and playing goes on after a seek into the middle`() async throws {
    try await Scene.play { scene in
      try await scene.record("front/long", seconds: 60)
      try await scene.visit()
      try await scene.waitForRow("front/long")
      try await scene.browser.click(scene.row("front/long"))
      try await scene.waitForPlayback()
      try await scene.browser.run("document.querySelector('video').currentTime = 30")
      try await scene.waitForPlayback(past: 30.5)
      #expect(try await scene.browser.run("return document.querySelector('video').currentTime < 50").isTrue)
      #expect(try await scene.browser.run("return location.hash").string == "#front/long")
    }
  }

  @Test func `a file that arrives meanwhile appears by itself, disturbs nothing, and plays`() async throws {
    try await Scene.play { scene in
      try await scene.record("front/first", seconds: 60)
      try await scene.visit()
      try await scene.waitForRow("front/first")
      try await scene.browser.click(scene.row("front/first"))
      try await scene.waitForPlayback()
      try await scene.browser.run("window.firstRow = document.activeElement")
      try await scene.record("rear/second", age: 0)
      try await scene.waitForRow("rear/second")
      let isUndisturbed = try await scene.browser.run(
        """
        const video = document.querySelector('video');
        return !video.paused && new URL(video.src).pathname.endsWith(arguments[0]) && document.activeElement === window.firstRow
          && window.firstRow.matches('[aria-current]');
        """, .string(Resource.recording(name: "front/first", .movie(version: nil)).target))
      #expect(isUndisturbed.isTrue)
      try await scene.browser.click(scene.row("rear/second"))
      try await scene.waitForPlayback()
      #expect(
        try await scene.browser.run(
          "return new URL(document.querySelector('video').src).pathname.endsWith('/rear/second.mp4')"
        ).isTrue)
      let cameras = try await scene.browser.run(
        "return [...document.querySelectorAll('[aria-label=Camera] button')].map(chip => chip.textContent)")
      #expect(cameras == ["All cameras", "front", "rear"])
    }
  }

  @Test func `a recording that is still written shows as such, and opens when it is complete`() async throws {
    try await Scene.play { scene in
      let whole = try await scene.recording()
      try await scene.record("front/other")
      let place = scene.place(of: "front/live")
      try whole.prefix(whole.count / 2).write(to: place)
      let recorder = try FileHandle(forWritingTo: place)
      try recorder.seekToEnd()
      var written = whole.count / 2
      func write(_ count: Int) throws {
        try recorder.write(contentsOf: whole[written..<min(written + count, whole.count)])
        written += count
      }
      try await scene.visit()
      try await eventually("a live recording") {
        // A recorder that falls silent counts as dead after a while.
        try write(64)
        return try await scene.browser.run(
          """
          const row = document.querySelector('[data-state=recording] .row');
          return row !== null && row.innerText.includes('Recording') && !row.href;
          """
        ).isTrue ? () : nil
      }
      try write(whole.count - written)
      try recorder.close()
      try await scene.waitForRow("front/live")
      try await scene.browser.click(scene.row("front/live"))
      try await scene.waitForPlayback()
    }
  }

  @Test func `a deleted recording leaves the list`() async throws {
    try await Scene.play { scene in
      try await scene.record("front/stays")
      try await scene.record("front/goes")
      try await scene.visit()
      try await scene.waitForRow("front/goes")
      try FileManager.default.removeItem(at: scene.place(of: "front/goes"))
      try await scene.browser.wait(
        for: "the row to leave", "return document.querySelector(arguments[0]) === null",
        .string(scene.row("front/goes")))
      #expect(try await scene.browser.run("return document.querySelectorAll('li').length").double == 1)
    }
  }

  @Test func `a refused recording shows why and cannot be chosen`() async throws {
    try await Scene.play { scene in
      let place = scene.place(of: "broken")
      try Data("this is not a recording\n".utf8).write(to: place)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: place.path)
      try await scene.visit()
      try await scene.browser.wait(for: "a row", "return document.querySelector('[data-state=refused] .row')")
      guard case .refused(let reason) = try await scene.item("broken").state else {
        Issue.record("it is not refused")
        return
      }
      #expect(reason.count > 10)
      try await scene.browser.wait(
        for: "the reason",
        """
        const row = document.querySelector('[data-state=refused] .row');
        return row?.querySelector('.reason').textContent === arguments[0] && !row.href;
        """, .string(reason))
    }
  }

  @Test func `hostile names are shown as text and play`() async throws {
    let names = [
      "<img src=x onerror=document.title='owned'>", "\"><script>document.title='owned'<", "100% & more?a=b#c",
      "%2e%2e", "ночь 夜 \u{1F916}", "gpj.\u{202E}evil", "javascript:alert(1)", "first\u{2028}second",
    ]
    try await Scene.play { scene in
      for name in names { try await scene.record(name, seconds: 4) }
      try await scene.visit()
      for name in names {
        try await scene.waitForRow(name)
        try await scene.browser.click(scene.row(name))
        try await scene.waitForPlayback(past: 0.1)
        let shown = try await scene.browser.run("return document.querySelector('[aria-current] .named').textContent")
        #expect(shown.string == name.replacing(/[\u{202E}\u{2028}]/, with: "\u{FFFD}"))
      }
      #expect(try await scene.browser.run("return document.querySelectorAll('img').length").double == 0)
      #expect(try await scene.browser.run("return document.title").string?.contains("owned") == false)
    }
  }

  @Test func `the keyboard alone finds, plays, pauses and seeks`() async throws {
    try await Scene.play { scene in
      try await scene.record("front/2026-03-04T05-06-07", seconds: 30)
      try await scene.record("front/2026-03-05T05-06-07", seconds: 30)
      try await scene.visit()
      try await scene.waitForRow("front/2026-03-04T05-06-07")
      try await eventually("focus on a row") {
        try await scene.browser.press(Key.tab)
        return try await scene.browser.run("return document.activeElement.matches('.row[href]')").isTrue ? () : nil
      }
      #expect(
        try await scene.browser.run("return getComputedStyle(document.activeElement).outlineStyle").string == "solid")
      try await scene.browser.press(Key.enter)
      try await scene.waitForPlayback()
      try await scene.browser.press(Key.space)
      try await scene.browser.wait(for: "a pause", "return document.querySelector('video').paused")
      let before = try await scene.browser.run("return document.querySelector('video').currentTime").double ?? 0
      try await scene.browser.press(Key.arrowRight)
      let after = try await scene.browser.run("return document.querySelector('video').currentTime").double ?? 0
      #expect(abs(after - before - 5) < 0.01)
      try await scene.browser.press(".")
      let stepped = try await scene.browser.run("return document.querySelector('video').currentTime").double ?? 0
      #expect(abs(stepped - after - 0.04) < 0.01)
      try await scene.browser.press("j")
      try await scene.waitForPlayback()
      #expect(try await scene.browser.run("return location.hash").string == "#front/2026-03-04T05-06-07")
      #expect(try await scene.browser.run("return document.activeElement.matches('[aria-current]')").isTrue)
      try await scene.browser.press("k")
      try await scene.waitForPlayback()
      #expect(try await scene.browser.run("return location.hash").string == "#front/2026-03-05T05-06-07")
    }
  }

  @Test func `a link to a recording opens it, and one to none says so`() async throws {
    try await Scene.play(isQuiet: false) { scene in
      try await scene.record("front/first")
      try await scene.visit("#front/first")
      try await scene.browser.wait(
        for: "the recording",
        "const video = document.querySelector('video'); return video.readyState >= 1 && video.paused && !video.hidden")
      try await scene.browser.run("location.hash = 'front/none'")
      try await scene.browser.wait(
        for: "words", "return document.querySelector('.note').innerText.includes('no recording named “front/none”')")
    }
  }

  @Test func `the chosen speed stays for the next recording`() async throws {
    try await Scene.play { scene in
      try await scene.record("one", seconds: 60)
      try await scene.record("two", seconds: 60)
      try await scene.visit()
      try await scene.waitForRow("one")
      try await scene.waitForRow("two")
      try await scene.browser.click(scene.row("one"))
      try await scene.waitForPlayback()
      try await scene.browser.click("[data-rate='2']")
      try await scene.browser.wait(
        for: "the speed", "return document.querySelector('[data-rate=\"2\"]').ariaPressed === 'true'")
      try await scene.browser.click(scene.row("two"))
      try await scene.waitForPlayback()
      #expect(try await scene.browser.run("return document.querySelector('video').playbackRate").double == 2)
    }
  }

  @Test func `a camera's chip leaves its recordings alone in the list`() async throws {
    try await Scene.play { scene in
      try await scene.record("front/one")
      try await scene.record("rear/two")
      try await scene.visit()
      try await scene.waitForRow("front/one")
      try await scene.waitForRow("rear/two")
      try await scene.browser.click("[aria-label=Camera] button:nth-child(3)")
      try await scene.browser.wait(for: "one row", "return document.querySelectorAll('li').length === 1")
      try await scene.waitForRow("rear/two")
      try await scene.browser.click("[aria-label=Camera] button:nth-child(1)")
      try await scene.waitForRow("front/one")
    }
  }

  @Test func `a long list loads further down as one scrolls, each recording once and newest first`() async throws {
    try await Scene.play { scene in
      let bytes = try await scene.recording(seconds: 2)
      let folder = scene.place(of: "front/any").deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let names = (100..<230).map { "front/2026-03-04T05-\($0 / 50 + 10)-\($0 % 50 + 10)" }
      for name in names { try bytes.write(to: scene.place(of: name)) }
      try await scene.visit()
      try await scene.browser.wait(for: "the first page", "return document.querySelectorAll('li').length >= 100")
      try await scene.browser.wait(
        for: "all of them",
        "scrollTo(0, document.documentElement.scrollHeight); return document.querySelectorAll('li').length >= arguments[0]",
        .number(of: Double(names.count)))
      let listed = try await scene.browser.run(
        "return [...document.querySelectorAll('a.row')].map(row => row.getAttribute('href').slice(1))")
      #expect(listed == .array(names.sorted(by: >).map(JSONValue.string)))
    }
  }

  @Test func `a lost connection is told quietly and recovers by itself`() async throws {
    try await Scene.play(isQuiet: false) { scene in
      try await scene.record("front/first")
      try await scene.visit()
      try await scene.waitForRow("front/first")
      await scene.server.stop()
      try await scene.browser.wait(for: "the banner", "return !document.querySelector('.banner').hidden")
      try await scene.record("front/second")
      try await scene.server.restart()
      try await scene.waitForRow("front/second")
      try await scene.browser.wait(for: "the banner to go", "return document.querySelector('.banner').hidden")
    }
  }

  @Test func `the policy allows the page's own blocks and no script that slips in`() async throws {
    try await Scene.play(isQuiet: false) { scene in
      try await scene.visit()
      let policy =
        try await scene.browser.run(
          "return (await fetch('/')).headers.get('content-security-policy')"
        ).string ?? ""
      for directive in ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"] {
        #expect(policy.contains(directive))
      }
      #expect(!policy.contains("unsafe"))
      try await scene.browser.run(
        """
        const script = document.createElement('script');
        script.textContent = 'window.slippedIn = true';
        document.body.append(script);
        """)
      #expect(try await scene.browser.run("return window.slippedIn === undefined").isTrue)
      let complaints = try await scene.browser.consoleErrors()
      #expect(complaints.contains { $0.contains("Content Security Policy") })
    }
  }
}
