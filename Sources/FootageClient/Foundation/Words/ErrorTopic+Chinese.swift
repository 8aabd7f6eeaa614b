extension ErrorTopic {
  /// A sentence for the app's user, and advice on what they can do. `{name}` stands for an argument.
  var chinese: (problem: String, advice: String?) {
    switch self {
    case .address: ("“{text}”不是有效的机器人地址。", "请输入名称或地址；如果端口不是 8443，请在末尾加上冒号和端口。")
    case .cancelled: ("操作已取消。", nil)

    case .trustOtherKey: ("{host} 不是此应用已知的机器人。未向它发送任何内容。", "请将密钥 {seen} 与机器人控制台上的密钥进行比对。如果不同，说明有其他设备在代替该机器人应答。")
    case .trustNobody: ("尚未确认 {host} 处机器人的身份。未向它发送任何内容。", "请将密钥 {seen} 与机器人控制台上的密钥进行比对。")
    case .trustCopied: ("{host} 出示了机器人的证书，但没有对应的私钥。未向它发送任何内容。", "有其他设备在代替该机器人应答。请通知网络管理员。")
    case .trustDates: ("{host} 的证书当前不在有效期内。未向它发送任何内容。", "请检查此设备和机器人的日期与时间。")
    case .trustAuthority: ("{host} 的证书不是由此应用信任的机构签发的。未向它发送任何内容。", "请向设置机器人的人员索取它的密钥或证书。")
    case .trustOtherName: ("{host} 的证书是为其他名称签发的。未向它发送任何内容。", "请使用为机器人设置的名称进行连接。")
    case .trustWeak: ("{host} 的密钥太弱，不可信任。未向它发送任何内容。", "请让管理员为机器人重新生成密钥和证书。")
    case .trustUnreadable: ("{host} 未提供可读取的证书。未向它发送任何内容。", "请检查地址和端口。")
    case .pinMalformed: ("这不是机器人的密钥。", "密钥以 sha256/ 开头，显示在机器人的控制台上。")

    case .identityPassphrase: ("此密码无法打开证书。", "请输入导出证书时使用的密码。")
    case .identityIncomplete: ("文件中没有相互匹配的证书和私钥。", "请将两者一起导出到同一个文件中。")
    case .identityExpired: ("您的证书已于 {date} 过期。", "请向机器人的管理员索取新证书。")
    case .identityUnreadable: ("无法读取证书。", "请选择扩展名为 .p12 或 .pfx 的文件，或重新导出证书。")
    case .identityTooCostly: ("打开证书需要过多时间或内存。", "请让管理员减少密钥派生的轮数，然后重新导出证书。")
    case .identityNotInKeychain: ("此设备上已没有该证书。", "请重新安装证书。")
    case .identityKeychainLocked: ("设备不允许访问该证书。", "请解锁设备后重试。")
    case .identityRefused: ("机器人不接受您的证书。", "请向机器人的管理员索取新证书。")
    case .identityNeeded: ("机器人要求提供证书。", "请向机器人的管理员索取证书。")

    case .pairingOtherKey:
      ("{robot} 的密钥与配对时不同。未向它发送任何内容。", "如果机器人没有更换过密钥，说明有其他设备在代替该机器人应答。请将密钥 {seen} 与机器人控制台上的密钥进行比对。")
    case .pairingNone: ("{robot} 尚未配对。", "请先与它配对。")
    case .pairingOtherRobot: ("这是 {robot} 处机器人的密钥。", "两台机器人不能使用相同的密钥。请检查输入的内容。")
    case .pairingUnreadable: ("已配对机器人的列表已损坏。", "请重新与机器人配对。")
    case .linkOther: ("这不是用于与机器人配对的二维码。", "请扫描机器人控制台上的二维码。")
    case .linkDamaged: ("机器人的二维码已损坏。", "请重新扫描机器人控制台上的二维码。")
    case .linkName: ("“{name}”不是有效的机器人名称。", "请选择较短且不换行的名称。")

    case .localNetworkDenied: ("此应用无权使用机器人所在的本地网络。", "请在系统设置的“隐私与安全性”>“本地网络”中允许此应用。")
    case .networkUnusable: ("无法在此网络中搜索机器人。", "请输入机器人的地址，或扫描其控制台上的二维码。")

    case .robotAway: ("无法连接机器人。", "请检查机器人是否已开机，以及此设备是否与它在同一网络中。")
    case .robotBusy: ("机器人暂时无法响应。", "请稍后重试。")
    case .robotNotAllowed: ("机器人不允许此操作。", "请向机器人的管理员申请权限。")
    case .robotMalformed: ("机器人返回的数据无效。", "请检查地址。如果地址属于该机器人，其软件可能需要更新。")
    case .robotTooOld: ("机器人的软件版本过旧，不支持此操作。", "请让管理员更新机器人的软件。")
    case .robotUnexpected: ("机器人返回了无法识别的响应（{status}）。", "此应用可能需要更新。")

    case .recordingNotFound: ("找不到 {name}。", "请重新载入列表。")
    case .recordingNotReady: ("{name} 仍在录制。", "请在录制完成后重试。")
    case .recordingRefused: ("无法播放 {name}。", "机器人提示：{reason}")
    case .recordingGone: ("机器人已删除 {name}。", "请重新载入列表。")
    case .recordingNotKept: ("无法更改 {name} 的保护状态。", "机器人提示：{reason}")
    case .recordingOutOfRange: ("{name} 没有那么长。", "请选择更早的时间点。")
    case .recordingReplaced: ("{name} 在机器人上已更改。", "请重新打开。")

    case .viewNone: ("机器人无法显示 {name} 的这一部分。", "请直接播放此录像。")
    case .viewNoFootage: ("那段时间没有录像。", "请选择其他时间点。")
    case .viewTooLong: ("所选时间段过长。", "请选择较短的时间段。")
    case .viewOutside: ("所选时间超出了 {name} 的范围。", "请选择此录像范围内的时间点。")
    case .viewFormatsDiffer: ("那段时间的录像无法合并为一个片段。", "请选择同一段录像内的时间段。")
    case .viewNotMade: ("机器人无法提供此内容。", "机器人提示：{reason}")

    case .cacheInUse: ("另一个程序正在使用此设备上的录像。", "请关闭另一个程序。")
    case .cacheNotBindable: ("{name} 无法保存在此设备上。", "此设备与机器人之间的某个设备或程序修改了机器人的响应，请不经代理直接连接。")
    case .cacheNothing: ("{name} 不在此设备上。", "请连接到录制它的机器人。")
    case .cachePart: ("{name} 只有一部分在此设备上。", "请连接到录制它的机器人。")
    case .cacheNoRoom: ("此设备上没有足够的空间保存 {name}。", "请腾出空间，或在可以连接机器人时播放。")
    case .cacheDamaged: ("{name} 在此设备上已损坏。", "请连接到录制它的机器人以重新下载。")
    case .cacheRobotAway: ("{name} 的加载已中断，因为无法连接机器人。", "重新连接机器人后会自动继续。")
    case .playerUnserved: ("无法在此设备上开始播放。", "请关闭其他应用后重试。")
    case .downloadFailed: ("无法下载此录像。", "请重试。")

    case .fileNoRoom: ("此设备没有剩余空间。", "请删除不再需要的内容。")
    case .fileNoPermission: ("此应用无权写入该位置。", "请选择其他文件夹。")
    case .fileNotFound: ("文件或其文件夹已不存在。", "请选择其他文件夹。")
    case .fileInUse: ("文件正在使用中。", "请稍后重试。")
    case .fileBroken: ("此设备的存储器出现故障。", "请将需要的内容保存到其他位置。")
    case .fileNotOurs: ("该文件夹中有其他文件，这些文件未被更改。", "请选择其他文件夹。")
    case .fileOther: ("无法使用该文件。", "系统提示：{reason}")

    case .systemExhausted: ("此设备负载过高。", "请关闭其他应用后重试。")
    case .systemOther: ("此设备不允许此操作。", "系统提示：{reason}")
    }
  }
}
