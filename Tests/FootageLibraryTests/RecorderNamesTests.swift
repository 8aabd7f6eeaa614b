/// The file names of recorders, as they are without a layout.

import FootageBase
import Testing

@testable import FootageLibrary

@Suite struct RecorderNamesTests {
  /// A name on disk without its extension, with its camera and its start; the start is nil if the name tells none, so
  /// that the file's own times apply.
  typealias Row = (name: String, camera: String?, start: String?)

  private static let begin = "2026-11-20T10:15:30.000Z"

  static let rows: [Row] = [
    // Dashcams.
    ("viofo/20261120101530_000123F", "viofo", begin), ("viofo/20261120101530_000124R", "viofo", begin),
    ("bv/20261120_101530_NF", "bv", begin), ("bv/20261120_101530_NR", "bv", begin),
    ("70mai/NO20261120-101530-000001F", "70mai", begin), ("tesla/2026-11-20_10-15-30-front", "tesla", begin),
    ("tesla/2026-11-20_10-15-30-left_repeater", "tesla", begin),
    ("tesla/SavedClips/2026-11-20_10-20-00/2026-11-20_10-15-30-back", "tesla", begin),
    ("thinkware/REC_2026_11_20_10_15_30_F", "thinkware", begin), ("nextbase/261120_101530_001_FH", "nextbase", nil),
    ("garmin/GRMN0001", "garmin", nil), ("ddpai/20261120101530_0060", "ddpai", begin),
    ("mio/FILE261120-101530F", "mio", nil),
    // Recorders that write a begin and an end.
    ("reolink/RecM01_20261120_101530_102030_0_2A13808_2E6C6D", "reolink", begin),
    ("reolink/RecM02_DST20261120_101530_101630_0_800_800_033C820000_61B6F0", "reolink", begin),
    ("dahua/2026-11-20/001/dav/10/10.15.30-10.16.30[M][0@0][0]", "dahua", begin),
    ("dahua/NVR_ch1_main_20261120101530_20261120102030", "dahua", begin),
    ("hik/Camera1_20261120101530_20261120102030_1", "hik", begin),
    ("hik/ch01_20261120T101530Z_20261120T102030Z", "hik", begin),
    ("unifi/cam_1795169730000_1795169790000", "unifi", begin),
    ("baw/20261120T101530+0000_20261120T111530+0000", "baw", begin),
    ("imou/2026-11-20_10-15-30_2026-11-20_10-20-30", "imou", begin),
    ("night/20261120_235930_000030", "night", "2026-11-20T23:59:30.000Z"),
    ("night/20261120235930_20261121000430", "night", "2026-11-20T23:59:30.000Z"),
    // Other cameras and recorders of cameras.
    ("reolink/Front_00_20261120101530", "reolink", begin), ("hik/ch01_00000000123000000", "hik", nil),
    ("hik/hiv00001", "hik", nil), ("zm/1/2026-11-20/12345/12345-video", "zm", nil),
    ("zm/1/2026-11-20/10-15-30/12345-video", "zm", begin),
    ("shinobi/GROUP/mon1/2026-11-20T10-15-30", "shinobi", begin), ("motion/01-20261120101530", "motion", begin),
    ("motion/20261120/01-101530", "motion", begin), ("motioneye/2026-11-20/10-15-30", "motioneye", begin),
    ("blueiris/cam1.20261120_101530", "blueiris", begin), ("wyze/20261120/10/15", "wyze", begin.minute),
    ("openipc/2026_11_20_10/15", "openipc", begin.minute),
    ("yi/2026Y11M20D10H/15M30S60", "yi", begin), ("frig/2026-11-20/10/front/15.30", "frig", nil),
    ("mtx/cam1/2026-11-20_10-15-30-123456", "mtx", "2026-11-20T10:15:30.123Z"),
    ("axis/axis-ACCC8E012345/20261120/10/20261120_101530_ABCD", "axis", begin),
    ("kerberos/1795169730_6-967003_front_200-200-400-400_24_769", "kerberos", begin),
    ("agentdvr/1_2026-11-20_10-15-30_123", "agentdvr", "2026-11-20T10:15:30.123Z"),
    ("eufy/T8410P1234567890_20261120101530", "eufy", begin),
    (
      "synology/Front-20261120-101530-1795169730123-5",
      "synology", begin
    ),
    ("ring/front_2026-11-20T10_15_30.000Z", "ring", begin), ("arlo/1795169730123", "arlo", "2026-11-20T10:15:30.123Z"),
    ("tapo/20261120_101530_tp00001", "tapo", begin), ("ezviz/20261120101530-0001", "ezviz", begin),
    ("nest/clip_11.20.2026-10.15.30", "nest", nil), ("us/11-20-2026_10-15-30", "us", nil),
    // Drones, action cameras and telephones.
    ("dji/DJI_20261120101530_0001_D", "dji", begin), ("dji/DJI_0001", "dji", nil),
    ("insta/VID_20261120_101530_00_001", "insta", begin), ("gopro/GX010034", "gopro", nil),
    ("android/VID_20261120_101530", "android", begin),
    ("android/PXL_20261120_101530123", "android", "2026-11-20T10:15:30.123Z"), ("iphone/IMG_1234", "iphone", nil),
    ("whatsapp/VID-20261120-WA0001", "whatsapp", nil), ("signal/signal-2026-11-20-101530", "signal", begin),
    // Programs.
    ("obs/2026-11-20 10-15-30", "obs", begin), ("obs/Replay 2026-11-20 10-15-30", "obs", begin),
    ("zoom/GMT20261120-101530_Recording_1920x1080", "zoom", begin),
    ("gnome/Screencast from 2026-11-20 10-15-30", "gnome", begin),
    ("mac/Screen Recording 2026-11-20 at 10.15.30", "mac", begin),
    ("mac/Screen Recording 2026-11-20 at 10.15.30\u{202F}PM", "mac", "2026-11-20T22:15:30.000Z"),
    ("ros/rosbag2_2026_11_20-10_15_30_0", "ros", begin), ("rpi/video_2026-11-20_10:15:30", "rpi", begin),
    ("ampm/2026-11-20 10.15.30 PM", "ampm", "2026-11-20T22:15:30.000Z"),
    ("ampm/2026-11-20 12.15.30 AM", "ampm", "2026-11-20T00:15:30.000Z"),
    ("ampm/2026-11-20 12.15.30 pm", "ampm", "2026-11-20T12:15:30.000Z"),
    ("ampm/2026-11-20 10.15.30 AM", "ampm", begin), ("ampm/2026-11-20 10.15.30 PMx", "ampm", begin),
    ("iso/2026-11-20T10:15:30+09:00", "iso", "2026-11-20T01:15:30.000Z"), ("iso/20261120T101530Z", "iso", begin),
    ("seq/video_000123", "seq", nil), ("seq/20261120", "seq", nil),
    ("20261120/000123", nil, "2026-11-20T00:01:23.000Z"),
  ]

