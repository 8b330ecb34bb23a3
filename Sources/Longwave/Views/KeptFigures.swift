import Server
import Timeshift

/// The figures of the stations and of the whole relay over time: 28,800 bytes for each of them.
///
/// Not Sendable: only the relay's actor has it.
final class KeptFigures {
  /// What was seen of a station at one moment.
  struct Look {
    var station: RelayStation
    var load: StationLoad
    /// Bytes from its upstream.
    var received: UInt64
  }

  private struct Station {
    /// Those of another station when the id has been given anew.
    let counters: MountCounters
    var history = FigureHistory()
  }

  let clock: FigureClock
  private var stations: [String: Station] = [:]
  private var relay = FigureHistory()
  private var rates = StationRates()

  init(from start: Moment) { clock = FigureClock(start) }

  /// Keeps the figures of the step that ends now. Stations that are not among them have gone, and theirs with them.
  func keep(_ looks: [Look], at now: Moment) {
    let step = clock.step(at: now)
    var all = FigureSample()
    var kept: Set<String> = []
    for look in looks {
      let id = look.station.id
      if stations[id]?.counters !== look.station.counters {
        stations[id] = Station(counters: look.station.counters)
      }
      let kbit = rates.rates(
        of: id, .init(received: look.received, sent: look.load.bytes), at: now.monotonic)
      let sample = FigureSample(
        listeners: Float(look.load.listeners + look.station.counters.hls),
        kbitIn: kbit.received.map(Float.init) ?? .nan,
        kbitOut: kbit.sent.map(Float.init) ?? .nan, lagMax: look.load.lagMax.map(Float.init) ?? .nan
      )
      stations[id]?.history.keep(sample, at: step)
      all.add(sample)
      kept.insert(id)
    }
    relay.keep(all, at: step)
    for id in stations.keys where !kept.contains(id) { stations[id] = nil }
    rates.forget { !kept.contains($0) }
  }

  /// Returns the figures over time of a station; without figures while none have been kept.
  func series(
    of station: RelayStation, _ step: FigureSeries.Step, at now: Moment
  ) -> FigureSeries {
    let kept = stations[station.id].flatMap { $0.counters === station.counters ? $0 : nil }
    return series(kept?.history, step, at: now)
  }

  /// Returns the figures over time of the whole relay.
  func series(_ step: FigureSeries.Step, at now: Moment) -> FigureSeries {
    series(relay, step, at: now)
  }

  private func series(
    _ history: FigureHistory?, _ step: FigureSeries.Step, at now: Moment
  ) -> FigureSeries {
    // All end with the same step, so that their charts stand below each other.
    let last = relay.ring(step).newest ?? clock.step(at: now, of: step)
    let first = last - Int64(step.count) + 1
    return FigureSeries(
      from: clock.begin(of: first, step, at: now), step: step,
      samples: (history ?? FigureHistory()).ring(step).samples(upTo: last))
  }
}
