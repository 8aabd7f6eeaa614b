import Testing

@testable import FootageServer

@Suite struct DescriptorBudgetTests {
  @Test(arguments: [
    // Plenty: all that was asked for.
    (1_048_576, 20, 1_024, 2, 1_024, 64), (524_288, 20, 20_000, 1, 20_000, 64),
    // The common soft limit, where it is the hard one, too.
    (1_024, 20, 1_024, 2, 670, 64),
    // Next to nothing: both have a share.
    (256, 20, 1_024, 2, 103, 25), (48, 20, 1_024, 2, 6, 1), (32, 20, 1_024, 2, 4, 1), (8, 20, 1_024, 2, 4, 1),
    (1_024, 20, 3, 2, 3, 64),
  ])
  func `descriptors are shared between connections and recordings`(
    limit: Int, used: Int, wanted: Int, loops: Int, connections: Int, recordings: Int
  ) {
    let budget = DescriptorBudget(limit: limit, used: used, wantedConnections: wanted, loops: loops)
    #expect(budget.connections == connections)
    #expect(budget.recordingsPerLoop == recordings)
  }
}
