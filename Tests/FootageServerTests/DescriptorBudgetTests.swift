import Testing

@testable import FootageServer

@Suite struct DescriptorBudgetTests {
  @Test(arguments: [
    // Plenty of descriptors: everything gets what was asked for.
    (1_048_576, 20, 1_024, 2, 1_024, 64, 64), (524_288, 20, 20_000, 1, 20_000, 64, 64),
    // The common soft limit, when it is also the hard limit.
    (1_024, 20, 1_024, 2, 588, 64, 62),
    // Hardly any descriptors: everything gets a share.
    (256, 20, 1_024, 2, 86, 21, 14), (48, 20, 1_024, 2, 4, 1, 1), (32, 20, 1_024, 2, 4, 1, 1),
    (8, 20, 1_024, 2, 4, 1, 1), (1_024, 20, 3, 2, 3, 64, 62),
  ])
  func `descriptors are shared between connections, recordings and views`(
    limit: Int, used: Int, wanted: Int, loops: Int, connections: Int, recordings: Int, views: Int
  ) {
    let budget = DescriptorBudget(limit: limit, used: used, wantedConnections: wanted, loops: loops)
    #expect(budget.connections == connections)
    #expect(budget.recordingsPerLoop == recordings)
    #expect(budget.views == views)
  }
}
