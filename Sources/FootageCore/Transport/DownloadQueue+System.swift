extension DownloadQueue {
  /// Takes up what an earlier process has left. On Apple's platforms it asks the system what the network is like
  /// (`SystemNetwork`); elsewhere every network is taken for free.
  ///
  /// - Parameter cache: where the recordings are kept, and the list of them.
  public init(in cache: MediaCache) async {
    #if canImport(Network)
    await self.init(in: cache, network: SystemNetwork())
    #else
    await self.init(in: cache, network: UnmeteredNetwork())
    #endif
  }
}