  @Test(arguments: rows.indices)
  func `a recorder's name gives camera and start, or leaves them to the file`(index: Int) {
    let row = Self.rows[index]
    let witnesses = TimeWitnesses(modifiedNanoseconds: 1_800_000_000_000_000_000)
    let meaning = RecordingNaming().meaning(of: row.name)
    let start = meaning.start(witnesses, now: UnixTimestamp(seconds: 1_800_000_000))
    #expect(meaning.camera == row.camera, "\(row.name)")
    #expect((start.source == .name ? start.moment.rfc3339 : nil) == row.start, "\(row.name)")
  }

  @Test func `a time in six digits is an end only if it is later`() {
    func start(_ name: String) -> String? {
      RecordingNaming().moment(of: name)?.rfc3339
    }
    #expect(start("20261120_101530_101531") == "2026-11-20T10:15:30.000Z")
    #expect(start("20261120_101530_101530") == "2026-11-20T10:15:30.101Z")
    #expect(start("20261120_101530_250123") == "2026-11-20T10:15:30.250Z")
    #expect(start("20261120_101530_1016300") == "2026-11-20T10:15:30.000Z")
  }
}

extension String {
  /// The same moment at the begin of its minute.
  fileprivate var minute: String { replacing(":30.000Z", with: ":00.000Z") }
}
