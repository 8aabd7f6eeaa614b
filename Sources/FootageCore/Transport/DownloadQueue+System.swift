extension DownloadQueue {
  /// Creates a queue that continues what an earlier process left unfinished. On Apple's platforms it asks the system
  /// about the network (`SystemNetwork`); elsewhere every network counts as unmetered.
  ///
  /// - Parameter cache: the cache for the recordings and for the list of them.
  public init(in cache: MediaCache) async {
    #if canImport(Network)
    await self.init(in: cache, network: SystemNetwork())
    #else
    await self.init(in: cache, network: UnmeteredNetwork())
    #endif
  }
}
