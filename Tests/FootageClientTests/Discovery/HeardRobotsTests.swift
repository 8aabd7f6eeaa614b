@testable import FootageCore
import LinuxTestSupport
import Testing

/// Robots that answer one question and not the next.
@Suite struct HeardRobotsTests {
  private static func robot(_ name: String, _ number: String = "192.0.2.7") -> AnnouncedRobot {
    required(AnnouncedRobot(name: name, host: "\(name).local", port: 8443, numbers: ["\(number):8443"], pinHint: nil))
  }

  @Test func `a robot is there until it was silent often enough`() {
    var heard = HeardRobots(mostSilences: 3)
    let news = [heard.hear([Self.robot("arm"), Self.robot("leg")]), heard.hear([Self.robot("arm")])]
    #expect(news == [true, false] && heard.robots.map(\.name) == ["arm", "leg"])
    var (isNew, hasGone) = ([] as [Bool], [] as [Bool])
    for _ in 0..<3 {
      hasGone.append(heard.endRound())
      isNew.append(heard.hear([Self.robot("arm")]))
    }
    #expect(hasGone == [false, false, true] && isNew == [false, false, false])
    #expect(heard.robots.map(\.name) == ["arm"])
    let isBack = heard.hear([Self.robot("leg")])
    #expect(isBack)
  }

  @Test func `what is said in one round is put together, and the next round begins anew`() {
    var heard = HeardRobots(mostSilences: 3)
    let news = [heard.hear([Self.robot("arm")]), heard.hear([Self.robot("arm", "198.51.100.7")])]
    #expect(news == [true, true])
    #expect(heard.robots.first?.addresses.map(\.host) == ["arm.local", "192.0.2.7", "198.51.100.7"])
    _ = heard.endRound()
    let isNew = heard.hear([Self.robot("arm", "198.51.100.7")])
    #expect(isNew && heard.robots.first?.addresses.map(\.host) == ["arm.local", "198.51.100.7"])
  }

  @Test func `a network full of robots is not heard to its end`() {
    var heard = HeardRobots(mostSilences: 3)
    _ = heard.hear((0..<1_000).map { Self.robot("arm\($0)") })
    let isNew = heard.hear([Self.robot("leg")])
    #expect(!isNew && heard.robots.count == 256)
  }
}
