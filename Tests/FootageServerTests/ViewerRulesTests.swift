import FootageAnswers
import FootageServing
import FootageLibrary
import Testing
import FootageAPI

@testable import FootageServer

/// The contents of `viewers.conf`, and the rights of each viewer in it.
@Suite struct ViewerRulesTests {
  private static let pin = "sha256/\(String(repeating: "A", count: 43))="

  private static func rights(_ cameras: CameraSelection, _ permissions: ViewerPermission...) -> ViewerRights {
    ViewerRights(cameras: cameras, permissions: Set(permissions))
  }

  private func client(_ name: String, key: Bool = false) -> ClientIdentity {
    ClientIdentity(name: name, certificateDigest: [], key: key ? PublicKeyPin(Self.pin) : nil)
  }

  private static let lines: [(text: String, rights: ViewerRights)] = [
    ("alice cameras=front", rights(CameraSelection(["front"]))),
    ("alice cameras=front,rear keep release", rights(CameraSelection(["front", "rear"]), .keep, .release)),
    ("alice status share cameras=*", rights(.all, .status, .share)),
    ("\t alice\tcameras=front  keep \r\n", rights(CameraSelection(["front"]), .keep)),
    ("# the night shift\n\nalice cameras=front # until May", rights(CameraSelection(["front"]))),
    ("%61lice cameras=f%72ont", rights(CameraSelection(["front"]))),
    ("alice cameras=%2A,a%2Cb,a%20b", rights(CameraSelection(["*", "a,b", "a b"]))),
    ("alice cameras=caf\u{E9}", rights(CameraSelection(["caf\u{E9}"]))),
    ("* cameras=front", rights(CameraSelection(["front"]))),
    ("* cameras=*\nalice cameras=front", rights(CameraSelection(["front"]))),
    ("\(pin) cameras=rear\n* cameras=*\nalice cameras=front", rights(CameraSelection(["rear"]))),
    ("\u{FEFF}alice cameras=front", rights(CameraSelection(["front"]))),
    ("Alice cameras=*", .none), ("bob cameras=*", .none), ("", .none), ("# nobody yet", .none),
  ]

  @Test(arguments: lines) func `a line says what a viewer may see and do`(text: String, rights: ViewerRights) throws {
    #expect(try ViewerRules(Array(text.utf8)).rights(of: client("alice", key: true)) == rights)
  }

  @Test func `whoever shows no certificate gets nothing, whatever others get`() throws {
    #expect(try ViewerRules(Array("* cameras=*".utf8)).rights(of: nil) == .none)
  }

  @Test func `names are told apart by their bytes`() throws {
    let rules = try ViewerRules(Array("\u{E9} cameras=*\ne\u{301} cameras=e\u{301}".utf8))
    #expect(rules.rights(of: client("\u{E9}")).cameras == .all)
    let cameras = rules.rights(of: client("e\u{301}")).cameras
    #expect(cameras.contains(camera: "e\u{301}") && !cameras.contains(camera: "\u{E9}"))
  }

  private static let faults: [(text: String, line: Int, words: String)] = [
    ("alice", 1, "add cameras=front,rear, or cameras=*"), ("alice keep", 1, "cameras= is missing"),
    ("alice cameras=", 1, "is empty"), ("alice cameras=front,", 1, "is empty"),
    ("alice cameras=front cameras=rear", 1, "twice"), ("alice cameras=front,*", 1, "a * must stand alone"),
    ("al* cameras=front", 1, "a * must stand alone"), ("alice cameras=front keep keep", 1, "keep is given twice"),
    ("alice cameras=front admin", 1, "'admin' is not a valid right: use keep, release, status or share"),
    ("alice cameras=front, rear", 1, "is empty"), ("alice cameras=front Keep", 1, "'Keep' is not a valid right"),
    ("alice cameras=front/low", 1, "cannot contain /"), ("alice cameras=%", 1, "two hexadecimal digits"),
    ("%FF cameras=front", 1, "UTF-8"), ("sha256/AAAA cameras=front", 1, "is not a valid pin"),
    ("\n# x\nalice cameras=front\n\n%61lice cameras=rear", 5, "already in line 3"),
    ("* cameras=front\n* cameras=rear", 2, "already in line 1"),
    ("\(pin) cameras=front\n\(pin) cameras=rear", 2, "already in line 1"),
    ("bob cameras=*\nalice kamera=front", 2, "'kamera=front' is not a valid right"),
    ("\(String(repeating: "a", count: 65)) cameras=*", 1, "64 characters"),
    ("bob cameras=*\nalice cameras=front \u{1B}[31m", 2, #"'\x1b[31m' is not a valid right"#),
  ]

  @Test(arguments: faults)
  func `a file that is wrong anywhere is none, and says where and what to do`(
    text: String, line: Int, words: String
  ) throws {
    let fault = try #require(throws: ViewerRules.Fault.self) { try ViewerRules(Array(text.utf8)) }
    #expect(fault.line == line && fault.problem.contains(words), "\(fault)")
    #expect(fault.description.hasPrefix("line \(line): "))
  }

  @Test func `rights are less where a camera or a word is missing`() {
    let all = Self.rights(.all, .keep, .share)
    let front = Self.rights(CameraSelection(["front"]), .keep)
    let both = Self.rights(CameraSelection(["front", "rear"]), .keep)
    #expect(ViewerRights.none.isSubset(of: front) && front.isSubset(of: both) && both.isSubset(of: all))
    #expect(!all.isSubset(of: both) && !both.isSubset(of: front) && !front.isSubset(of: .none))
    #expect(Access.viewer(front).lacks(anythingOf: .viewer(both)))
    #expect(Access.viewer(front).lacks(anythingOf: .everything))
    #expect(!Access.viewer(all).lacks(anythingOf: .everything))
    #expect(!Access.viewer(both).lacks(anythingOf: .viewer(front)))
  }
}
