import FootageAPI
import FootageBase
import FootageLibrary
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServer

/// The time at which observations are reported, on a clock that the test moves.
@MainActor
@Suite struct HealthMonitorTests {
  private func codes(_ monitor: HealthMonitor) -> [String] { monitor.report.reasons.map(\.code) }

  @Test func `a disk that does not answer is told of without asking it, and no more once it does`() throws {
    let scene = try RobotScene()
    let time = MovableClock(unixSeconds: scene.library.now.seconds)
    let monitor = HealthMonitor(scene.library, clock: time.clock, built: 0)
    monitor.observe()
    #expect(!codes(monitor).contains("disk-stuck"))
    time.advance(by: .seconds(13))
    #expect(codes(monitor).first == "disk-stuck" && monitor.report.status == .failing)
    monitor.observe()
    #expect(!codes(monitor).contains("disk-stuck"))
  }

  @Test func `before the first look it says what it can`() throws {
    let scene = try RobotScene()
    let report = HealthMonitor(scene.library, built: 0).report
    #expect(report.status == .ok && report.recordings == 3 && report.forecastSeconds == nil)
  }

  @Test func `what changes in the library is told at the next look`() throws {
    let scene = try RobotScene()
    let monitor = HealthMonitor(scene.library, built: 0)
    monitor.observe()
    #expect(monitor.report.reasons.first { $0.code == "refused-lately" }?.text.hasPrefix("1 recording ") == true)
    try scene.add("front/another", Array("no recording either".utf8))
    scene.publish()
    monitor.observe()
    #expect(monitor.report.reasons.first { $0.code == "refused-lately" }?.text.hasPrefix("2 recordings ") == true)
  }

  @Test func `a clock that is set, and certificates that are changed, are told at once`() throws {
    let scene = try RobotScene()
    let time = MovableClock(unixSeconds: 1_000)
    let monitor = HealthMonitor(scene.library, clock: time.clock, built: 1_700_000_000)
    monitor.observe()
    monitor.noteCertificates(end: 2_000, failure: nil)
    #expect(codes(monitor).contains("clock-not-set") && !codes(monitor).contains("certificate-expired"))
    time.setTimeOfDay(by: .seconds(1_799_999_000))
    #expect(!codes(monitor).contains("clock-not-set") && codes(monitor).contains("certificate-expired"))
    monitor.noteCertificates(end: 1_900_000_000, failure: "key and certificate differ")
    #expect(codes(monitor).contains("certificates-unusable") && !codes(monitor).contains("certificate-expired"))
  }
}
