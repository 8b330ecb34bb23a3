import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Listeners of files beside those who begin clips and files and throw away what they are sent.
@Suite(.serialized)
struct DownloadCrowdTests {
  /// Begins one request after the other and resets those of before, until it is let go.
  private final class Wasters {
    private let address: SocketAddress
    private let request: (Int) -> String
    private var open: [StreamClient] = []
    private(set) var begun = 0
    private static let openMax = 400

    init(_ address: SocketAddress, request: @escaping (Int) -> String) {
      self.address = address
      self.request = request
    }

    func goOn() throws {
      for _ in 0..<40 {
        open.append(try StreamClient(to: address, sending: request(begun)))
        begun += 1
        if open.count <= Self.openMax { continue }
        // With what it was sent unread, which makes its end a reset.
        open.removeFirst()
      }
    }
  }

  /// A minute of a stream and of files, on one loop.
  private func withPacedListener(
    _ request: @escaping (Int) -> String,
    _ body: (FileServer) async throws -> Void
  ) async throws {
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    let station = NumberedLog(log: log, seconds: 60)
    let server = try await FileServer(
      bypass: 2, settings: .init(), streams: [Mount(station: "jazz", log: station.log)],
      change: {
        $0.threads = 1
        $0.clipSpeed = 0
        $0.clipsPerAddress = 0
        $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
      })
    let listener = try StreamClient(
      to: server.address,
      sending: "GET /shows/hour.mp3 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
    do {
      // Past its burst, which is two seconds.
      try await listener.until { $0.bodyCount > server.tagBytes + 3 * 16_000 }
      let crowd = Wasters(server.address, request: request)
      let end = MonotonicTime.now().nanoseconds + 180_000_000_000
      let enough = listener.bodyCount + 8 * 16_000
      while listener.bodyCount < enough || crowd.begun <= 1000,
        MonotonicTime.now().nanoseconds < end
      {
        try crowd.goOn()
        try await Task.sleep(for: .milliseconds(5))
        listener.drain()
      }
      #expect(crowd.begun > 1000)
      #expect(listener.bodyCount >= enough)
      #expect(server.hour.starts(with: listener.body))
      try await body(server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  @Test func `clips that are begun and reset leave a file that plays its pace`() async throws {
    try await withPacedListener { number in
      "GET /jazz/clip?from=-1h HTTP/1.1\r\nHost: a\r\n"
        + "X-Forwarded-For: 2001:db8:1:\(String(number % 65_536, radix: 16))::1\r\n\r\n"
    } _: { server in
      #expect(await server.server.figures().clipsTotal > 1000)
    }
  }

  @Test func `files that are begun and reset leave a file that plays its pace`() async throws {
    try await withPacedListener { _ in
      "GET /single HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 198.51.100.8\r\n\r\n"
    } _: { server in
      #expect(await server.server.listeners().count >= 1)
    }
  }
}
