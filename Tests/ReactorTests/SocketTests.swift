import Glibc
import Reactor
import Testing

struct SocketTests {
  @Test(arguments: [
    ("0.0.0.0:8000", "0.0.0.0:8000"), ("[::]:80", "[::]:80"), ("[::1]:65535", "[::1]:65535"),
    ("localhost:1", "127.0.0.1:1"), ("127.0.0.1:0", "127.0.0.1:0"),
    ("[2001:db8::7]:443", "[2001:db8::7]:443"),
  ])
  func `a numeric address reads and prints`(text: String, printed: String) {
    #expect(SocketAddress(text)?.description == printed)
  }

  @Test(arguments: [
    "", "8000", "example.org:80", "1.2.3.4", "1.2.3.4:70000", "1.2.3:80", "[::1:80",
  ])
  func `a malformed numeric address is refused`(text: String) {
    #expect(SocketAddress(text) == nil)
  }

  @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
  func `a connection carries bytes both ways, gathered`(address: String) throws {
    let listening = try Socket.listen(on: SocketAddress(address)!, sharing: true)
    defer { Socket.close(listening) }
    let bound = try #require(Socket.localAddress(of: listening))
    let client = try Socket.connect(to: bound)
    defer { Socket.close(client) }
    guard case .connection(let server, let peer) = Socket.accept(listening) else {
      Issue.record("nothing to accept")
      return
    }
    defer { Socket.close(server) }
    #expect(peer.host == bound.host)
    guard case .wouldBlock = Socket.accept(listening) else {
      Issue.record("a second connection out of nowhere")
      return
    }

    var first = Array("hello ".utf8)
    var second = Array("world".utf8)
    let sent = first.withUnsafeMutableBytes { a in
      second.withUnsafeMutableBytes { b in
        var parts = [
          iovec(iov_base: a.baseAddress, iov_len: a.count),
          iovec(iov_base: b.baseAddress, iov_len: b.count),
        ]
        return parts.withUnsafeMutableBufferPointer {
          Socket.send(server, $0.baseAddress!, count: 2)
        }
      }
    }
    guard case .bytes(11) = sent else {
      Issue.record("sent \(sent)")
      return
    }
    var buffer = [UInt8](repeating: 0, count: 64)
    let got = buffer.withUnsafeMutableBytes { Socket.receive(client, into: $0) }
    guard case .bytes(let count) = got else {
      Issue.record("received \(got)")
      return
    }
    #expect(String(decoding: buffer[..<count], as: UTF8.self) == "hello world")
    let none = buffer.withUnsafeMutableBytes { Socket.receive(client, into: $0) }
    guard case .wouldBlock = none else {
      Issue.record("received \(none) where nothing was sent")
      return
    }
  }

  @Test func `a port in use is found by the probe though the group could be joined`() throws {
    let listening = try Socket.listen(on: SocketAddress("127.0.0.1:0")!, sharing: true)
    defer { Socket.close(listening) }
    let bound = try #require(Socket.localAddress(of: listening))
    let error = #expect(throws: SystemError.self) { try Socket.probe(bound) }
    #expect(error?.code == EADDRINUSE)
    #expect(error?.description == "bind \(bound): Address already in use")
  }

  @Test func `a Unix socket comes into being with mode 0600`() throws {
    let path = "/tmp/longwave-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
    let listening = try Socket.listen(on: .unix(path), sharing: false)
    defer {
      Socket.close(listening)
      unlink(path)
    }
    var info = stat()
    #expect(stat(path, &info) == 0)
    #expect(info.st_mode & 0o777 == 0o600)
    let client = try Socket.connect(to: .unix(path))
    Socket.close(client)
  }

  @Test func `secrets compare by content and length`() {
    #expect(OpenSSL.equalInConstantTime(Array("abc".utf8), Array("abc".utf8)))
    #expect(!OpenSSL.equalInConstantTime(Array("abc".utf8), Array("abd".utf8)))
    #expect(!OpenSSL.equalInConstantTime(Array("abc".utf8), Array("abcd".utf8)))
    #expect(OpenSSL.equalInConstantTime([], []))
  }
}
