internal import FootageSystem
internal import HTTPTransport

/// Threads that are shared fairly between viewers.
typealias ViewerPool = FairPool<Viewer>
