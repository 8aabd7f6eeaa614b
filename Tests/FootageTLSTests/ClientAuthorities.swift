/// A chain of client authorities, with the certificates that they issued and revoked. They are made once per run.
import Foundation
import LinuxTestSupport

enum ClientAuthorities {
  /// `root` issued `carol` and `middle`, which issued `alice` and `bob`. `strange` has the name of `root` with another
  /// key, and issued `mallory`. `server` is the server's own.
  ///
  /// `NAME.crl` revokes no certificate, `NAME-OTHER.crl` revokes OTHER.
  private static let script = """
    set -e
    new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "$@"; }
    self() { new -x509 -keyout $1.key -out $1.pem -subj /CN=$2 -days 30 -addext keyUsage=critical,keyCertSign,cRLSign; }
    issue() {
      new -keyout $2.key -out $2.csr -subj /CN=$2
      openssl x509 -req -in $2.csr -CA $1.pem -CAkey $1.key -CAcreateserial -days $4 -extfile $3.ext -out $2.pem
    }
    list() {
      : >$1.txt
      for other in $2; do ca $1 -revoke $other.pem; done
      ca $1 -gencrl -crldays 30 -out $1${2:+-$2}.crl
    }
    ca() {
      printf '%s\\n' "[x]" "database=$1.txt" default_md=sha256 unique_subject=no crl_extensions=e "[e]" \\
        authorityKeyIdentifier=keyid:always >$1.cnf
      local name=$1
      shift
      openssl ca -config $name.cnf -name x -keyfile $name.key -cert $name.pem "$@"
    }
    printf '%s\\n' basicConstraints=critical,CA:TRUE keyUsage=critical,keyCertSign,cRLSign subjectKeyIdentifier=hash \\
      authorityKeyIdentifier=keyid >authority.ext
    printf '%s\\n' extendedKeyUsage=clientAuth authorityKeyIdentifier=keyid >client.ext
    self root root
    self strange root
    issue root middle authority 20
    issue root carol client 30
    issue middle alice client 30
    issue middle bob client 10
    issue strange mallory client 30
    new -x509 -keyout server.key -out server.pem -subj /CN=localhost -days 30
    list root middle; list root
    list middle alice; list middle
    list strange
    """

  private static let made: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder()
    let outcome = try Command("bash", "-c", "cd '\(folder.location)' && \(script)").run()
    guard outcome.succeeded else { throw CommandFailure(description: outcome.errors) }
    return folder
  }

  static func path(_ name: String) throws -> String { try made.get().path(name) }

  /// Returns the contents of files, one after the other.
  static func files(_ names: String...) throws -> [UInt8] {
    try names.flatMap { Array(try Data(contentsOf: URL(fileURLWithPath: try path($0)))) }
  }
}
