import Foundation
import TestSupport
import Timeshift
import Wire

@testable import Ingest

/// A station's log, fed in virtual time by an upstream that is a table: which audio it has on air when, and how it sends
/// that to whoever connects.
///
/// Programme packet n is on air at n × `packet`. What it sounds like is `content(n)`: two packets of the same content
/// are equal.
final class AppenderModel {
  static let packet = 1152.0 / 48_000

  /// One connection.
  struct Connection {
    /// Seconds of the programme's past sent first, in `burstTakes` seconds.
    var burst = 4.0
    var burstTakes = 0.05
    /// Of a long way: what is sent at once comes in windows, so many seconds apart, each twice as long as the one before.
    var roundTrip = 0.0
    /// Seconds that it lasts.
    var lasts = 30.0
    /// Seconds of programme in a second.
    var rate = 1.0
    /// It delivers so many seconds at a time.
    var lump = 0.0
    /// The server is behind the programme by so much; negative: ahead.
    var behind = 0.0
    /// From the same URL all the same.
    var isSame = false
    /// Another encoding of the same programme.
    var encoding: UInt8 = 0
    var sampleRate = 48_000
    /// The upstream has stood still since this moment, and goes on after it.
    var stoodStill = 0.0
    var stillStands = false
    var hasLength = false
    var isPush = false
    /// So far into it the relay is stopped, or the machine sleeps, and goes on: what came meanwhile waits.
    var stop: (at: Double, seconds: Double, isSleep: Bool)?
    /// Seconds of something of its own that it sends first, at once: each time another, or the same.
    var own = 0.0
    var isOwnSame = false
    /// Audio of so long ago that it sends first, at once: what it had before it went away.
    var past: (ago: Double, seconds: Double)?
    /// It is a relay that names places: of this log, in which packet n has position n × size, plus so many packets.
    var relay: (log: LogID, shift: Int)?
    /// What that relay tells of gaps, by their packets, and of what is missing in front of its first packet.
    var gaps: [(packet: Int, seconds: Double)] = []
    var lost: Double?
  }

  /// What upstreams send of their own has content from here on.
  static let own = 1_000_000_000

  let log: PacketLog
  private let writer: LogWriter
  private(set) var appender: Appender
  let clock = ManualClock()
  private let start: MonotonicTime
  private(set) var reconnections: [Reconnection] = []
  private(set) var gaps: [GapMark] = []
  var content: (Int) -> Int = { $0 }
  /// The number of the first packet of the newest connection, and of the one behind its last.
  private(set) var first = 0
  private(set) var end = 0
  /// How long what arrived was not to be heard at most, seconds.
  private(set) var held = 0.0
  private var connections = 0

  init(packetBytes: Int = 64) {
    size = packetBytes
    var configuration = LogConfiguration()
    configuration.windowBytes = 64 << 20
    log = PacketLog(memoryOnly: configuration, at: clock.now)
    start = clock.now.sinceBoot
    writer = log.onlyWriter()
    appender = Appender(writer: writer, settings: UpstreamSettings(urls: [])) { _ in }
    restart()
  }

  /// The relay is ended and started again.
  ///
  /// - Parameter away: what is known of how long it took; nil: as the log has it.
  func restart(away: TimeAway? = nil) {
    let settings = UpstreamSettings(urls: [])
    appender = Appender(writer: writer, settings: settings) { [unowned self] event in
      switch event {
      case .reconnected(let reconnection): reconnections.append(reconnection)
      case .gap(let gap): gaps.append(gap)
      default: break
      }
    }
    appender.recall(at: clock.now, away: away ?? log.away(at: clock.now))
  }

  /// The programme's.
  var now: Double { clock.now.sinceBoot.seconds(since: start) }

  /// Nothing is connected for so long.
  func wait(_ seconds: Double) { clock.advance(seconds: seconds) }

  /// The same, and the machine sleeps.
  func sleep(_ seconds: Double) { clock.sleep(seconds: seconds) }

