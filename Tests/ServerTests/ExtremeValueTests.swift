import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Numbers nobody means, in every place of a request that takes one: each gets an answer, and everybody else goes on.
@Suite(.serialized) struct ExtremeValueTests {
  private static let moments = [
    "1600-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z",
    "2201-01-01T00:00:00Z", "7289654400", "100000000000", "-10y", "1e300", "NaN", "inf",
    "9223372036854775807", "-9223372036854775808", "18446744073709551616",
  ]
  private static let atTheEnds = [
    "1970-01-01T00:00:00Z", "0", "2200-12-31T23:59:59Z", "7289654399", "0.000000001",
  ]

  private func publish(_ server: TestServer, _ delays: [Double]) async -> [String] {
    var mounts = [Mount(station: "jazz", log: server.station.log)]
    for (number, delay) in delays.enumerated() {
      mounts.append(
        Mount(
          station: "later\(number)", log: server.station.log, delay: MediaTime(seconds: delay)))
    }
    await server.server.publish(mounts: mounts)
    return mounts.map(\.station)
  }

  private func status(_ server: TestServer, _ method: String, _ target: String) async throws -> Int
  {
    let client = try StreamClient(
      to: server.address, sending: "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
    return try await client.answer().status
  }

  @Test func `a moment outside of the years there are is refused, at every station`() async throws {
    try await withServer(seconds: 20) { server in
      for station in await publish(server, [1, 31_622_400, 1e300]) {
        for moment in Self.moments {
          for method in ["GET", "HEAD"] {
            let target = "/\(station)?at=\(moment)"
            let stream = try await status(server, method, target)
            #expect(stream == 400, "\(method) \(target)")
            if moment == "-10y" { continue }
            let clip = try await status(server, method, "/\(station)/clip?from=\(moment)")
            #expect(clip == 400, "\(method) \(station) from \(moment)")
          }
        }
      }
    }
  }

  @Test func `the first and the last moment there are have an answer at every station`()
    async throws
  {
    try await withServer(seconds: 20) { server in
      for station in await publish(server, [1, 31_622_400, 1e300]) {
        for moment in Self.atTheEnds {
          for target in [
            "/\(station)?at=\(moment)", "/\(station)/clip?from=\(moment)",
            "/\(station)/clip?from=0&to=\(moment)",
          ] {
            let status = try await status(server, "HEAD", target)
            #expect([200, 400, 404, 503].contains(status), "\(target)")
          }
        }
      }
      let status = try await status(server, "GET", "/jazz")
      #expect(status == 200)
    }
  }

  @Test func `a session can be sent to any moment`() async throws {
    try await withServer(seconds: 20) { server in
      for station in await publish(server, [1, 31_622_400]) {
        let token = SessionToken("extreme-\(station)")!
        let client = try StreamClient(to: server.address, get: "/\(station)?session=\(token)")
        if station == "later1" { continue }
        try await client.until("audio") { _ in client.body.count > 1000 }
        for nanoseconds in [Int64.min, 0, .max] {
          let wall = WallTime(nanoseconds: nanoseconds)
          _ = await server.server.steer(session: token, .at(wall))
        }
        for seconds in [Double.infinity, -.infinity, .nan, 1e300, 315_576_000] {
          let time = MediaTime(seconds: seconds)
          for steering in [Steering.rewind(time), .forward(time), .behind(time)] {
            _ = await server.server.steer(session: token, steering)
          }
        }
        let outcome = await server.server.steer(session: token, .live)
        if case .done = outcome {} else { Issue.record("\(station): \(outcome)") }
      }
    }
  }

  /// Lets everybody in for as long as it says.
  private struct Generous: ListenerAuthorizing {
    let seconds: Double
    func admit(_ request: ListenerRequest) async -> ListenerVerdict {
      .admitted(ListenerTicket(timeMax: seconds) { _ in })
    }
  }

  @Test(arguments: [9_223_372_036, 1e18, 1e300, .infinity])
  func `a listener who may listen for longer than a lifetime listens`(seconds: Double) async throws
  {
    try await withServer(seconds: 20) { server in
      var mount = Mount(station: "jazz", log: server.station.log)
      mount.authority = Generous(seconds: seconds)
      await server.server.publish(mounts: [mount])
      let client = try StreamClient(to: server.address, get: "/jazz")
      try await client.until("audio") { _ in client.body.count > 1000 }
    }
    let files = try await FileServer(bypass: 3600, settings: .init())
    var mount = Mount(station: "shows", content: .files(files.source))
    mount.authority = Generous(seconds: seconds)
    await files.server.publish(mounts: [mount])
    let client = try await files.fetch("/shows/hour.mp3")
    #expect(client.body.count == files.hour.count)
    await files.stop()
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 9223372036854775807:00:00 GMT",
    "Sun, 9223372036854775807 Nov 1994 08:49:37 GMT",
    "Sun, 106751991167300 Nov 9999 00:00:00 GMT", "a, 99999999999999999 Nov 1 1:1:1 GMT",
    "Sun, -9223372036854775808 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 9223372036854775807 08:49:37 GMT",
  ])
  func `a date that is none counts as not given`(date: String) async throws {
    let server = try await FileServer(bypass: 3600, settings: .init())
    for path in ["/shows/hour.mp3", "/single"] {
      for field in ["If-Modified-Since", "If-Range"] {
        let client = try await server.fetch(path, "\(field): \(date)\r\n")
        #expect(try client.head().status == 200)
      }
    }
    await server.stop()
  }

  @Test func `a file that is dated beyond all calendars is served`() async throws {
    let server = try await FileServer(bypass: 3600, settings: .init())
    var times = [timespec(), timespec()]
    for seconds in [-99_999_999_999, 15_032_385_535] {
      for index in times.indices { times[index].tv_sec = seconds }
      #expect(utimensat(AT_FDCWD, server.source.root + "/hour.mp3", times, 0) == 0)
      let client = try await server.fetch("/shows/hour.mp3")
      #expect(try client.head().status == 200)
      #expect(
        await server.server.files(of: server.source, for: .unixSocket)?.entries.isEmpty == false)
    }
    await server.stop()
  }

  @Test(arguments: [
    "bytes=0-9223372036854775807", "bytes=9223372036854775807-9223372036854775807",
    "bytes=9223372036854775806-", "bytes=-9223372036854775807", "bytes=0-0,-9223372036854775808",
    "bytes=18446744073709551616-18446744073709551617", "bytes=" + "0-,".repeated(999) + "0-",
  ])
  func `a range of any numbers has an answer`(range: String) async throws {
    let server = try await FileServer(bypass: 3600, settings: .init())
    let client = try await server.fetch("/shows/hour.mp3", "Range: \(range)\r\n")
    #expect([200, 206, 416].contains(try client.head().status))
    await server.stop()
  }

  @Test func `a size of any chunk or body has an answer`() async throws {
    try await withServer(seconds: 5) { server in
      for body in [
        "Transfer-Encoding: chunked\r\n\r\nfffffffffff\r\n",
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "Content-Length: 9223372036854775807\r\n\r\n",
        "Content-Length: 18446744073709551616\r\n\r\n", "Content-Length: -1\r\n\r\n",
      ] {
        let client = try StreamClient(
          to: server.address,
          sending: "POST /api/v1/stations HTTP/1.1\r\nHost: x\r\n" + body + "x")
        shutdown(client.fd, Int32(SHUT_WR))
        _ = try? await client.answer()
      }
      let status = try await status(server, "GET", "/jazz")
      #expect(status == 200)
    }
  }
}

extension String {
  fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
