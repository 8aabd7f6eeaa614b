extension RobotConnection {
  /// Returns a connection to the same robot, backed by a server of many robots that has what the robot brought into the
  /// store. What the robot does not have any more, or cannot answer while it is away, comes from there.
  ///
  /// Lists, timelines, playbacks, pictures, clips and downloads all use the robot's names and entity tags. For the
  /// cache, both are one robot: one of the two continues what the other one began, in the same file. Only the robot
  /// itself answers what is being recorded now, and what is protected.
  ///
  /// Each of the two is trusted by its own pin. A different machine in the robot's place is reported as usual. One in
  /// the server's place gets nothing, and is reported if the robot does not answer.
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
