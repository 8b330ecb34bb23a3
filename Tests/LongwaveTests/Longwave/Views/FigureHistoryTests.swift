import Server
import Testing
import Timeshift

@testable import Longwave
@testable import Server

/// Figures of stations over time.
@Suite struct FigureHistoryTests {
  /// 2023-11-14T22:13:20Z on the wall, an hour after the machine's start.
  private static let start = Moment(
    wall: WallTime(unixSeconds: 1_700_000_000),
    monotonic: MonotonicTime(nanoseconds: 0).adding(3600))

  private static func sample(_ listeners: Float) -> FigureSample {
    FigureSample(listeners: listeners, kbitIn: listeners, kbitOut: .nan, lagMax: listeners)
  }

  private static func listeners(_ ring: FigureRing, upTo last: Int64) -> [Float?] {
    ring.samples(upTo: last).map { $0.listeners.isNaN ? nil : $0.listeners }
  }

  private static func station(_ id: String) -> RelayStation {
    RelayStation(
      definition: StationDefinition(id: id, upstream: ["http://x/"]), origin: .command,
      counters: MountCounters(), sid: 1, isStopped: false)
  }

  private static func look(
    _ station: RelayStation, listeners: Int, received: UInt64, sent: UInt64, lag: Double? = nil
  ) -> KeptFigures.Look {
    var load = StationLoad()
    (load.listeners, load.bytes, load.lagMax) = (listeners, sent, lag)
    return KeptFigures.Look(station: station, load: load, received: received)
  }

  @Test func `a ring holds the newest, and nothing where nothing was seen`() {
    var ring = FigureRing(count: 4)
    #expect(ring.newest == nil && Self.listeners(ring, upTo: 9) == [nil, nil, nil, nil])
    ring.keep(Self.sample(1), at: 100)
    ring.keep(Self.sample(2), at: 101)
    ring.keep(Self.sample(4), at: 103)
    #expect(Self.listeners(ring, upTo: 103) == [1, 2, nil, 4])
    ring.keep(Self.sample(5), at: 104)
    ring.keep(Self.sample(6), at: 104)
    #expect(Self.listeners(ring, upTo: 104) == [2, nil, 4, 6])
    #expect(Self.listeners(ring, upTo: 106) == [4, 6, nil, nil])
  }

  @Test(arguments: [
    Int64.min, Int64.min + 1, -1, 0, 1, 3, 4, 5, 1 << 40, .max - 1, .max,
  ])
  func `a clock that jumps ends nothing, and takes no time`(step: Int64) {
    for first in [Int64.min, -7, 0, 50, .max] {
      var ring = FigureRing(count: 4)
      ring.keep(Self.sample(1), at: first)
      ring.keep(Self.sample(2), at: step)
      // A step that comes late is left out.
      #expect(ring.newest == max(first, step))
      #expect(ring[max(first, step)].listeners == (step < first ? 1 : 2))
      #expect(ring.samples(upTo: .max).count == 4 && ring.samples(upTo: .min).count == 4)
    }
  }

  @Test func `a minute has the most listeners, the mean rate and the greatest lag`() {
    var history = FigureHistory()
    for (index, listeners) in [Float(3), 9, 6].enumerated() {
      history.keep(Self.sample(listeners), at: 600 + Int64(index) * 2)
    }
    let minute = history.ring(.minute)[100]
    #expect(minute.listeners == 9 && minute.kbitIn == 6 && minute.lagMax == 9)
    #expect(minute.kbitOut.isNaN)
    history.keep(Self.sample(1), at: 606)
    #expect(history.ring(.minute)[100].listeners == 9)
    #expect(history.ring(.minute)[101].listeners == 1)
    #expect(MemoryLayout<FigureSample>.stride * (360 + 1440) == 28_800)
  }

