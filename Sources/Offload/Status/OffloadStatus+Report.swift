package import FootageAPI

extension OffloadStatus {
  /// As others on this machine are told.
  package var report: OffloadReport {
    OffloadReport(
      store: store, trouble: trouble.map { HealthReport.Reason($0.code, $0.words) }, storedCount: storedCount,
      storedBytes: storedBytes, backlogCount: backlogCount, backlogBytes: backlogBytes, oldest: oldest,
      lastSuccess: lastSuccess,
      current: current.map {
        OffloadReport.Transfer(name: $0.name, sentBytes: $0.sentBytes, totalBytes: $0.totalBytes)
      },
      sentBytes: sentBytes, resentBytes: resentBytes,
      refusals: refusals.sorted { $0.key < $1.key }.map { OffloadReport.Refusal(name: $0.key, reason: $0.value) },
      tasks: tasks.map { task in
        let (state, text): (OffloadReport.Task.State, String?) =
          switch task.state {
          case .waiting: (.waiting, nil)
          case .running: (.running, nil)
          case .done(let words): (.done, words)
          case .failed(let words): (.failed, words)
          }
        return OffloadReport.Task(
          number: task.number, verb: task.verb.rawValue, name: task.name, state: state, text: text)
      })
  }
}