  /// - Parameters:
  ///   - roundTrip: as libcurl measures it; nil: what it is.
  ///   - standstill: the relay is stopped at its end for so long, and goes on when the upstream has closed: the kernel
  ///     kept the first seconds of what came.
  func play(
    _ connection: Connection, endsAsFile: Bool = false, roundTrip: Double? = nil,
    standstill: (seconds: Double, kept: Double)? = nil
  ) {
    appender.begin()
    let began = now
    let air = began - connection.behind - connection.stoodStill
    first = max(0, Int((air - connection.burst) / Self.packet))
    place = connection.relay.map {
      RelayPlace(log: $0.log, position: UInt64((first + $0.shift) * size))
    }
    appender.opened(
      "\(connection.isSame ? 0 : connection.encoding)",
      StitchSource(
        hasPast: !connection.hasLength && !connection.isPush, mayPause: connection.isPush,
        roundTrip: roundTrip ?? connection.roundTrip),
      relay: place.map {
        let gaps = connection.gaps.map {
          RelayGap(position: UInt64($0.packet * size), seconds: $0.seconds)
        }
        return RelayHead(place: $0, gaps: gaps, lost: connection.lost)
      })
    var next = first
    var pausedUntil = began
    var unheardSince: Double?
    let before = log.edgePosition
    var stop = connection.stop
    let own = Self.own + (connection.isOwnSame ? 0 : connections * 100_000)
    connections += 1
    send(own..<own + Int(connection.own / Self.packet), connection)
    if let past = connection.past {
      let start = Int((air - past.ago) / Self.packet)
      send((start..<start + Int(past.seconds / Self.packet)).map(content), connection)
    }
    while now < began + connection.lasts {
      if let due = stop, now >= began + due.at {
        if due.isSleep { sleep(due.seconds) } else { wait(due.seconds) }
        stop = nil
      }
      let passed = now - began
      var share = min(1, connection.burstTakes == 0 ? 1 : passed / connection.burstTakes)
      if connection.roundTrip > 0 {
        let windows = (passed / connection.roundTrip).rounded(.down) + 1
        share = min(1, 0.9 * (pow(2, windows) - 1) / connection.burst)
      }
      var live = connection.stillStands ? 0 : passed * connection.rate
      if connection.lump > 0 { live = (live / connection.lump).rounded(.down) * connection.lump }
      let due = first + Int((min(connection.burst, air) * share + live) / Self.packet)
      if now >= pausedUntil {
        send((next..<max(next, due)).map(content), connection)
        next = max(next, due)
      }
      appender.decide(at: clock.now)
      if let pause = appender.pause(at: clock.now) { pausedUntil = now + pause }
      if log.edgePosition == before, next > first { unheardSince = unheardSince ?? now }
      if let since = unheardSince, log.edgePosition == before { held = max(held, now - since) }
      clock.advance(seconds: 0.02)
    }
    if let standstill {
      clock.advance(seconds: standstill.seconds)
      let kept = next + Int(standstill.kept / Self.packet)
      send((next..<kept).map(content), connection)
      next = kept
    }
    end = next
    appender.interrupted(at: clock.now)
    if endsAsFile { appender.fileIsComplete() }
  }

  private func send(_ contents: some Sequence<Int>, _ connection: Connection) {
    for content in contents {
      let bytes = bytes(of: content, connection.encoding)
      let packet = PacketScanner.Packet(
        range: 0..<bytes.count,
        // Of another rate too, a packet is as long.
        samples: 1152 * connection.sampleRate / 48_000,
        format: AudioFormat(codec: .mp3, sampleRate: connection.sampleRate, channels: 2),
        bitrate: 128)
      appender.receive(
        Arrivals(items: [.packet(packet)], bytes: bytes, place: place), at: clock.now)
      place = place?.advanced(by: UInt64(bytes.count))
    }
  }

  /// Bytes of a packet.
  private let size: Int
  /// Of the next packet, at an upstream that is a relay.
  private var place: RelayPlace?

  private func bytes(of content: Int, _ encoding: UInt8) -> [UInt8] {
    let number = (0..<8).map { UInt8(truncatingIfNeeded: content >> (56 - 8 * $0)) }
    return number + [UInt8](repeating: encoding, count: size - 8)
  }

  /// How far the log's end is behind what is on air, seconds.
  var late: Double { now - Double(heard.last ?? 0) * Self.packet }

  /// What the log has, packet by packet.
  var heard: [Int] {
    let reader = LogReader(log)
    let bytes = reader.collect(reader.oldest.position..<reader.edge.position) ?? []
    return stride(from: 0, to: bytes.count, by: size).map { place in
      bytes[place..<place + 8].reduce(0) { $0 << 8 | Int($1) }
    }
  }

  /// How many seconds of the programme were heard twice, and how many were left out, between the first packet heard and
  /// the last.
  var faults: (twice: Double, missing: Double) {
    let heard = heard.filter { $0 < Self.own }
    var (twice, missing) = (0, 0)
    for (one, next) in zip(heard, heard.dropFirst()) {
      if next <= one { twice += one + 1 - next }
      if next > one + 1 { missing += next - one - 1 }
    }
    return (Double(twice) * Self.packet, Double(missing) * Self.packet)
  }
}
