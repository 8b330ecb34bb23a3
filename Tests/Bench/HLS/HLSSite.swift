import Foundation
import Reactor
import TestSupport

/// A relay with a station that has been on air for hours, and its upstream.
final class HLSSite {
  static let station = "bench"
  static let live = "/bench/hls/live.m3u8"
  static let list = "/bench/hls/main.m3u8"

  let relay: ServerUnderTest.Running
  private let upstream: BenchUpstream

  /// - Parameters:
  ///   - past: Seconds of it.
  ///   - segment: Seconds of a segment.
  init(_ options: HLSCommand, past: Double, segment: Int, in folder: String) throws {
    let own = "\(folder)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    upstream = try BenchUpstream(bitrate: options.bitrate)
    try PastWriter.write(
      seconds: past, bitrate: options.bitrate, to: own + "/data/stations/\(Self.station)")
    relay = try options.longwave.start(
      ServerUnderTest.Site(
        upstreamPort: upstream.port, windowSeconds: past + 3600,
        further: ["listeners: {hls: {segment: \(segment)}}"], directory: own))
    try relay.waitUntilServing(path: "/\(Self.station)")
    // The list goes on over the joint of the past and the stream once that has settled.
    let before = try end()
    try Wait.until("the list goes on", within: 60, every: 0.5) { try self.end() > before + 1 }
  }

  var cpu: Double { ProcessClock.secondsOfAll(relay.child.id) }

  func stop() {
    relay.child.stop()
    upstream.stop()
  }

  private func end() throws -> UInt64 {
    HLSList(try get(Self.list + "?_HLS_skip=v2"))?.next ?? 0
  }

  /// Returns the addresses of all segments that are listed, the oldest first.
  func segments() throws -> [String] {
    let lines = String(decoding: try get(Self.list), as: UTF8.self).split(separator: "\n")
    return lines.filter { !$0.hasPrefix("#") }.map { "/\(Self.station)/hls/\($0)" }
  }

  func get(_ path: String) throws -> [UInt8] { try RelayFigures(port: relay.port).get(path) }
}

/// A window of players, and what the server took for it.
struct HLSTrial {
  var load: HLSLoadFigures
  var seconds: Double
  /// The server's processor time, in seconds.
  var cpu: Double

  /// - Parameters:
  ///   - cpu: Returns the server's processor time in seconds.
  ///   - rest: Seconds between the players' beginning and the window.
  init(_ plan: HLSPlan, seconds: Double, rest: Double = 1, cpu: () -> Double) throws {
    let json = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
    let part = try PipedProcess(
      Executables.pin(to: 1) + [Executables.own, "part-hls", "--plan", json])
    defer { part.stop(patience: 0) }
    _ = try part.line(within: 120, of: "the players")
    Thread.sleep(forTimeInterval: rest)
    part.say("begin")
    let (begun, before) = (monotonicNow(), cpu())
    Thread.sleep(forTimeInterval: seconds)
    self.cpu = cpu() - before
    self.seconds = Double(monotonicNow() - begun) / 1e9
    part.say("end")
    let line = try part.line(within: 30, of: "the players")
    load = try JSONDecoder().decode(HLSLoadFigures.self, from: Data(line.utf8))
  }
}
