/// The page in a real browser on the real server, as a person uses and sees it.

import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct PageTests {
  private static let first = "front/2026-03-04T05-06-07"
  private static let second = "front/2026-03-04T05-06-27"

  /// Runs a test in which times in names are in UTC, regardless of the machine's zone.
  private func play(
    isQuiet: Bool = true, zone: String = "UTC", _ test: (Scene) async throws -> Void
  ) async throws {
    try await Scene.play(isQuiet: isQuiet, zone: zone, arguments: ["--name-zone", "UTC"], test)
  }

  private func text(_ id: String, in scene: Scene) async throws -> String {
    try await scene.browser.run("return document.getElementById(arguments[0]).textContent", .string("-" + id)).string
      ?? ""
  }

  @Test func `an empty folder says how a recording gets in`() async throws {
    try await play { scene in
      try await scene.visit()
      try await scene.browser.wait(
        for: "words",
        "return document.querySelector('.empty').innerText.includes('Copy an MP4 into the recordings folder')")
      // The recording is of another day than today, but appears by itself all the same.
      try await scene.record(Self.first)
      try await scene.waitForRow(Self.first)
      try await scene.browser.wait(for: "its row", "return document.querySelectorAll('li').length === 1")
    }
  }

  @Test func `the last day with footage is shown, and what follows without a gap is one row`() async throws {
    try await play { scene in
      try await scene.record(Self.first)
      try await scene.record(Self.second)
      try await scene.record("front/2026-03-04T08-00-00")
      try await scene.record("rear/2026-03-03T08-00-00")
      try await scene.visit()
      for name in [Self.first, Self.second] { try await scene.waitForRow(name) }
      try await scene.browser.wait(for: "rows", "return document.querySelectorAll('li').length === 2")
      let rows = try await scene.browser.run(
        "return [...document.querySelectorAll('li')].map(row => row.innerText.replace(/\\s+/g, ' '))")
      let both = rows.array?.last?.string ?? ""
      #expect(both.contains("0:40") && both.contains("2 recordings"), "\(rows)")
      let isTimed = try await scene.browser.run(
        """
        const time = new Date(arguments[0]).toLocaleTimeString(undefined, {hour: '2-digit', minute: '2-digit'});
        return document.querySelector('li:last-child .time').textContent.startsWith(time);
        """, .string(try await scene.item(Self.first).startedAt.rfc3339))
      #expect(isTimed.isTrue)
      // The filter compares the length of a row, not of its recordings. If it hides all rows, the page does not call
      // the day empty.
      for (least, count) in [("10", 2), ("60", 0), ("0", 2)] {
        let shown = try await scene.browser.run(
          """
          const choice = document.getElementById('-lasting');
          choice.value = arguments[0];
          choice.dispatchEvent(new Event('change'));
          return `${document.querySelectorAll('li').length} ${document.getElementById('-empty').hidden}`;
          """, .string(least))
        #expect(shown.string == "\(count) true", "\(least)")
      }
      #expect(try await text("count", in: scene) == "3 recordings")
      // The element handles its own keys.
      let isLeft = try await scene.browser.run(
        """
        const key = new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, cancelable: true});
        return document.getElementById('-lasting').dispatchEvent(key);
        """)
      #expect(isLeft.isTrue)
      #expect(try await text("day-name", in: scene).contains("March 4"))
      // One press goes to the previous day.
      try await scene.browser.click("[id='-earlier']")
      try await scene.browser.wait(
        for: "the day before",
        "return document.querySelectorAll('li').length === 1 && document.querySelector('h3').textContent === 'rear'")
    }
  }

  @Test func `a day ahead of the clock is reached, and days without footage cannot be chosen`() async throws {
    try await play { scene in
      for name in ["front/2090-03-04T05-06-07.250", Self.first] { try await scene.record(name) }
      try await scene.visit("#" + Self.first)
      try await scene.waitForRow(Self.first)
      try await scene.browser.click("[id='-later']")
      try await scene.browser.wait(
        for: "the day", "return document.querySelector('li a')?.getAttribute('href')?.includes('2090-03-04T05-06-07')")
      try await scene.browser.click("[id='-earlier']")
      try await scene.waitForRow(Self.first)
      try await scene.browser.wait(
        for: "the day before it",
        "return document.querySelector('li a')?.getAttribute('href')?.includes('2026-03-04T05-06-07')")
      try await scene.browser.click("[id='-later']")
      try await scene.browser.click("[id='-day-open']")
      try await scene.browser.wait(
        for: "the calendar",
        "return document.querySelectorAll('.date:not(:disabled)').length === 1 && document.querySelectorAll('.date').length === 31"
      )
    }
  }

  @Test func `a click plays in place, and playing goes on after a seek into the middle`() async throws {
    try await play { scene in
      try await scene.record(Self.first, seconds: 60)
      try await scene.visit()
      try await scene.waitForRow(Self.first)
      try await scene.browser.click(scene.row(Self.first))
      try await scene.waitForPicture(past: "2026-03-04T05:06:07Z")
      try await scene.go(to: "front", "2026-03-04T05:06:40Z")
      try await scene.waitForPicture(past: "2026-03-04T05:06:40.5Z")
      try await scene.browser.click("[id='-play']")
      try await scene.browser.wait(
        for: "the link", "return /^#front@2026-03-04T\\d\\d:\\d6:4\\d/.test(location.hash)")
    }
  }

  @Test func `a paused picture is that of the moment that was asked for, however far away`() async throws {
    try await play { scene in
      try await scene.record(Self.first, seconds: 120)
      try await scene.visit("#front@2026-03-04T05:06:07Z")
      try await scene.browser.wait(for: "the picture", "return $player.player.views[0]?.film.isThere")
      try await scene.browser.run("$player.player.pause()")
      for seconds in [99.04, 28.08, 115.52, 57.04, 0.04, 70] {
        try await scene.browser.run(
          """
          window.wanted = Date.parse('2026-03-04T05:06:07Z') + \(seconds) * 1000;
          $player.player.go($footage.footage.camera('front'), wanted, {play: false});
          """)
        // Nothing moves it away again, either.
        try await scene.browser.wait(
          for: "the picture at \(seconds) s",
          """
          const {film, video} = $player.player.views[0], isThere = film.isThere && !video.seeking && video.buffered.length > 0;
          if (!isThere || Math.abs(film.base + video.currentTime * 1000 - wanted) > 1) window.since = null;
          else window.since ??= performance.now();
          return window.since !== null && performance.now() - window.since > 700;
          """)
      }
    }
  }

  @Test func `it plays on from one recording to the next, and over a gap with a word`() async throws {
    try await play { scene in
      for name in [Self.first, Self.second, "front/2026-03-04T05-10-00"] { try await scene.record(name) }
      try await scene.visit("#front@2026-03-04T05:06:25Z")
      try await scene.waitForRow(Self.second)
      try await scene.browser.run("window.stood = 0; window.seen = []")
      try await scene.browser.click("[id='-play']")
      try await scene.waitForPicture(past: "2026-03-04T05:06:28Z")
      try await scene.go(to: "front", "2026-03-04T05:06:45Z")
      try await scene.waitForPicture(past: "2026-03-04T05:10:00Z")
      try await scene.browser.wait(
        for: "words", "return document.getElementById('-note').innerText.startsWith('front: nothing was recorded from')"
      )
    }
  }

  @Test func `a typed time shows its picture, one without footage the next, and nonsense is told`() async throws {
    try await play { scene in
      try await scene.record("front/2026-03-04T05-06-07", seconds: 60)
      try await scene.record("front/2026-03-04T09-00-00")
      try await scene.visit()
      try await scene.waitForRow(Self.first)
      func type(_ text: String) async throws {
        try await scene.browser.click("[id='-moment']")
        for key in text { try await scene.browser.press(String(key)) }
        try await scene.browser.press(Key.enter)
      }
      func shown(_ time: String) async throws -> String {
        let local =
          "new Date('\(time)').toLocaleTimeString('sv', {hour: '2-digit', minute: '2-digit', second: '2-digit'})"
        return try await scene.browser.run("return \(local)").string ?? ""
      }
      try await type(shown("2026-03-04T05:06:30Z"))
      try await scene.waitForPicture(past: "2026-03-04T05:06:30Z")
      try await type("2026-03-04 " + shown("2026-03-04T07:00:00Z"))
      try await scene.waitForPicture(past: "2026-03-04T09:00:00Z")
      try await type("soon")
      try await scene.browser.wait(
        for: "words", "return document.getElementById('-note').innerText.includes('Not a valid time: soon')")
    }
  }

  @Test func `another camera opens at the same moment, and beside one another they keep time`() async throws {
    try await play { scene in
      for camera in ["front", "rear"] {
        try await scene.record("\(camera)/2026-03-04T05-06-07", seconds: 60)
      }
      try await scene.visit("#front@2026-03-04T05:06:20Z")
      for camera in ["front", "rear"] { try await scene.waitForRow("\(camera)/2026-03-04T05-06-07") }
      try await scene.browser.click("[id='-play']")
      try await scene.waitForPicture(past: "2026-03-04T05:06:20Z")
      try await scene.browser.click("[id='-cameras'] button:nth-child(2)")
      try await scene.waitForPicture(past: "2026-03-04T05:06:20Z")
      #expect(try await text("title", in: scene) == "rear")
      try await scene.browser.click("[id='-beside']")
      try await scene.browser.wait(
        for: "the same time in both",
        """
        const [one, other] = $player.player.views;
        return other && one.film.isThere && other.film.isThere && Math.abs(one.film.time - other.film.time) < 40;
        """)
    }
  }

  @Test func `a file that arrives meanwhile appears by itself and disturbs nothing`() async throws {
    try await play(zone: Scene.noonZone) { scene in
      try await scene.record("front/first", seconds: 60, age: 120)
      try await scene.visit()
      try await scene.waitForRow("front/first")
      try await scene.browser.click(scene.row("front/first"))
      try await scene.browser.wait(
        for: "the picture", "return $player.player.views[0]?.film.isThere && !document.querySelector('video').paused")
      try await scene.browser.run("window.firstRow = document.activeElement")
      try await scene.record("rear/second", age: 0)
      try await scene.waitForRow("rear/second")
      let isUndisturbed = try await scene.browser.run(
        """
        return !document.querySelector('video').paused && $player.player.camera.name === 'front'
          && document.activeElement === window.firstRow && window.firstRow.matches('[aria-current]');
        """)
      #expect(isUndisturbed.isTrue)
      let cameras = try await scene.browser.run(
        "return [...document.querySelectorAll('[id=\"-cameras\"] bdi')].map(name => name.textContent)")
      #expect(cameras == ["front", "rear"])
    }
  }

  @Test func `a recording of another day leaves the shown one as it is, and is one step away`() async throws {
    try await play(zone: Scene.noonZone) { scene in
      try await scene.record("front/first", age: 3 * 86_400)
      try await scene.visit()
      try await scene.waitForRow("front/first")
      let shown = "document.getElementById('-day').value"
      let day = try await scene.browser.run("return \(shown)")
      // The page knows the recorded days from here on.
      try await scene.browser.click("[id='-earlier']")
      try await scene.browser.wait(for: "another day", "return \(shown) < arguments[0]", day)
      try await scene.browser.click("[id='-later']")
      try await scene.browser.wait(for: "its day", "return \(shown) === arguments[0]", day)
      try await scene.record("front/second", age: 0)
      try await scene.browser.wait(
        for: "news of it", "return $footage.footage.camera('front').to > Date.now() - 600000")
      #expect(try await scene.browser.run("return \(shown)") == day)
      try await scene.browser.click("[id='-later']")
      try await scene.waitForRow("front/second")
      try await scene.browser.wait(
        for: "its row", "return document.querySelector(arguments[0]) !== null", .string(scene.row("front/second")))
    }
  }

  @Test func `a recording that is still written shows as such, and opens when it is complete`() async throws {
    try await play(zone: Scene.noonZone) { scene in
      let whole = try await scene.recording()
      try await scene.record("rear/other")
      let place = scene.place(of: "front/live")
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try whole.prefix(whole.count / 2).write(to: place)
      let recorder = try FileHandle(forWritingTo: place)
      try recorder.seekToEnd()
      var written = whole.count / 2
      func write(_ count: Int) throws {
        try recorder.write(contentsOf: whole[written..<min(written + count, whole.count)])
        written += count
      }
      try await scene.visit()
      try await eventually("a recording under way") {
        // A recorder that falls silent counts as dead after a while.
        try write(64)
        return try await scene.browser.run(
          """
          const row = document.querySelector('[data-state=recording] .row');
          return row !== null && row.innerText.includes('Being recorded') && !row.href;
          """
        ).isTrue ? () : nil
      }
      try write(whole.count - written)
      try recorder.close()
      try await scene.waitForRow("front/live")
      try await scene.browser.click(scene.row("front/live"))
      try await scene.browser.wait(for: "the picture", "return $player.player.views[0]?.film.isThere")
    }
  }

  @Test func `a deleted recording leaves the page, and is told of under the player`() async throws {
    try await play(isQuiet: false) { scene in
      try await scene.record(Self.first)
      try await scene.record("rear/2026-03-04T05-06-07")
      try await scene.visit()
      try await scene.waitForRow(Self.first)
      try await scene.waitForRow("rear/2026-03-04T05-06-07")
      try FileManager.default.removeItem(at: scene.place(of: Self.first))
      try await scene.browser.wait(
        for: "the row to leave", "return document.querySelector(arguments[0]) === null",
        .string(scene.row(Self.first)))
      #expect(try await scene.browser.run("return document.querySelectorAll('li').length").double == 1)
    }
  }

  @Test func `a refused recording says so in a line, and why to who asks`() async throws {
    try await play(zone: Scene.noonZone) { scene in
      // The second one comes from a recorder that was interrupted before it wrote its tables.
      let files = [
        "broken": (Data("this is not a recording\n".utf8), "Cannot be played"),
        "cut": (try await scene.recording().prefix(20_000), "The recorder was interrupted"),
      ]
      for (name, (bytes, _)) in files {
        try bytes.write(to: scene.place(of: name))
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: scene.place(of: name).path)
      }
      try await scene.visit()
      try await scene.browser.wait(
        for: "two verdicts",
        "return (await (await fetch('/recordings?state=refused')).json()).recordings.length === 2")
      try await scene.visit()
      for (name, (_, line)) in files {
        guard case .refused(let reason) = try await scene.item(name).state else { return }
        #expect(reason.count > 10)
        let shown = try await scene.browser.run(
          """
          const item = [...document.querySelectorAll('[data-state=refused]')].find(each => each.stretch.rows[0].name === arguments[0]);
          item.querySelector('summary').click();
          return [item.querySelector('.row').href, item.querySelector('.note-line').textContent];
          """, .string(name))
        #expect(shown == ["", .string(line)])
        try await scene.browser.wait(
          for: "the reason",
          "return [...document.querySelectorAll('.why p')].some(each => each.textContent.includes(arguments[0]))",
          .string(reason))
      }
    }
  }

  @Test func `a link to a camera that has recorded nothing yet opens when it has`() async throws {
    try await play { scene in
      try await scene.visit("#rear@2025-11-20T10:15:35Z")
      try await scene.browser.wait(
        for: "words", "return document.querySelector('.note').innerText.includes('no camera named “rear”')")
      try await scene.record("rear/2025-11-20T10-15-30")
      try await scene.browser.wait(for: "its picture", "return $player.player.views[0]?.film.isThere")
    }
  }

  @Test func `hostile names are shown as text and play`() async throws {
    let names = [
      "<img src=x onerror=document.title='owned'>", "\"><script>document.title='owned'<", "100% & more?a=b#c@d",
      "%2e%2e", "ночь 夜 \u{1F916}", "gpj.\u{202E}evil", "javascript:alert(1)", "first\u{2028}second",
    ]
    try await play { scene in
      for name in names { try await scene.record(name + "/2026-03-04T05-06-07", seconds: 4) }
      try await scene.visit()
      for name in names {
        let recording = name + "/2026-03-04T05-06-07"
        try await scene.waitForRow(recording)
        try await scene.browser.run("document.querySelector(arguments[0]).click()", .string(scene.row(recording)))
        try await scene.browser.wait(
          for: "its picture",
          "return $player.player.camera?.name === arguments[0] && $player.player.views[0].film.isThere",
          .string(name))
        #expect(try await text("title", in: scene) == name.replacing(/[\u{202E}\u{2028}]/, with: "\u{FFFD}"))
        // A link finds it again.
        try await scene.browser.run("$player.player.pause()")
        let hash = try await scene.browser.wait(for: "a link", "return location.hash.includes('@') && location.hash")
        try await scene.browser.run("$player.player.close(); location.hash = ''")
        try await scene.browser.run("location.hash = arguments[0]", hash)
        try await scene.browser.wait(
          for: "it by its link", "return $player.player.camera?.name === arguments[0]", .string(name))
      }
      #expect(try await scene.browser.run("return document.querySelectorAll('img').length").double == 0)
      #expect(try await scene.browser.run("return document.title").string?.contains("owned") == false)
    }
  }

  @Test func `the keyboard alone finds, plays, pauses and seeks`() async throws {
    try await play { scene in
      try await scene.record(Self.first, seconds: 30)
      try await scene.record("front/2026-03-04T05-08-00", seconds: 30)
      try await scene.visit()
      try await scene.waitForRow(Self.first)
      try await eventually("focus on a row") {
        try await scene.browser.press(Key.tab)
        return try await scene.browser.run("return document.activeElement.matches('.row[href]')").isTrue ? () : nil
      }
      #expect(
        try await scene.browser.run("return getComputedStyle(document.activeElement).outlineStyle").string == "solid")
      try await scene.browser.press(Key.enter)
      try await scene.waitForPicture(past: "2026-03-04T05:08:00Z")
      try await scene.browser.run("document.activeElement.blur()")
      try await scene.browser.press(Key.space)
      try await scene.browser.wait(for: "a pause", "return document.querySelector('video').paused")
      func now() async throws -> Double { try await scene.browser.run("return $player.player.now").double ?? 0 }
      let before = try await now()
      try await scene.browser.press(Key.arrowRight)
      try await scene.browser.wait(for: "the picture", "return $player.player.views[0].film.isThere")
      let after = try await now()
      #expect(abs(after - before - 10_000) < 10)
      try await scene.browser.press(".")
      try await scene.browser.wait(for: "the picture", "return $player.player.views[0].film.isThere")
      #expect(abs(try await now() - after - 40) < 10)
      try await scene.browser.press("i")
      try await scene.browser.press(Key.arrowLeft)
      try await scene.browser.wait(for: "the picture", "return $player.player.views[0].film.isThere")
      try await scene.browser.press("o")
      try await scene.browser.wait(
        for: "a clip of ten seconds",
        "return /0:10 · [\\d.]+ .B/.test(document.getElementById('-clip-text').textContent)")
      try await scene.browser.press("j")
      try await scene.browser.wait(
        for: "the one before", "return Math.abs($player.player.now - Date.parse('2026-03-04T05:08:00Z')) < 2000")
      try await scene.browser.press("j")
      try await scene.browser.wait(
        for: "the one before that", "return Math.abs($player.player.now - Date.parse('2026-03-04T05:06:07Z')) < 2000")
      try await scene.browser.run("document.getElementById('-canvas').focus()")
      try await scene.browser.press("+", "+", "+")
      #expect(
        try await scene.browser.run("return $timeline.timeline.view.to - $timeline.timeline.view.from").double
          == 10_800_000)
    }
  }

  @Test func `a clip is the file that its link gives`() async throws {
    try await play { scene in
      try await scene.record(Self.first)
      try await scene.visit("#front@2026-03-04T05:06:10Z")
      try await scene.waitForRow(Self.first)
      try await scene.browser.wait(for: "the picture", "return $player.player.views[0]?.film.isThere")
      try await scene.browser.click("[id='-clip-in']")
      try await scene.go(to: "front", "2026-03-04T05:06:15Z")
      try await scene.browser.wait(
        for: "the picture", "return $player.player.now > Date.parse('2026-03-04T05:06:14.9Z')")
      try await scene.browser.run("$player.player.pause()")
      try await scene.browser.click("[id='-clip-out']")
      try await scene.browser.wait(
        for: "its size", "return document.getElementById('-clip-text').textContent.includes('B')")
      let answer = try await scene.browser.run(
        """
        const answer = await fetch(document.getElementById('-clip-take').href);
        return [answer.status, answer.headers.get('Content-Disposition'), (await answer.arrayBuffer()).byteLength > 10000];
        """)
      #expect(answer.array?.first?.double == 200 && answer.array?.last?.isTrue == true, "\(answer)")
      #expect(answer.array?[1].string?.contains("_front_2026-03-04T") == true, "\(answer)")
    }
  }

  @Test func `a link to a recording opens it, and one to none says so`() async throws {
    try await play(isQuiet: false) { scene in
      try await scene.record(Self.first)
      try await scene.visit("#" + Self.first)
      try await scene.browser.wait(
        for: "the recording",
        "return $player.player.views[0]?.film.isThere && document.querySelector('video').paused")
      try await scene.browser.run("location.hash = 'front/none'")
      try await scene.browser.wait(
        for: "words", "return document.querySelector('.note').innerText.includes('no recording named “front/none”')")
    }
  }

  @Test func `the chosen speed stays, and beyond what a decoder can it is key frames`() async throws {
    try await play { scene in
      try await scene.record("one/2026-03-04T05-06-07", seconds: 60)
      try await scene.record("two/2026-03-04T05-06-07", seconds: 60)
      try await scene.visit("#one@2026-03-04T05:06:08Z")
      try await scene.waitForRow("two/2026-03-04T05-06-07")
      try await scene.browser.click("[id='-play']")
      try await scene.waitForPicture(past: "2026-03-04T05:06:08Z")
      try await scene.browser.click("[data-rate='2']")
      try await scene.browser.wait(
        for: "the speed", "return document.querySelector('[data-rate=\"2\"]').ariaPressed === 'true'")
      try await scene.browser.click("[id='-cameras'] button:nth-child(2)")
      try await scene.waitForPicture(past: "2026-03-04T05:06:08Z")
      #expect(try await scene.browser.run("return document.querySelector('video').playbackRate").double == 2)
      try await scene.browser.run("window.start = $player.player.now; window.began = performance.now()")
      try await scene.browser.click("[data-rate='16']")
      try await scene.browser.wait(
        for: "twenty seconds by key frames",
        "return $player.player.now > window.start + 20000 && !document.querySelector('.still').hidden")
      #expect(try await scene.browser.run("return performance.now() - window.began < 10000").isTrue)
    }
  }

  @Test func `a lost connection is told quietly and recovers by itself`() async throws {
    try await play(isQuiet: false) { scene in
      try await scene.record(Self.first)
      try await scene.visit()
      try await scene.waitForRow(Self.first)
      await scene.server.stop()
      try await scene.browser.wait(for: "the banner", "return !document.querySelector('.banner').hidden")
      try await scene.record("front/2026-03-04T05-10-00")
      try await scene.server.restart()
      try await scene.waitForRow("front/2026-03-04T05-10-00")
      try await scene.browser.wait(for: "the banner to go", "return document.querySelector('.banner').hidden")
    }
  }

  @Test func `the policy allows the page's own blocks and no script that slips in`() async throws {
    try await play(isQuiet: false) { scene in
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
