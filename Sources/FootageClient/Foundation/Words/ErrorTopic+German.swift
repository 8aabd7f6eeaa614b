extension ErrorTopic {
  /// A sentence for the app's user, and advice on what they can do. `{name}` stands for an argument.
  var german: (problem: String, advice: String?) {
    switch self {
    case .address:
      (
        "„{text}“ ist keine Adresse eines Roboters.",
        "Geben Sie einen Namen oder eine Adresse ein, und hinter einem Doppelpunkt den Port, wenn er nicht 8443 ist."
      )
    case .cancelled: ("Es wurde abgebrochen.", nil)

    case .trustOtherKey:
      (
        "{host} ist nicht der Roboter, den diese App kennt. Es wurde nichts gesendet.",
        "Vergleichen Sie den Schlüssel {seen} mit dem auf der Konsole des Roboters. Sind sie nicht gleich, antwortet jemand anders an seiner Stelle."
      )
    case .trustNobody:
      (
        "Unter {host} wurde noch kein Roboter bestätigt. Es wurde nichts gesendet.",
        "Vergleichen Sie den Schlüssel {seen} mit dem auf der Konsole des Roboters."
      )
    case .trustCopied:
      (
        "{host} zeigt das Zertifikat des Roboters, hat aber seinen Schlüssel nicht. Es wurde nichts gesendet.",
        "Jemand antwortet an Stelle des Roboters: Sagen Sie es denen, die das Netz betreuen."
      )
    case .trustDates:
      (
        "Das Zertifikat von {host} ist nicht gültig zu dieser Zeit. Es wurde nichts gesendet.",
        "Prüfen Sie die Uhren dieses Geräts und des Roboters."
      )
    case .trustAuthority:
      (
        "Niemand, den diese App kennt, bürgt für {host}. Es wurde nichts gesendet.",
        "Fragen Sie, wer den Roboter eingerichtet hat, nach seinem Schlüssel oder Zertifikat."
      )
    case .trustOtherName:
      (
        "Das Zertifikat von {host} gilt für einen anderen Namen. Es wurde nichts gesendet.",
        "Rufen Sie den Roboter unter dem Namen auf, den er bekommen hat."
      )
    case .trustWeak:
      (
        "Der Schlüssel von {host} ist zu schwach. Es wurde nichts gesendet.",
        "Lassen Sie Schlüssel und Zertifikat des Roboters neu erstellen."
      )
    case .trustUnreadable:
      (
        "Was unter {host} antwortet, zeigt kein lesbares Zertifikat. Es wurde nichts gesendet.",
        "Prüfen Sie Adresse und Port."
      )
    case .pinMalformed:
      ("Das ist kein Schlüssel eines Roboters.", "Er beginnt mit sha256/ und steht auf der Konsole des Roboters.")

    case .identityPassphrase:
      ("Das Kennwort öffnet das Zertifikat nicht.", "Geben Sie das ein, mit dem es exportiert wurde.")
    case .identityIncomplete:
      ("In der Datei ist kein Zertifikat mit seinem Schlüssel.", "Lassen Sie beide zusammen in eine Datei exportieren.")
    case .identityExpired:
      ("Ihr Zertifikat ist am {date} abgelaufen.", "Bitten Sie, wer den Roboter betreut, um ein neues.")
    case .identityUnreadable:
      ("Das Zertifikat ist nicht lesbar.", "Wählen Sie eine Datei, die auf .p12 oder .pfx endet.")
    case .identityTooCostly:
      (
        "Das Zertifikat zu öffnen würde zu lange dauern.",
        "Lassen Sie es mit weniger Runden der Schlüsselableitung neu exportieren."
      )
    case .identityNotInKeychain:
      ("Das Zertifikat ist nicht mehr auf diesem Gerät.", "Installieren Sie es erneut.")
    case .identityKeychainLocked:
      ("Das Gerät gibt das Zertifikat nicht heraus.", "Entsperren Sie das Gerät und versuchen Sie es noch einmal.")
    case .identityRefused:
      ("Der Roboter nimmt Ihr Zertifikat nicht an.", "Bitten Sie, wer den Roboter betreut, um ein neues.")
    case .identityNeeded: ("Der Roboter verlangt ein Zertifikat.", "Bitten Sie, wer den Roboter betreut, um eines.")

    case .pairingOtherKey:
      (
        "{robot} hat einen anderen Schlüssel als beim Koppeln. Es wurde nichts gesendet.",
        "Hat ihm niemand einen neuen gegeben, antwortet jemand anders an seiner Stelle. Vergleichen Sie {seen} mit dem Schlüssel auf seiner Konsole."
      )
    case .pairingNone: ("{robot} ist nicht gekoppelt.", "Koppeln Sie ihn zuerst.")
    case .pairingOtherRobot:
      (
        "Das ist der Schlüssel des Roboters unter {robot}.",
        "Zwei Roboter können nicht denselben Schlüssel haben: Prüfen Sie Ihre Eingabe."
      )
    case .pairingUnreadable:
      ("Die Liste der gekoppelten Roboter ist beschädigt.", "Koppeln Sie den Roboter noch einmal.")
    case .linkOther:
      ("Das ist kein Code zum Koppeln eines Roboters.", "Scannen Sie den auf der Konsole des Roboters.")
    case .linkDamaged:
      ("Der Code des Roboters ist beschädigt.", "Scannen Sie ihn noch einmal, von der Konsole des Roboters.")
    case .linkName: ("„{name}“ ist kein Name für einen Roboter.", "Wählen Sie einen kürzeren, in einer Zeile.")

    case .localNetworkDenied:
      (
        "Diese App darf das lokale Netzwerk nicht benutzen, in dem der Roboter ist.",
        "Erlauben Sie es in den Einstellungen des Systems, unter Datenschutz, Lokales Netzwerk."
      )
    case .networkUnusable:
      (
        "In diesem Netz kann nicht nach Robotern gesucht werden.",
        "Geben Sie die Adresse des Roboters ein, oder scannen Sie den Code auf seiner Konsole."
      )

    case .robotAway:
      ("Der Roboter ist nicht erreichbar.", "Prüfen Sie, ob er eingeschaltet ist und dieses Gerät in seinem Netz.")
    case .robotBusy: ("Der Roboter kann gerade nicht antworten.", "Versuchen Sie es gleich noch einmal.")
    case .robotNotAllowed: ("Der Roboter erlaubt das nicht.", "Bitten Sie, wer den Roboter betreut, um das Recht dazu.")
    case .robotMalformed:
      (
        "Die Antwort des Roboters ergibt keinen Sinn.",
        "Prüfen Sie die Adresse. Ist es der Roboter, braucht er vielleicht ein Update."
      )
    case .robotTooOld: ("Die Software des Roboters ist dafür zu alt.", "Lassen Sie sie aktualisieren.")
    case .robotUnexpected:
      ("Die Antwort des Roboters ist unverständlich ({status}).", "Vielleicht braucht diese App ein Update.")

    case .recordingNotFound: ("Es gibt keine Aufnahme {name}.", "Laden Sie die Liste neu.")
    case .recordingNotReady: ("{name} wird noch aufgenommen.", "Versuchen Sie es, wenn sie fertig ist.")
    case .recordingRefused: ("{name} ist nicht abspielbar.", "Der Roboter sagt: {reason}")
    case .recordingGone: ("Der Roboter hat {name} gelöscht.", "Laden Sie die Liste neu.")
    case .recordingNotKept: ("{name} kann nicht geschützt werden.", "Der Roboter sagt: {reason}")
    case .recordingOutOfRange: ("{name} ist kürzer.", "Wählen Sie einen früheren Moment.")
    case .recordingReplaced: ("{name} ist auf dem Roboter eine andere geworden.", "Öffnen Sie sie noch einmal.")

    case .viewNone:
      ("Der Roboter kann diesen Teil von {name} nicht zeigen.", "Spielen Sie stattdessen die Aufnahme ab.")
    case .viewNoFootage: ("Zu dieser Zeit wurde nichts aufgenommen.", "Wählen Sie einen anderen Moment.")
    case .viewTooLong: ("Das ist auf einmal zu lang.", "Wählen Sie eine kürzere Zeit.")
    case .viewOutside: ("Das liegt außerhalb von {name}.", "Wählen Sie einen Moment darin.")
    case .viewFormatsDiffer:
      ("Die Aufnahmen dieser Zeit passen nicht in einen Clip.", "Wählen Sie eine Zeit innerhalb einer Aufnahme.")
    case .viewNotMade: ("Der Roboter macht das nicht.", "Er sagt: {reason}")

    case .cacheInUse: ("Ein anderer Prozess benutzt die Aufnahmen auf diesem Gerät.", "Schließen Sie den anderen.")
    case .cacheNotBindable:
      (
        "{name} kann nicht auf diesem Gerät bleiben.",
        "Etwas zwischen diesem Gerät und dem Roboter verändert seine Antworten."
      )
    case .cacheNothing: ("{name} ist nicht auf diesem Gerät.", "Verbinden Sie sich mit dem Roboter.")
    case .cachePart: ("{name} ist nur zum Teil auf diesem Gerät.", "Verbinden Sie sich mit dem Roboter.")
    case .cacheNoRoom:
      (
        "Für {name} ist auf diesem Gerät kein Platz.",
        "Schaffen Sie Platz, oder spielen Sie sie ab, solange der Roboter da ist."
      )
    case .cacheDamaged:
      ("{name} ist auf diesem Gerät beschädigt.", "Verbinden Sie sich mit dem Roboter: Dann wird sie neu geholt.")
    case .cacheRobotAway:
      (
        "{name} geht nicht weiter: Der Roboter ist nicht erreichbar.",
        "Sie geht von selbst weiter, wenn er wieder da ist."
      )
    case .playerUnserved:
      (
        "Der Player kann auf diesem Gerät nicht bedient werden.",
        "Schließen Sie andere Apps, und versuchen Sie es noch einmal."
      )
    case .downloadFailed: ("Diese Aufnahme konnte nicht geladen werden.", "Versuchen Sie es noch einmal.")

    case .fileNoRoom: ("Auf diesem Gerät ist kein Platz mehr.", "Löschen Sie, was Sie nicht mehr brauchen.")
    case .fileNoPermission: ("Dorthin darf diese App nicht schreiben.", "Wählen Sie einen anderen Ordner.")
    case .fileNotFound: ("Die Datei oder ihr Ordner ist nicht mehr da.", "Wählen Sie einen anderen Ordner.")
    case .fileInUse: ("Die Datei wird gerade benutzt.", "Versuchen Sie es gleich noch einmal.")
    case .fileBroken:
      (
        "Der Speicher dieses Geräts arbeitet nicht, wie er soll.",
        "Sichern Sie, was Sie brauchen, an einem anderen Ort."
      )
    case .fileNotOurs:
      ("In diesem Ordner liegen andere Dateien; sie bleiben, wie sie sind.", "Wählen Sie einen anderen Ordner.")
    case .fileOther: ("Die Datei ist nicht zu gebrauchen.", "Das System sagt: {reason}")

    case .systemExhausted:
      ("Dieses Gerät hat zu viel zu tun.", "Schließen Sie andere Apps, und versuchen Sie es noch einmal.")
    case .systemOther: ("Dieses Gerät lässt das nicht zu.", "Das System sagt: {reason}")
    }
  }
}
