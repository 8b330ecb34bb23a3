import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

/// Answers that are made while they are sent.
@Suite(.serialized) struct PiecesTests {
  private static let pieceBytes = 100_000

  /// Answers `/N` with so many pieces, and `/N/lost` with one that fails behind them.
  private final class PieceAPI: APIHandling {
    let made = Atomic<Int>(0)

    func respond(to request: APIRequest) async -> APIResponse {
      let parts = request.head.path.split(separator: "/")
      let count = Int(parts[0]) ?? 0
      let next = Atomic<Int>(0)
      let isLost = parts.count > 1
      let box = Box(next)
      return .pieces(
        PieceOrder(mediaType: "text/csv", savedName: "table \"1\".csv") { [self] in
          let number = box.next.add(1, ordering: .relaxed).newValue
          if number > count {
            if isLost { throw Lost() }
            return nil
          }
          made.add(1, ordering: .relaxed)
          // An empty one is not the end.
          return number == 2 ? [] : PiecesTests.piece(number)
        })
    }

    private struct Lost: Error {}

    private final class Box: Sendable {
      let next: Atomic<Int>
      init(_ next: consuming Atomic<Int>) { self.next = next }
    }
  }

  private static func piece(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: pieceBytes + number)
  }

  private static func whole(_ count: Int) -> [UInt8] {
    (1...count).filter { $0 != 2 }.flatMap { piece($0) }
  }

  /// Reads chunks; nil where they do not end.
  private static func dechunked(_ body: [UInt8]) -> (bytes: [UInt8], rest: [UInt8])? {
    var (bytes, rest) = ([UInt8](), body[...])
    while let end = rest.firstIndex(of: UInt8(ascii: "\r")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      guard let count = Int(line, radix: 16), rest.count >= line.utf8.count + 4 + count else {
        return nil
      }
      rest = rest[(end + 2)...]
      if count == 0 { return (bytes, Array(rest.dropFirst(2))) }
      bytes += rest.prefix(count)
      rest = rest.dropFirst(count + 2)
    }
    return nil
  }

  private func client(
    _ path: String, at address: SocketAddress, method: String = "GET", version: String = "1.1",
    connection: String = "close", receiveBuffer: Int32? = nil
  ) throws -> StreamClient {
    try StreamClient(
      to: address,
      sending: "\(method) \(path) HTTP/\(version)\r\nHost: a\r\nConnection: \(connection)\r\n\r\n",
      receiveBuffer: receiveBuffer)
  }

  @Test func `pieces come in their order, in chunks, and the connection may ask again`()
    async throws
  {
    try await withServer(of: PieceAPI()) { _, address in
      let client = try client("/20", at: address, connection: "keep-alive")
      try await client.until { Self.dechunked($0.body) != nil }
      let head = try client.head()
      #expect(head.status == 200 && head["content-type"] == "text/csv")
      #expect(head["transfer-encoding"] == "chunked" && head["content-length"] == nil)
      #expect(
        head["content-disposition"]
          == "attachment; filename=\"table _1_.csv\"; filename*=UTF-8''table%20%221%22.csv")
      #expect(Self.dechunked(client.body)?.bytes == Self.whole(20))
      client.send(Array("GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
      try await client.until { $0.isEnded }
      let second = try #require(Self.dechunked(client.body)).rest
      #expect(
        second.starts(with: "HTTP/1.1 200".utf8) && second.suffix(5).elementsEqual("0\r\n\r\n".utf8)
      )
    }
  }

  @Test func `a client that knows no chunks gets them bare, up to the connection's end`()
    async throws
  {
    try await withServer(of: PieceAPI()) { _, address in
      let old = try client("/5", at: address, version: "1.0")
      try await old.until { $0.isEnded }
      #expect(old.body == Self.whole(5))
      #expect(try old.head()["transfer-encoding"] == nil)
      let head = try client("/5", at: address, method: "HEAD")
      try await head.until { $0.isEnded }
      #expect(try head.head().status == 200 && head.body.isEmpty)
      let none = try client("/0", at: address)
      try await none.until { $0.isEnded }
      #expect(none.body == Array("0\r\n\r\n".utf8))
    }
  }

  @Test func `what cannot be made to its end is seen to be cut`() async throws {
    try await withServer(of: PieceAPI()) { _, address in
      let chunked = try client("/3/lost", at: address)
      try await chunked.until { $0.isEnded }
      #expect(Self.dechunked(chunked.body) == nil)
      // Without chunks only the kernel says so.
      let bare = try client("/3/lost", at: address, version: "1.0")
      var ending: Int32?
      try await eventually("an end") {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(bare.fd, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count == 0 { ending = 0 } else if count < 0, errno != EAGAIN { ending = errno }
        return ending != nil
      }
      #expect(ending == ECONNRESET)
    }
  }

  @Test func `for a client that takes nothing, two pieces are made and no more`() async throws {
    let api = PieceAPI()
    try await withServer(of: api) { server, address in
      let idle = try client("/1000000", at: address, receiveBuffer: 4096)
      try await eventually("pieces wait") { api.made.load(ordering: .relaxed) >= 2 }
      // Others are served meanwhile, often enough for all sockets to be full.
      for _ in 0..<3 {
        let other = try client("/30", at: address)
        try await other.until { $0.isEnded }
        #expect(Self.dechunked(other.body)?.bytes == Self.whole(30))
      }
      let before = api.made.load(ordering: .relaxed)
      // What the kernel's buffers hold, and two besides.
      #expect(before < 90 + 100)
      idle.hangUp()
      try await eventually("it is gone") { await server.figures().connections == 0 }
    }
  }
}
