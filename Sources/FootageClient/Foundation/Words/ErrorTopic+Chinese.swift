extension ErrorTopic {
  /// A sentence for the app's user, and advice on what they can do. `{name}` stands for an argument.
  var chinese: (problem: String, advice: String?) {
    switch self {
    case .address: ("“{text}”不是机器人的地址。", "请输入名称或地址；端口不是 8443 时，在冒号后写上端口。")
    case .cancelled: ("已取消。", nil)

    case .trustOtherKey: ("{host} 不是此应用认识的机器人。没有向它发送任何内容。", "请将密钥 {seen} 与机器人控制台上的密钥对比。如果不同，说明有人冒充它应答。")
    case .trustNobody: ("{host} 处的机器人尚未确认。没有向它发送任何内容。", "请将密钥 {seen} 与机器人控制台上的密钥对比。")
    case .trustCopied: ("{host} 出示了机器人的证书，但没有它的私钥。没有向它发送任何内容。", "有人冒充机器人应答：请告知网络管理员。")
    case .trustDates: ("{host} 的证书不在有效期内。没有向它发送任何内容。", "请检查本设备和机器人的时钟。")
    case .trustAuthority: ("此应用认识的机构都没有为 {host} 作证。没有向它发送任何内容。", "请向设置机器人的人索取它的密钥或证书。")
    case .trustOtherName: ("{host} 的证书属于另一个名称。没有向它发送任何内容。", "请使用机器人被赋予的名称。")
    case .trustWeak: ("{host} 的密钥太弱，不可信任。没有向它发送任何内容。", "请为机器人重新生成密钥和证书。")
    case .trustUnreadable: ("{host} 处的应答者没有出示可读的证书。没有向它发送任何内容。", "请检查地址和端口。")
    case .pinMalformed: ("这不是机器人的密钥。", "它以 sha256/ 开头，显示在机器人的控制台上。")

    case .identityPassphrase: ("密码无法打开证书。", "请输入导出证书时使用的密码。")
    case .identityIncomplete: ("文件中没有成对的证书和私钥。", "请将两者一起导出到一个文件中。")
    case .identityExpired: ("您的证书已于 {date} 过期。", "请向机器人的管理者索取新证书。")
    case .identityUnreadable: ("无法读取证书。", "请选择以 .p12 或 .pfx 结尾的文件。")
    case .identityTooCostly: ("打开证书所需时间过长。", "请用较少的密钥派生轮数重新导出。")
    case .identityNotInKeychain: ("此设备上已没有该证书。", "请重新安装。")
    case .identityKeychainLocked: ("设备未提供证书。", "请解锁设备后重试。")
    case .identityRefused: ("机器人不接受您的证书。", "请向机器人的管理者索取新证书。")
    case .identityNeeded: ("机器人要求出示证书。", "请向机器人的管理者索取证书。")

    case .pairingOtherKey: ("{robot} 的密钥与配对时不同。没有向它发送任何内容。", "如果没有人更换过密钥，说明有人冒充它应答。请将 {seen} 与其控制台上的密钥对比。")
    case .pairingNone: ("{robot} 尚未配对。", "请先与它配对。")
    case .pairingOtherRobot: ("这是 {robot} 处机器人的密钥。", "两台机器人不能有相同的密钥：请检查输入。")
    case .pairingUnreadable: ("已配对机器人的列表已损坏。", "请重新与机器人配对。")
    case .linkOther: ("这不是与机器人配对的二维码。", "请扫描机器人控制台上的二维码。")
    case .linkDamaged: ("机器人的二维码已损坏。", "请从机器人的控制台重新扫描。")
    case .linkName: ("“{name}”不能作为机器人的名称。", "请选择较短的、单行的名称。")

    case .localNetworkDenied: ("此应用不能使用机器人所在的本地网络。", "请在系统设置的“隐私”→“本地网络”中允许。")
    case .networkUnusable: ("无法在此网络中寻找机器人。", "请输入机器人的地址，或扫描其控制台上的二维码。")

    case .robotAway: ("无法连接机器人。", "请检查它是否开机，以及本设备是否在它的网络中。")
    case .robotBusy: ("机器人暂时无法应答。", "请稍后再试。")
    case .robotNotAllowed: ("机器人不允许此操作。", "请向机器人的管理者申请权限。")
    case .robotMalformed: ("机器人的应答没有意义。", "请检查地址。如果确实是机器人，它的软件可能需要更新。")
    case .robotTooOld: ("机器人的软件太旧，不支持此操作。", "请更新它。")
    case .robotUnexpected: ("无法理解机器人的应答（{status}）。", "此应用可能需要更新。")

    case .recordingNotFound: ("没有录像 {name}。", "请重新载入列表。")
    case .recordingNotReady: ("{name} 仍在录制。", "请在录制完成后再试。")
    case .recordingRefused: ("{name} 无法播放。", "机器人说：{reason}")
    case .recordingGone: ("机器人已删除 {name}。", "请重新载入列表。")
    case .recordingNotKept: ("无法保护 {name}。", "机器人说：{reason}")
    case .recordingOutOfRange: ("{name} 没有那么长。", "请选择更早的时刻。")
    case .recordingReplaced: ("{name} 在机器人上已经改变。", "请重新打开。")

    case .viewNone: ("机器人无法显示 {name} 的这一部分。", "请直接播放录像。")
    case .viewNoFootage: ("那段时间没有录像。", "请选择其他时刻。")
    case .viewTooLong: ("一次选取的时间太长。", "请选择较短的时间。")
    case .viewOutside: ("超出了 {name} 的范围。", "请选择其中的时刻。")
    case .viewFormatsDiffer: ("那段时间的录像无法合成一个片段。", "请在一个录像之内选择时间。")
    case .viewNotMade: ("机器人不提供此内容。", "它说：{reason}")

    case .cacheInUse: ("另一个进程正在使用本设备上的录像。", "请关闭另一个进程。")
    case .cacheNotBindable: ("{name} 无法保存在本设备上。", "本设备与机器人之间有东西改变了它的应答。")
    case .cacheNothing: ("{name} 不在本设备上。", "请连接它的机器人。")
    case .cachePart: ("{name} 只有一部分在本设备上。", "请连接它的机器人。")
    case .cacheNoRoom: ("本设备没有空间保存 {name}。", "请腾出空间，或在机器人在线时播放。")
    case .cacheDamaged: ("{name} 在本设备上已损坏。", "请连接它的机器人，将重新获取。")
    case .cacheRobotAway: ("{name} 无法继续：无法连接机器人。", "机器人恢复后会自动继续。")
    case .playerUnserved: ("无法在本设备上为播放器提供服务。", "请关闭其他应用后再试。")
    case .downloadFailed: ("无法获取此录像。", "请重试。")

    case .fileNoRoom: ("本设备没有剩余空间。", "请删除不再需要的内容。")
    case .fileNoPermission: ("此应用不能写入那里。", "请选择其他文件夹。")
    case .fileNotFound: ("文件或其文件夹已不存在。", "请选择其他文件夹。")
    case .fileInUse: ("文件正在使用中。", "请稍后再试。")
    case .fileBroken: ("本设备的存储工作不正常。", "请将需要的内容保存到别处。")
    case .fileNotOurs: ("该文件夹中有其他文件，它们会保持原样。", "请选择其他文件夹。")
    case .fileOther: ("文件无法使用。", "系统说：{reason}")

    case .systemExhausted: ("本设备负担过重。", "请关闭其他应用后再试。")
    case .systemOther: ("本设备不允许此操作。", "系统说：{reason}")
    }
  }
}
