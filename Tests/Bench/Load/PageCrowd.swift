import Foundation
import Reactor

/// Open pages that do not play, as Sources/Web/parts/app.js has them: each watches its station's events, asks for the
/// timeline every 15 s and for the station every 30 s, and for the timeline 200 ms after each title.
///
/// Their questions share a few connections, since a machine has not enough files for one more of each page.
final class PageCrowd {
  /// What a title does that reaches all pages.
  struct Spread {
    /// The title's number.
    let title: Int
    /// Monotonic nanoseconds.
    let first: Int64
    var last: Int64
    var reached = 0
    /// Questions about it that are answered.
    var answered = 0
    /// Nanoseconds from the first page that had it until all have asked about it and are answered.
    var settled: Int64 = 0
    /// The relay's processor time until then, in seconds.
    var cpuSeconds = 0.0
  }

  private struct Question {
    let request: String
    /// The title that it is about; nil for one that pages ask now and then.
    var title: Int?
  }

  static let kinds = "state,metadata-live,gap,reconnected,fallback-started,fallback-stopped"
  private static let timelineSeconds = 15.0
  private static let stationSeconds = 30.0
  private static let pause: Int64 = 200_000_000
  private static let connections = 64
  private static let part = 248
  /// Nanoseconds between two looks at the relay's processor time.
  private static let lookEvery: Int64 = 50_000_000

  private let count: Int
  private let isAsking: Bool
  private let cpu: () -> Double
  private let watchers: EventWatchers
  private let asking: [KeptConnection]
  private let port: UInt16
  /// The pages' connections, then those for questions.
  private var polled: [pollfd]
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  /// The number of the newest title that each page has heard of.
  private var known: [Int]
  /// When pages ask because of a title, in order.
  private var later: [Int64] = []
  private var waiting = ArraySlice<Question>()
  /// What each connection for questions was asked last.
  private var asked: [Question?]
  /// The numbers of those that wait for nothing.
  private var idle: [Int]
  private var since = "0"
  private var etag = ""
  private var spread: Spread?
  private var look: (at: Int64, cpu: Double)

  private(set) var spreads: [Spread] = []
  private(set) var answers = LatencyHistogram.latencies
  private(set) var refused = 0
  /// Answers while no title was on its way.
  private(set) var quietAnswers = 0
  /// What passed without a title on its way.
  private(set) var quiet = (seconds: 0.0, cpuSeconds: 0.0)

