import Foundation
import LinuxTestSupport
import Testing

/// A relay between a browser and a robot that asks for certificates. It shows the robot a viewer's certificate, because
/// browsers use only certificates in their own stores. It passes all bytes unchanged. On a connection that begins with
/// a preflight it shows no certificate, as browsers do (Fetch standard, §4.8).
final class CertificateRelay {
  private let process: RunningProgram
  let port: Int

  /// - Parameters:
  ///   - certs: the robot's folder, whose certificate the browser is shown.
  ///   - client: the client whose certificate the robot is shown.
  init(to port: Int, certs: String, client: String) throws {
    process = try RunningProgram(
      Command("python3", arguments: ["-c", Self.script, "\(port)", certs, "\(certs)/clients/\(client)-both.pem"]))
    self.port = try process.waitForOutput("the relay's port") { output in
      output.contains("\n") ? Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) : nil
    }
  }

  deinit { process.stop() }

  private static let script = """
    import socket, ssl, sys, threading
    port, certs, client = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(certs + "/server.pem", certs + "/server.key")
    far = ssl.create_default_context(cafile=certs + "/server.pem")
    far.check_hostname = False
    bare = ssl.create_default_context(cafile=certs + "/server.pem")
    bare.check_hostname = False
    far.load_cert_chain(client)

    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def serve(near):
        try:
            near = own.wrap_socket(near, server_side=True)
            first = near.recv(65536)
            context = bare if first.startswith(b"OPTIONS ") else far
            robot = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))
            robot.sendall(first)
        except OSError:
            near.close()
            return
        threading.Thread(target=pump, args=(robot, near), daemon=True).start()
        pump(near, robot)

    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """
}
