import Reactor
import Timeshift
import Wire

// Reports that count or order all listeners, for which few or none are copied out. A walk over 10,000 listeners is to
// cost a loop a millisecond or so: it reads the clock once, and makes no text.
extension AudienceReports {
  func count(_ station: String, into audience: inout StationAudience) {
    let now = MonotonicTime.now()
    var players: [ObjectIdentifier: (name: PlayerName, listeners: Int)] = [:]
    var unnamed = 0
    for case let shard? in all where shard.mount.station == station && !shard.listeners.isEmpty {
      shard.reader.refresh()
      for listener in shard.listeners {
        audience.states[state(of: listener, in: shard)] += 1
        if let name = connections[listener.slot].player {
          players[ObjectIdentifier(name), default: (name, 0)].listeners += 1
        } else {
          unnamed += 1
        }
        if let offset = whereabouts(of: listener, in: shard, at: now)?.offset {
          audience.count(behind: offset)
        }
      }
    }
    for (name, listeners) in players.values { audience.players[name.text, default: 0] += listeners }
    if unnamed > 0 { audience.players[nil, default: 0] += unnamed }
  }

  /// Offers the streams' listeners for a part of the list of listeners.
  func offer(to picks: inout ListenerPicks) {
    let now = MonotonicTime.now()
    let (order, station) = (picks.listing.order, picks.listing.station)
    for case let shard? in all
    where !shard.listeners.isEmpty && shard.mount.station == station ?? shard.mount.station {
      shard.reader.refresh()
      for listener in shard.listeners {
        let value: Double? =
          switch order {
          case .seconds: nil
          case .offset: whereabouts(of: listener, in: shard, at: now)?.offset
          case .lag: whereabouts(of: listener, in: shard, at: now)?.lag
          }
        picks.offer(
          ListenerRank(id: connections[listener.slot].listenerID, value: value, in: order),
          at: listener.slot)
      }
    }
  }

  /// Returns where all listeners are that hear the past of their own station: paused and stalled ones hear nothing.
  func replays() -> ReplaySample {
    var sample = ReplaySample()
    let now = MonotonicTime.now()
    for case let shard? in all where !shard.isFallback {
      var minutes: [Int64: ReplaySample.Minute] = [:]
      for listener in shard.listeners where listener.isReplaying {
        if minutes.isEmpty { shard.reader.refresh() }
        guard let (_, pace) = delivery(of: listener, in: shard, at: now),
          (shard.reader.edge.media - pace.playPoint).seconds >= ReplaySample.behindMin
        else { continue }
        let minute = ReplaySample.minute(of: pace.playPoint)
        minutes[minute, default: ReplaySample.Minute()].count(person(at: listener.slot))
      }
      sample.add(minutes, of: shard.mount.station)
    }
    return sample
  }

  /// Returns which seconds of some logs are heard now, at home, as a copy's or a fallback's.
  ///
  /// - Parameter logs: serial numbers of the logs.
  func hearings(of logs: Set<UInt64>) -> HearingSample {
    var sample = HearingSample()
    let now = MonotonicTime.now()
    for case let shard? in all
    where !shard.listeners.isEmpty && logs.contains(shard.reader.logSerial) {
      shard.reader.refresh()
      var seconds: [Int64: Int] = [:]
      for listener in shard.listeners where listener.isHearing(at: now.nanoseconds) {
        guard let (_, pace) = delivery(of: listener, in: shard, at: now) else { continue }
        seconds[Int64(bounded: pace.playPoint.seconds.rounded(.down)), default: 0] += 1
      }
      // A copy's air times are later than those of the log.
      let delay = shard.isFallback ? MediaTime.zero : shard.mount.delay
      for (second, listeners) in seconds {
        let air = shard.reader.air(at: MediaTime(seconds: Double(second)))
          .adding(nanoseconds: -delay.nanoseconds)
        sample.add(listeners, at: air.unixSeconds, of: shard.reader.logSerial)
      }
    }
    return sample
  }

  /// Returns a number for whoever listens, the same on every loop and never 0. All of a customer's addresses, and all
  /// connections of an address, are one.
  private func person(at slot: UInt32) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(AddressBlock(connections[slot].origin)?.siteOrSelf)
    return UInt32(truncatingIfNeeded: hasher.finalize()) | 1
  }

  /// Returns media seconds between the live edge and what is sent, and between it and what is heard, at home.
  private func whereabouts(
    of listener: Listener, in shard: MountShard, at now: MonotonicTime
  ) -> (lag: Double, offset: Double)? {
    guard let (own, home) = shards.atHome(listener, in: shard),
      let (lag, pace) = delivery(of: own, in: home, at: now)
    else { return nil }
    return (lag, (home.reader.edge.media - pace.playPoint).seconds)
  }
}

extension Listener {
  /// Nanoseconds for which a player's buffer may be full before the player counts as paused.
  private static let fullMax: Int64 = 10_000_000_000

  /// Whether the listener plays what it is sent.
  fileprivate func isHearing(at now: Int64) -> Bool {
    guard flags.isDisjoint(with: [.paused, .replaced, .ending]) else { return false }
    return !flags.contains(.blocked) || now - takenAt < Self.fullMax
  }

  /// Whether the listener may be hearing the past; how far behind live, its place says.
  fileprivate var isReplaying: Bool {
    pace.isPlaced && flags.isDisjoint(with: [.paused, .blocked, .replaced])
  }
}
