extension RobotConnection {
  /// Returns a connection to the same robot, backed by a server of many robots that has the recordings that the robot
  /// copied to that server's store. The server is asked for what the robot no longer has, and while the robot cannot be
  /// reached.
  ///
  /// Lists, timelines, playbacks, pictures, clips and downloads all use the robot's names and entity tags. The cache
  /// treats both as one robot: a fetch that began at one continues at the other, in the same file. Only the robot
  /// itself answers what is being recorded now, and what is protected.
  ///
  /// Each of the two is trusted by its own pin. A different machine in the robot's place is reported as usual. A
  /// different machine in the server's place is not sent any request, and is reported only if the robot does not
  /// answer.
  ///
  /// - Parameters:
  ///   - fleet: a connection to that server, with its own pin.
  ///   - robot: the robot's name on the server: the part before the slash in the names of its recordings.
  public func backed(by fleet: RobotConnection, as robot: String) -> RobotConnection {
    RobotConnection(
      address,
      over: FleetBackedTransport(requests.transport, fleet.requests.transport, as: robot, clock: requests.clock),
      cache: cache.given, cacheNames: cacheNames, retrying: requests.policy, clock: requests.clock,
      events: eventSource)
  }
}
