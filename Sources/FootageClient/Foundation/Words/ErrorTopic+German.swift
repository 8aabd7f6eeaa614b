extension ErrorTopic {
  /// A sentence for the app's user, and advice on what they can do. `{name}` stands for an argument.
  var german: (problem: String, advice: String?) {
    switch self {
    case .address:
      (
        "„{text}“ ist keine gültige Roboteradresse.",
        "Geben Sie einen Namen oder eine Adresse ein. Hängen Sie einen Doppelpunkt und den Port an, wenn er nicht 8443 ist."
      )
    case .cancelled: ("Der Vorgang wurde abgebrochen.", nil)

    case .trustOtherKey:
      (
        "{host} ist nicht der Roboter, den diese App kennt. Es wurde nichts gesendet.",
        "Vergleichen Sie den Schlüssel {seen} mit dem auf der Konsole des Roboters. Wenn sie nicht übereinstimmen, antwortet ein anderes Gerät an seiner Stelle."
      )
    case .trustNobody:
      (
        "Unter {host} wurde noch kein Roboter bestätigt. Es wurde nichts gesendet.",
        "Vergleichen Sie den Schlüssel {seen} mit dem auf der Konsole des Roboters."
      )
    case .trustCopied:
      (
        "{host} zeigt das Zertifikat des Roboters, hat aber nicht dessen privaten Schlüssel. Es wurde nichts gesendet.",
        "Ein anderes Gerät antwortet an Stelle des Roboters. Informieren Sie die Netzwerkverwaltung."
      )
    case .trustDates:
      (
        "Das Zertifikat von {host} ist derzeit nicht gültig. Es wurde nichts gesendet.",
        "Prüfen Sie Datum und Uhrzeit auf diesem Gerät und auf dem Roboter."
      )
    case .trustAuthority:
      (
        "Das Zertifikat von {host} wurde von keiner Stelle ausgestellt, der diese App vertraut. Es wurde nichts gesendet.",
        "Fragen Sie die Person, die den Roboter eingerichtet hat, nach seinem Schlüssel oder Zertifikat."
      )
    case .trustOtherName:
      (
        "Das Zertifikat von {host} wurde für einen anderen Namen ausgestellt. Es wurde nichts gesendet.",
        "Geben Sie als Adresse den Namen ein, der für den Roboter festgelegt wurde."
      )
    case .trustWeak:
      (
        "Der Schlüssel von {host} ist zu schwach, um vertrauenswürdig zu sein. Es wurde nichts gesendet.",
        "Lassen Sie für den Roboter einen neuen Schlüssel und ein neues Zertifikat erstellen."
      )
    case .trustUnreadable:
      (
        "{host} hat kein lesbares Zertifikat vorgelegt. Es wurde nichts gesendet.",
        "Prüfen Sie die Adresse und den Port."
      )
    case .pinMalformed:
      (
        "Das ist kein Schlüssel eines Roboters.",
        "Der Schlüssel beginnt mit sha256/ und wird auf der Konsole des Roboters angezeigt."
      )

    case .identityPassphrase:
      (
        "Mit diesem Kennwort lässt sich das Zertifikat nicht öffnen.",
        "Geben Sie das Kennwort ein, mit dem es exportiert wurde."
      )
    case .identityIncomplete:
      (
        "Die Datei enthält kein Zertifikat mit zugehörigem privatem Schlüssel.",
        "Lassen Sie beide zusammen in eine Datei exportieren."
      )
    case .identityExpired:
      ("Ihr Zertifikat ist am {date} abgelaufen.", "Bitten Sie die Person, die den Roboter betreut, um ein neues.")
    case .identityUnreadable:
      (
        "Das Zertifikat ist nicht lesbar.",
        "Wählen Sie eine Datei, die auf .p12 oder .pfx endet, oder lassen Sie es erneut exportieren."
      )
    case .identityTooCostly:
      (
        "Das Öffnen des Zertifikats braucht zu viel Zeit oder Speicher.",
        "Lassen Sie es mit weniger Runden der Schlüsselableitung erneut exportieren."
      )
    case .identityNotInKeychain: ("Das Zertifikat ist nicht mehr auf diesem Gerät.", "Installieren Sie es erneut.")
    case .identityKeychainLocked:
      ("Das Gerät gewährt keinen Zugriff auf das Zertifikat.", "Entsperren Sie das Gerät und versuchen Sie es erneut.")
    case .identityRefused:
      ("Der Roboter akzeptiert Ihr Zertifikat nicht.", "Bitten Sie die Person, die den Roboter betreut, um ein neues.")
    case .identityNeeded:
      ("Der Roboter verlangt ein Zertifikat.", "Bitten Sie die Person, die den Roboter betreut, um eines.")

    case .pairingOtherKey:
      (
        "{robot} hat einen anderen Schlüssel als beim Koppeln. Es wurde nichts gesendet.",
        "Wenn der Roboter keinen neuen Schlüssel erhalten hat, antwortet ein anderes Gerät an seiner Stelle. Vergleichen Sie den Schlüssel {seen} mit dem auf seiner Konsole."
      )
    case .pairingNone: ("{robot} ist nicht gekoppelt.", "Koppeln Sie den Roboter zuerst.")
    case .pairingOtherRobot:
      (
        "Das ist der Schlüssel des Roboters unter {robot}.",
        "Zwei Roboter können nicht denselben Schlüssel haben. Prüfen Sie Ihre Eingabe."
      )
    case .pairingUnreadable: ("Die Liste der gekoppelten Roboter ist beschädigt.", "Koppeln Sie den Roboter erneut.")
    case .linkOther:
      ("Das ist kein Code zum Koppeln eines Roboters.", "Scannen Sie den Code auf der Konsole des Roboters.")
    case .linkDamaged: ("Der Code des Roboters ist beschädigt.", "Scannen Sie ihn erneut von der Konsole des Roboters.")
    case .linkName: ("„{name}“ ist kein gültiger Robotername.", "Wählen Sie einen kürzeren, einzeiligen Namen.")

    case .localNetworkDenied:
      (
        "Diese App darf nicht auf das lokale Netzwerk zugreifen, in dem sich der Roboter befindet.",
        "Erlauben Sie es in den Einstellungen des Geräts unter „Datenschutz & Sicherheit“ > „Lokales Netzwerk“."
      )
    case .networkUnusable:
      (
        "In diesem Netzwerk kann nicht nach Robotern gesucht werden.",
        "Geben Sie die Adresse des Roboters ein oder scannen Sie den Code auf seiner Konsole."
      )

    case .robotAway:
      (
        "Der Roboter ist nicht erreichbar.",
        "Prüfen Sie, ob er eingeschaltet ist und ob dieses Gerät im selben Netzwerk ist."
      )
    case .robotBusy: ("Der Roboter kann gerade nicht antworten.", "Versuchen Sie es gleich noch einmal.")
    case .robotNotAllowed:
      ("Der Roboter erlaubt das nicht.", "Bitten Sie die Person, die den Roboter betreut, um eine Berechtigung.")
    case .robotMalformed:
      (
        "Der Roboter hat keine gültige Antwort gegeben.",
        "Prüfen Sie die Adresse. Wenn sie zum Roboter gehört, braucht seine Software vielleicht ein Update."
      )
    case .robotTooOld: ("Die Software des Roboters ist dafür zu alt.", "Lassen Sie sie aktualisieren.")
    case .robotUnexpected:
      ("Der Roboter hat unerwartet geantwortet ({status}).", "Diese App braucht vielleicht ein Update.")

    case .recordingNotFound: ("{name} wurde nicht gefunden.", "Laden Sie die Liste neu.")
    case .recordingNotReady:
      ("{name} wird noch aufgenommen.", "Versuchen Sie es erneut, wenn die Aufnahme abgeschlossen ist.")
    case .recordingRefused: ("{name} kann nicht abgespielt werden.", "Meldung des Roboters: {reason}")
    case .recordingGone: ("Der Roboter hat {name} gelöscht.", "Laden Sie die Liste neu.")
    case .recordingNotKept: ("Der Schutz von {name} kann nicht geändert werden.", "Meldung des Roboters: {reason}")
    case .recordingOutOfRange: ("So lang ist {name} nicht.", "Wählen Sie einen früheren Zeitpunkt.")
    case .recordingReplaced: ("{name} hat sich auf dem Roboter geändert.", "Öffnen Sie die Aufnahme erneut.")

    case .viewNone:
      ("Der Roboter kann diesen Teil von {name} nicht anzeigen.", "Spielen Sie stattdessen die Aufnahme ab.")
    case .viewNoFootage: ("Zu dieser Zeit wurde nichts aufgenommen.", "Wählen Sie einen anderen Zeitpunkt.")
    case .viewTooLong: ("Der Zeitraum ist zu lang.", "Wählen Sie einen kürzeren Zeitraum.")
    case .viewOutside:
      ("Dieser Zeitpunkt liegt außerhalb von {name}.", "Wählen Sie einen Zeitpunkt innerhalb der Aufnahme.")
    case .viewFormatsDiffer:
      (
        "Die Aufnahmen dieses Zeitraums lassen sich nicht zu einem Ausschnitt verbinden.",
        "Wählen Sie einen Zeitraum innerhalb einer Aufnahme."
      )
    case .viewNotMade: ("Der Roboter kann das nicht bereitstellen.", "Meldung des Roboters: {reason}")

    case .cacheInUse:
      ("Ein anderes Programm verwendet die Aufnahmen auf diesem Gerät.", "Beenden Sie das andere Programm.")
    case .cacheNotBindable:
      (
        "{name} kann nicht auf diesem Gerät gespeichert werden.",
        "Etwas zwischen diesem Gerät und dem Roboter verändert die Antworten des Roboters. Verbinden Sie sich ohne Proxy mit dem Roboter."
      )
    case .cacheNothing: ("{name} ist nicht auf diesem Gerät.", "Verbinden Sie sich mit dem Roboter.")
    case .cachePart: ("Nur ein Teil von {name} ist auf diesem Gerät.", "Verbinden Sie sich mit dem Roboter.")
    case .cacheNoRoom:
      (
        "Auf diesem Gerät ist nicht genug Platz, um {name} zu speichern.",
        "Schaffen Sie Platz oder spielen Sie die Aufnahme ab, solange der Roboter erreichbar ist."
      )
    case .cacheDamaged:
      (
        "{name} ist auf diesem Gerät beschädigt.",
        "Verbinden Sie sich mit dem Roboter, um die Aufnahme erneut herunterzuladen."
      )
    case .cacheRobotAway:
      (
        "Das Laden von {name} ist unterbrochen, weil der Roboter nicht erreichbar ist.",
        "Es geht automatisch weiter, sobald der Roboter wieder erreichbar ist."
      )
    case .playerUnserved:
      (
        "Die Wiedergabe kann auf diesem Gerät nicht gestartet werden.",
        "Schließen Sie andere Apps und versuchen Sie es erneut."
      )
    case .downloadFailed: ("Diese Aufnahme konnte nicht heruntergeladen werden.", "Versuchen Sie es erneut.")

    case .fileNoRoom: ("Auf diesem Gerät ist kein Platz mehr.", "Löschen Sie, was Sie nicht mehr brauchen.")
    case .fileNoPermission: ("Diese App darf dort nicht schreiben.", "Wählen Sie einen anderen Ordner.")
    case .fileNotFound: ("Die Datei oder ihr Ordner existiert nicht mehr.", "Wählen Sie einen anderen Ordner.")
    case .fileInUse: ("Die Datei wird gerade verwendet.", "Versuchen Sie es gleich noch einmal.")
    case .fileBroken:
      ("Der Speicher dieses Geräts funktioniert nicht richtig.", "Sichern Sie, was Sie brauchen, an einem anderen Ort.")
    case .fileNotOurs:
      ("Dieser Ordner enthält andere Dateien; sie wurden nicht verändert.", "Wählen Sie einen anderen Ordner.")
    case .fileOther: ("Die Datei kann nicht verwendet werden.", "Meldung des Systems: {reason}")

    case .systemExhausted: ("Dieses Gerät ist überlastet.", "Schließen Sie andere Apps und versuchen Sie es erneut.")
    case .systemOther: ("Dieses Gerät lässt das nicht zu.", "Meldung des Systems: {reason}")
    }
  }
}
