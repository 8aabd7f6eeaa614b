/// The reaction of an app to failures of its own files.
import FootageSystem
import Testing

@testable import FootageCore

@Suite struct FileFailureTests {
  @Test(
    arguments: [
      (.noSpaceLeft, .noRoom), (.diskQuotaExceeded, .noRoom), (.permissionDenied, .noPermission),
      (.readOnlyFileSystem, .noPermission), (.notFound, .notFound), (.wouldBlock, .inUse), (.ioError, .broken),
      (.fileTooLarge, .other),
    ] as [(Errno, FileFailure.Reason)])
  func `a failed call says what somebody has to see to`(number: Errno, reason: FileFailure.Reason) {
    let error = StorageError("write", "/x", .system(number))
    #expect(FileFailure(error).reason == reason)
    #expect(FileFailure(error).description == error.description)
    // The text at the public edge is the same, whichever way the error came.
    #expect(MediaCacheError.folder(FileFailure(error)).failure.reason == reason)
    #expect("\(RobotError.file(FileFailure(error)))" == error.description)
    #expect("\(PairingError.file(FileFailure(error)))" == error.description)
  }

  @Test(
    arguments: [
      (.tooManyOpenFiles, .descriptors), (.tooManyOpenFilesInAll, .descriptors), (.wouldBlock, .threads),
      (.exhaustedMemory, .memory), (.invalidArgument, .other),
    ] as [(Errno, SystemFailure.Reason)])
  func `what the machine lacks is said to the app`(number: Errno, reason: SystemFailure.Reason) {
    let error = SystemError("pthread_create", number)
    #expect(SystemFailure(error).reason == reason)
    #expect("\(RobotError.system(SystemFailure(error)))" == error.description)
  }

  @Test(
    // SQLITE_FULL, SQLITE_READONLY, SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_IOERR, SQLITE_IOERR_SHMSIZE, SQLITE_ERROR.
    arguments: [
      (13, .noRoom), (8, .noPermission), (5, .inUse), (11, .broken), (10, .broken), (4874, .noRoom), (1, .other),
    ] as [(Int32, FileFailure.Reason)])
  func `so does the database`(code: Int32, reason: FileFailure.Reason) {
    #expect(FileFailure(SQLiteError(code: code, message: "", sql: nil, path: "/x")).reason == reason)
  }
}
