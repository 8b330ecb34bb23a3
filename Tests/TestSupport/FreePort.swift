import Reactor

/// Returns a port of 127.0.0.1 that nobody listens on.
///
/// Below the ports that the kernel gives to whoever asks for any: nobody takes it in between.
public func freePort() -> UInt16 {
  while true {
    let port = UInt16.random(in: 10_000..<32_000)
    guard let fd = try? Socket.listen(on: SocketAddress("127.0.0.1:\(port)")!, sharing: false)
    else { continue }
    Socket.close(fd)
    return port
  }
}