  @Test func `steps begin with those of the wall clock, and go on while the machine sleeps`() {
    let clock = FigureClock(Self.start.adding(seconds: 3))
    #expect(clock.rest(at: Self.start.adding(seconds: 3)) == 7)
    let step = clock.step(at: Self.start.adding(seconds: 10.2))
    #expect(step == 170_000_000 && clock.step(at: Self.start.adding(seconds: 9.9)) == step)
    #expect(clock.step(at: Self.start.adding(seconds: 20.1)) == step + 1)
    #expect(
      clock.begin(of: step, .tenSeconds, at: Self.start.adding(seconds: 17)) == Self.start.wall)
    // Asleep for an hour: the monotonic clock stands still meanwhile.
    var woken = Self.start.adding(seconds: 3610)
    woken.monotonic = Self.start.monotonic.adding(10)
    #expect(clock.step(at: woken) == step + 360)
    // Set back by 33 seconds: the numbers go on, and times are told by the clock as it is.
    var set = Self.start.adding(seconds: 20)
    set.wall = set.wall.adding(seconds: -33)
    #expect(clock.step(at: set) == step + 1)
    #expect(
      clock.begin(of: step + 1, .tenSeconds, at: set) == Self.start.wall.adding(seconds: -20))
  }

  @Test func `a history of figures survives absurd clocks`() {
    let ends = [Int64.min, 0, .max].map(MonotonicTime.init(nanoseconds:))
    for wall in [Int64.min, 0, .max] {
      for boot in ends {
        let moment = Moment(
          wall: WallTime(nanoseconds: wall), monotonic: Self.start.monotonic, sinceBoot: boot)
        for clock in [FigureClock(moment), FigureClock(Self.start)] {
          let kept = KeptFigures(from: moment)
          let look = Self.look(Self.station("jazz"), listeners: 1, received: 0, sent: 0)
          kept.keep([look], at: moment)
          #expect((0.1...10).contains(clock.rest(at: moment)))
          for step in FigureSeries.Step.allCases {
            #expect(kept.series(step, at: moment).samples.count == step.count)
          }
        }
      }
    }
  }

  @Test func `stations have their own figures, and the relay has their sums`() throws {
    let kept = KeptFigures(from: Self.start)
    let (jazz, rock) = (Self.station("jazz"), Self.station("rock"))
    let empty = kept.series(.tenSeconds, at: Self.start)
    #expect(empty.samples.count == 360 && empty.samples.allSatisfy { $0.listeners.isNaN })
    for number in 1...2 {
      kept.keep(
        [
          Self.look(jazz, listeners: number, received: UInt64(number) * 160_000, sent: 0, lag: 2),
          Self.look(rock, listeners: 5, received: 0, sent: UInt64(number) * 320_000),
        ], at: Self.start.adding(seconds: Double(number) * 10))
    }
    let now = Self.start.adding(seconds: 24)
    let told = kept.series(of: jazz, .tenSeconds, at: now)
    #expect(told.from == Self.start.wall.adding(seconds: -3580))
    #expect(told.samples.suffix(2).map(\.listeners) == [1, 2])
    #expect(told.samples.last?.kbitIn == 128 && told.samples.last?.lagMax == 2)
    let json = told.json
    let unknown = [JSON](repeating: .null, count: 358)
    #expect(json["step"] == .integer(10))
    #expect(json["kbitIn"] == .array(unknown + [.null, .number(128)]))
    #expect(json["listeners"] == .array(unknown + [.number(1), .number(2)]))
    let all = try #require(kept.series(.tenSeconds, at: now).samples.last)
    #expect(all.listeners == 7 && all.kbitIn == 128 && all.kbitOut == 256 && all.lagMax == 2)
    let minutes = kept.series(of: rock, .minute, at: now)
    #expect(minutes.samples.count == 1440 && minutes.samples.last?.listeners == 5)
    #expect(minutes.from.unixSeconds % 60 == 0)
  }

  @Test func `who listens by HLS is counted with those of the stream`() throws {
    let kept = KeptFigures(from: Self.start)
    let (jazz, rock) = (Self.station("jazz"), Self.station("rock"))
    for _ in 0..<51 { jazz.counters.hlsJoined() }
    rock.counters.hlsJoined()
    let now = Self.start.adding(seconds: 10)
    kept.keep(
      [
        Self.look(jazz, listeners: 6, received: 0, sent: 0),
        Self.look(rock, listeners: 0, received: 0, sent: 0),
      ], at: now)
    #expect(kept.series(of: jazz, .tenSeconds, at: now).samples.last?.listeners == 57)
    #expect(kept.series(of: rock, .tenSeconds, at: now).samples.last?.listeners == 1)
    #expect(kept.series(.tenSeconds, at: now).samples.last?.listeners == 58)
  }

  @Test func `a station that has gone leaves nothing to one of the same name`() {
    let kept = KeptFigures(from: Self.start)
    let (old, new) = (Self.station("jazz"), Self.station("jazz"))
    let now = Self.start.adding(seconds: 10)
    kept.keep([Self.look(old, listeners: 1, received: 0, sent: 0)], at: now)
    func known(_ station: RelayStation) -> [Float] {
      kept.series(of: station, .tenSeconds, at: now.adding(seconds: 10)).samples.map(\.listeners)
        .filter { !$0.isNaN }
    }
    #expect(known(old) == [1] && known(new) == [])
    kept.keep([Self.look(new, listeners: 3, received: 0, sent: 0)], at: now.adding(seconds: 10))
    #expect(known(old) == [] && known(new) == [3])
    kept.keep([], at: now.adding(seconds: 20))
    #expect(known(new) == [])
  }
}
