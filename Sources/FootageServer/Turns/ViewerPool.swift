internal import FootageSystem
internal import FootageHTTP

/// Threads that are shared fairly between viewers.
typealias ViewerPool = FairPool<Viewer>
