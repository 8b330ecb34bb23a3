import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// Something that upstreams do and need not, what becomes of it here, and a local upstream that does it: a row of
/// `Sources/UPSTREAMS.md`, and its test.
struct Oddity: Sendable, CustomTestStringConvertible {
  typealias Replies = KeyValuePairs<String, FakeReply>

  /// What the row is called in the table and in a failing test.
  let id: String
  /// "An upstream that …"
  let upstream: String
  /// "Longwave …"
  let relay: String
  let run: @Sendable () async throws -> Void

  var testDescription: String { id }

  /// A row with a test of its own making.
  init(
    _ id: String, _ upstream: String, _ relay: String,
    run: @escaping @Sendable () async throws -> Void
  ) {
    (self.id, self.upstream, self.relay, self.run) = (id, upstream, relay, run)
  }

  /// The station's upstream is `/live`, which gives these replies in turn and the last one again and again.
  init(
    _ id: String, _ upstream: String, _ relay: String, _ replies: FakeReply...,
    settings: @escaping @Sendable (inout UpstreamSettings) -> Void = { _ in },
    expect: Expectation
  ) {
    self.init(id, upstream, relay) {
      try await Self.play(
        ["/live"], settings: settings, expect: expect
      ) { fake in fake.reply("/live", with: replies) }
    }
  }

  /// The station's upstreams are `paths`; `replies` gets the fake upstream's URL without a path. A path that stands
  /// there twice gives one reply after the other.
  init(
    _ id: String, _ upstream: String, _ relay: String, paths: [String] = ["/live"],
    settings: @escaping @Sendable (inout UpstreamSettings) -> Void = { _ in },
    expect: Expectation, serving replies: @escaping @Sendable (String) -> Replies
  ) {
    self.init(id, upstream, relay) {
      try await Self.play(paths, settings: settings, expect: expect) { fake in
        let all = replies(fake.url(""))
        for path in Set(all.map(\.key)) {
          fake.reply(path, with: all.filter { $0.key == path }.map(\.value))
        }
      }
    }
  }

  private static func play(
    _ paths: [String], settings change: (inout UpstreamSettings) -> Void, expect: Expectation,
    prepare: (FakeUpstream) -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    prepare(upstream)
    let urls = paths.map { $0.hasPrefix("/") ? upstream.url($0) : $0 }
    try await play(urls: urls, settings: change, expect: expect, upstream: upstream)
  }

  /// Plays a station of `urls` until what is expected has come, and holds it to that.
  static func play(
    urls: [String], settings change: (inout UpstreamSettings) -> Void = { _ in },
    expect: Expectation, upstream: FakeUpstream? = nil,
    oddities: IngestOddities = IngestOddities()
  ) async throws {
    let station = try IngestHarness(oddities: oddities)
    var settings = IngestHarness.quick(urls)
    // Nothing here is to end for want of time, unless the row is about that.
    settings.connectTimeout = 600
    settings.dataTimeout = 600
    change(&settings)
    await station.start(settings)
    let hasCome = await station.wait { expect.hasCome(in: $0) }
    _ = await station.finish()
    if !hasCome { Issue.record("it never came: \(station.summary)") }
    try expect.check(station, upstream?.requests ?? [])
  }
}

extension IngestHarness {
  /// What it said, for people.
  var summary: String {
    let shown = events.suffix(12).map { "\($0)".replacing("Ingest.", with: "") }
    return "\(log.edgePosition) bytes logged; " + shown.joined(separator: "; ")
  }
}
