extension RobotConnection {
  /// The same robot with a server of many robots behind it, which has what the robot has brought into the store: what
  /// the robot does not have any more, or cannot say while it is away, comes from there.
  ///
  /// Lists, timelines, playbacks, pictures, clips and downloads all go by the robot's names and entity tags, and the
  /// cache knows one robot: what one of the two began, the other one goes on with, in the same file. What is recorded
  /// now, and what is protected, is the robot's alone to say.
  ///
  /// Each of the two is trusted by its own pin. Somebody else in the robot's place is told of as ever; whoever is in the
  /// other one's place gets nothing, and is told of where the robot does not answer.
  ///
  /// - Parameters:
  ///   - fleet: a connection to that server, by its own pin.
  ///   - robot: what the robot is called there: what stands before the slash in the names of its recordings.
  public func backed(by fleet: RobotConnection, as robot: String) -> RobotConnection {
    RobotConnection(
      address,
      over: FleetBackedTransport(requests.transport, fleet.requests.transport, as: robot, clock: requests.clock),
      cache: cache.given, cacheNames: cacheNames, retrying: requests.policy, clock: requests.clock,
      events: eventSource)
  }
}
