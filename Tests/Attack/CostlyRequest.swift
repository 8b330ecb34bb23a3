import Foundation
import TestSupport

/// One request as large as it may be: what it brings, and what it costs the relay.
struct CostlyRequest {
  /// A page and its head. Audio and events have no end, or that of a file, and go at their own pace.
  private static let bytesMax = 8 << 20 + 64 << 10
  /// Of the relay's CPU beyond what it takes when nobody asks.
  private static let cpuMax = 2.0
  private static let seconds = 6.0
  /// Below 8 KiB with the rest of the head.
  private static let longest = 7000
  private static let tries = 3

  private let request: (text: String, host: UInt32)
  private let isAudio: Bool

  init(_ request: (text: String, host: UInt32), _ operation: Surface.Operation) {
    self.request = request
    let path = operation.path
    isAudio =
      path == "/{station}" || path.hasSuffix("/events") || path.hasSuffix("/clip")
      || path.hasSuffix("{file}")
  }

  /// As it is, with a long query, with each of its own parameters long, and for a host with a long name.
  static func requests(
    for target: String, _ operation: Surface.Operation
  ) -> [(text: String, host: UInt32)] {
    let stranger: UInt32 = 0x060608
    /// Of the proxies that the configuration trusts.
    let proxy: UInt32 = 0x070001
    let and = target.contains("?") ? "&" : "?"
    let long = String(repeating: "&", count: longest)
    let name = String(repeating: "a", count: longest)
    func get(_ target: String, host: String = "x", _ fields: String = "") -> String {
      "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\(fields)\r\n"
    }
    let own = operation.places.compactMap { place -> String? in
      guard case .query(let parameter) = place else { return nil }
      return get(target + "\(and)\(parameter)=\(name)")
    }
    let all = [get(target), get(target + "\(and)x=\(long)"), get(target, host: name)] + own
    return all.map { ($0, stranger) } + [(get(target, "X-Forwarded-Host: \(name)\r\n"), proxy)]
  }

  /// What is wrong with it; nil: nothing.
  func ask(_ besieged: Besieged) -> String? {
    var what: String?
    for _ in 0..<Self.tries {
      let before = (besieged.process.cpuSeconds, secondsNow())
      let bytes = take(besieged.addresses)
      let cpu = besieged.process.cpuSeconds - before.0
      let idle = idleShare(besieged, ifAbove: cpu)
      let own = cpu - idle * (secondsNow() - before.1)
      RequestCosts.shared.note(request.text, bytes: bytes, cpu: own)
      what = nil
      if bytes > Self.bytesMax { what = "\(request.text.utf8.count) bytes bring \(bytes >> 20) MB" }
      if own > Self.cpuMax { what = "one request costs \(own.short) s of CPU" }
      guard what != nil else { return nil }
    }
    return what
  }

  /// What the relay takes when nobody asks; looked at only where it matters.
  private func idleShare(_ besieged: Besieged, ifAbove cpu: Double) -> Double {
    guard cpu > Self.cpuMax else { return 0 }
    let before = besieged.process.cpuSeconds
    usleep(500_000)
    return (besieged.process.cpuSeconds - before) / 0.5
  }

  /// Bytes of the answer, as far as that says something.
  private func take(_ addresses: RelayAddresses) -> Int {
    guard let connection = try? Connection(.tcp, addresses, host: request.host) else { return 0 }
    let end = secondsNow() + (isAudio ? 0.3 : Self.seconds)
    connection.send(Array(request.text.utf8), until: end)
    var count = 0
    while count <= 2 * Self.bytesMax, case .more = connection.receive(until: end) {
      count += connection.bytes.count
      connection.forget()
    }
    return isAudio ? 0 : count
  }
}

/// What single requests brought and cost, those that brought most first.
final class RequestCosts: @unchecked Sendable {
  // Sieges are laid by one thread, one after the other, and the report is written by the same.
  static let shared = RequestCosts()
  private var all: [String: (bytes: Int, cpu: Double, asked: Int)] = [:]

  func note(_ text: String, bytes: Int, cpu: Double) {
    let target = text.prefix { $0 != "\r\n" }.dropFirst(4).prefix { !"? ".contains($0) }
    let known = all[String(target)] ?? (0, 0, 1)
    if bytes > known.bytes || cpu > known.cpu {
      let isMore = bytes * known.asked > known.bytes * text.utf8.count
      all[String(target)] = (
        max(bytes, known.bytes), max(cpu, known.cpu), isMore ? text.utf8.count : known.asked
      )
    }
  }

  var lines: [String] {
    all.sorted { $0.value.bytes > $1.value.bytes }.prefix(6).map { target, value in
      "\(target) brings up to \(value.bytes / 1024) KiB, \(value.bytes / max(1, value.asked)) bytes a byte, "
        + "for \(value.cpu.short) s of CPU"
    }
  }
}
