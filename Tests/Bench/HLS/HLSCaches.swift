import Foundation

/// A cache in front of a relay.
enum HLSCache: String, CaseIterable {
  case nginx, varnish

  var hindrance: String? {
    switch self {
    case .nginx: NginxServer.hindrance
    case .varnish: VarnishServer.hindrance
    }
  }

  /// A cache that has been started.
  struct Running {
    var port: UInt16
    /// Returns its processor time in seconds.
    var cpu: () -> Double
    var stop: () -> Void
  }

  func start(_ site: HLSSite, _ manual: HLSManual, in folder: String) throws -> Running {
    switch self {
    case .nginx:
      let nginx = try NginxServer(cacheOf: site.relay, manual: manual, in: folder)
      return Running(port: nginx.port, cpu: { nginx.cpu }, stop: { nginx.stop() })
    case .varnish:
      let varnish = try VarnishServer(cacheOf: site.relay, manual: manual, in: folder)
      return Running(port: varnish.port, cpu: { varnish.cpu }, stop: { varnish.stop() })
    }
  }
}

/// Players behind a cache, from the first to the last, and what of them reached the relay.
struct HLSCacheTrial {
  /// Kinds of lists, as the relay counts them.
  private static let kinds = ["multivariant", "media", "delta", "blocked"]

  /// What players that have asked for a segment get to have it.
  private static let rest = 3.0

  var load: HLSLoadFigures
  var seconds: Double
  /// What was asked of the relay; lists by their kind.
  var lists: [String: Int] = [:]
  var segments: Int
  /// Cores.
  var relay, cache: Double
  /// The cores that the rest of the machine used, which reveal a noisy run.
  var others: Double

  init(_ plan: HLSPlan, seconds: Double, _ site: HLSSite, _ cache: HLSCache.Running) throws {
    func asked(_ kind: String) throws -> Int {
      let relay = RelayFigures(port: site.relay.port)
      return Int(try relay.metric("longwave_hls_answers_total", with: "kind=\"\(kind)\"") ?? 0)
    }
    let json = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
    let before = try (Self.kinds.map(asked), asked("segment"))
    let cpu = (site.cpu, cache.cpu())
    let busy = Busy()
    let part = try PipedProcess(
      Executables.pin(to: 1) + [Executables.own, "part-hls", "--plan", json])
    defer { part.stop(patience: 0) }
    Thread.sleep(forTimeInterval: seconds)
    part.say("stop")
    self.seconds = busy.seconds
    (relay, self.cache) = (
      (site.cpu - cpu.0) / self.seconds, (cache.cpu() - cpu.1) / self.seconds
    )
    others = busy.others
    Thread.sleep(forTimeInterval: Self.rest)
    part.say("end")
    var line = try part.line(within: 30, of: "the players")
    if line == "ready" { line = try part.line(within: 30, of: "the players") }
    load = try JSONDecoder().decode(HLSLoadFigures.self, from: Data(line.utf8))
    segments = try asked("segment") - before.1
    for (kind, before) in zip(Self.kinds, before.0) { lists[kind] = try asked(kind) - before }
  }
}

extension HLSCommand {
  /// Seconds of past: players that reload the whole list are told to ask for half an hour.
  private static let cachedPast = 1800.0
  /// Seconds within which players begin.
  private static let beginning = 30.0

  func measureCaches(in folder: String, _ report: inout HLSReport) throws {
    let manual = try HLSManual(of: Executables.longwave(longwavePath))
    for cache in HLSCache.allCases {
      if let hindrance = cache.hindrance {
        report.notes.append("\(cache.rawValue): \(hindrance)")
        continue
      }
      let site = try HLSSite(self, past: Self.cachedPast, segment: 6, in: folder)
      defer { site.stop() }
      let running = try cache.start(site, manual, in: folder)
      defer { running.stop() }
      let plan = HLSPlan(
        port: running.port, part: 5,
        followers: HLSPlan.Followers(
          count: players, live: HLSSite.live, seconds: min(Self.beginning, seconds / 3)),
        seed: seed)
      let trial = try HLSCacheTrial(plan, seconds: seconds, site, running)
      report.caches.append(HLSReport.Caches(name: cache.rawValue, players: players, trial))
    }
  }
}