  /// - Parameters:
  ///   - isAsking: Whether they ask; else they only watch.
  ///   - cpu: Returns the relay's processor time in seconds.
  init(_ count: Int, port: UInt16, isAsking: Bool, cpu: @escaping () -> Double) throws {
    self.count = count
    self.port = port
    self.isAsking = isAsking
    self.cpu = cpu
    watchers = try EventWatchers(count, of: "?station=bench&kinds=\(Self.kinds)", port: port)
    asking = try (0..<(isAsking ? Self.connections : 0)).map {
      try KeptConnection(from: Loopback.source(part: Self.part, index: $0), to: port)
    }
    idle = Array(asking.indices)
    asked = asking.map { _ in nil }
    known = Array(repeating: 0, count: count)
    look = (monotonicNow(), cpu())
    polled = (watchers.sockets + asking.map(\.fd)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    try learn()
  }

  /// Goes on until so many titles have reached all pages.
  func run(titles: Int) throws {
    let deadline = monotonicNow() + Int64(Double(titles + 3) * BenchTitle.seconds * 1e9)
    var last = monotonicNow()
    var owed = (timeline: 0.0, station: 0.0)
    while spreads.count < titles {
      let ready = readyNumbers()
      let now = monotonicNow()
      guard now < deadline else { throw BenchError("a title did not reach all pages") }
      for number in ready {
        if number < count {
          try hear(number, at: now)
        } else {
          try take(number - count, at: now)
        }
      }
      let seconds = isAsking ? Double(now - last) / 1e9 : 0
      last = now
      owed.timeline += Double(count) / Self.timelineSeconds * seconds
      owed.station += Double(count) / Self.stationSeconds * seconds
      add(timelineRequest, &owed.timeline)
      add(Self.request("/api/v1/stations/bench"), &owed.station)
      while let due = later.first, due <= now {
        waiting.append(Question(request: timelineRequest, title: spread?.title))
        later.removeFirst()
      }
      try ask(at: now)
      try settle(at: now)
    }
  }

  private func readyNumbers() -> [Int] {
    guard poll(&polled, nfds_t(polled.count), 2) > 0 else { return [] }
    return polled.indices.filter { polled[$0].revents != 0 }
  }

  private func add(_ request: String, _ owed: inout Double) {
    while owed >= 1 {
      waiting.append(Question(request: request))
      owed -= 1
    }
  }

  /// Reads a page's events.
  private func hear(_ page: Int, at now: Int64) throws {
    let fd = watchers.sockets[page]
    let taken = buffer.withUnsafeMutableBytes { Socket.receive(fd, into: $0) }
    guard case .bytes(let bytes) = taken else {
      if case .wouldBlock = taken { return }
      throw BenchError("the relay hung up on a page")
    }
    guard let title = Self.title(in: buffer[..<bytes]), title > known[page] else { return }
    known[page] = title
    // One that came while pages were still connecting never reaches all.
    if spread.map({ $0.title < title }) ?? true {
      spread = Spread(title: title, first: now, last: now)
      later = []
    }
    spread?.last = now
    spread?.reached += 1
    if isAsking { later.append(now + Self.pause) }
  }

  /// Returns the number of the title in a piece of events.
  private static func title(in bytes: ArraySlice<UInt8>) -> Int? {
    guard let place = bytes.firstRange(of: Array("Track ".utf8)) else { return nil }
    let digits = bytes[place.upperBound...].prefix { (48...57).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  private func ask(at now: Int64) throws {
    while !idle.isEmpty, let question = waiting.popFirst() {
      let number = idle.removeLast()
      asked[number] = question
      try asking[number].send(question.request, at: now)
    }
  }

  private func take(_ number: Int, at now: Int64) throws {
    let connection = asking[number]
    let askedAt = connection.askedAt
    guard let answer = try connection.receive() else { return }
    if let askedAt { answers.record(nanoseconds: now - askedAt) }
    if spread == nil { quietAnswers += 1 }
    if ![200, 304].contains(answer.status) { refused += 1 }
    if let title = asked[number]?.title, title == spread?.title { spread?.answered += 1 }
    idle.append(number)
  }

  private func settle(at now: Int64) throws {
    guard var done = spread else {
      guard now - look.at > Self.lookEvery else { return }
      let used = cpu()
      quiet.seconds += Double(now - look.at) / 1e9
      quiet.cpuSeconds += used - look.cpu
      look = (now, used)
      return
    }
    guard done.reached == count, !isAsking || done.answered == count else { return }
    let used = cpu()
    done.settled = now - done.first
    done.cpuSeconds = used - look.cpu
    spreads.append(done)
    spread = nil
    try learn()
    look = (monotonicNow(), cpu())
  }

  /// Learns what pages know once they have taken in the newest title.
  private func learn() throws {
    guard isAsking else { return }
    let learning = try KeptConnection(
      from: Loopback.source(part: Self.part, index: Self.connections), to: port)
    let whole = try learning.ask(Self.request("/api/v1/stations/bench/timeline"))
    let titles =
      String(decoding: whole.body, as: UTF8.self).components(separatedBy: "\"titles\":[").last ?? ""
    let positions =
      titles.components(separatedBy: "]").first?.components(separatedBy: "\"position\":") ?? []
    since = positions.dropFirst().last.map { String($0.prefix { $0.isNumber }) } ?? "0"
    etag = ""
    etag = try learning.ask(timelineRequest).etag ?? ""
  }

  private var timelineRequest: String {
    let known = etag.isEmpty ? "" : "If-None-Match: \(etag)\r\n"
    return Self.request("/api/v1/stations/bench/timeline?since=\(since)", known)
  }

  private static func request(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: bench\r\nAccept: application/json\r\n"
      + "Accept-Encoding: \(fields.isEmpty ? "identity" : "gzip")\r\n\(fields)\r\n"
  }
}
