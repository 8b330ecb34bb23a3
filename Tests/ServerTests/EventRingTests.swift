import Server
import TestSupport
import Testing

struct EventRingTests {
  @Test func `a reader gets each event once, in order, with growing ids`() {
    let ring = EventRing(firstID: 1000)
    for number in 0..<5 { ring.append(kind: "state", station: "jazz", json: "\(number)") }
    let first = ring.read(after: 999, limit: 3)
    #expect(first.events.map(\.id) == [1000, 1001, 1002])
    let second = ring.read(after: first.last, limit: 3)
    #expect(second.events.map(\.json) == ["3", "4"])
    #expect(ring.read(after: second.last, limit: 3).events.isEmpty)
    #expect(ring.newestID == 1004)
  }

  @Test func `a reader who was overtaken is told how many it missed`() {
    let ring = EventRing(firstID: 1)
    let extra = 10
    for number in 0..<(EventRing.countMax + extra) {
      ring.append(kind: "state", station: nil, json: "\(number)")
    }
    let batch = ring.read(after: 2, limit: 2)
    #expect(batch.missed == UInt64(extra - 2))
    // Ids of an earlier run say nothing of how many there were.
    #expect(ring.read(after: 0, limit: 1).missed == UInt64(extra))
    #expect(batch.events.map(\.json) == ["10", "11"])
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":1,"b":"ü"}"#), (#"{"a":"é"}"#, #"{"a":"è"}"#), ("{}", ""), ("", "{}"),
    (#"{"a":1,"url":"x"}"#, #"{"a":1,"url":"x?key"}"#), ("same", "same"),
  ])
  func `an event has both its renderings`(json: String, identified: String) {
    let ring = EventRing(firstID: 1)
    ring.append(kind: "state", station: "jazz", json: json, identifiedJSON: identified)
    ring.append(kind: "state", station: nil, json: json)
    let events = ring.read(after: 0, limit: 2).events
    #expect(events.map(\.json) == [json, json])
    #expect(events.map(\.identifiedJSON) == [identified, json])
    #expect(events.map(\.station) == ["jazz", nil])
  }

  @Test func `an id that was never given gets all there is, and that some are missed`() {
    let ring = EventRing(firstID: 100)
    #expect(ring.read(after: 5_000, limit: 10).missed == 1)
    ring.append(kind: "state", station: nil, json: "a")
    for unknown: UInt64 in [101, 5_000, .max] {
      let batch = ring.read(after: unknown, limit: 10)
      #expect(batch.events.map(\.json) == ["a"] && batch.missed == 1 && batch.last == 100)
    }
    for known: UInt64 in [0, 5, 99, 100] { #expect(ring.read(after: known, limit: 9).missed == 0) }
    for _ in 0..<(EventRing.countMax + 9) { ring.append(kind: "state", station: nil, json: "b") }
    #expect(ring.read(after: 5_000, limit: 1).missed == 10)
  }

  @Test func `listeners who come and go push no other event out`() {
    let ring = EventRing(firstID: 1)
    for number in 0..<20 { ring.append(kind: "state", station: "jazz", json: "s\(number)") }
    let extra = 5
    for number in 0..<(EventRing.countMax + extra) {
      ring.append(
        kind: "listener-connected", station: "jazz", isOfListener: true, json: "\(number)")
    }
    ring.append(kind: "state", station: "jazz", json: "last")
    let batch = ring.read(after: 0, limit: .max)
    #expect(batch.events.filter { !$0.isOfListener }.count == 21)
    #expect(batch.events.count == 21 + EventRing.countMax && batch.missed == UInt64(extra))
    let ids = batch.events.map(\.id)
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } && batch.last == ring.newestID)
  }

  @Test func `every event is read once or counted as missed, whatever its share`() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    let ring = EventRing(firstID: 1)
    var (last, read, missed, written): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    for _ in 0..<40 {
      let share = Int.random(in: 0...10, using: &random)
      for _ in 0..<Int.random(in: 0...3000, using: &random) {
        let isOfListener = Int.random(in: 0..<10, using: &random) < share
        ring.append(kind: "a", station: nil, isOfListener: isOfListener, json: "")
        written += 1
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let batch = ring.read(after: last, limit: Int.random(in: 1...2000, using: &random))
        read += UInt64(batch.events.count)
        missed += batch.missed
        last = batch.last
        #expect(read + missed == last)
      }
    }
    let rest = ring.read(after: last, limit: .max)
    #expect(read + missed + UInt64(rest.events.count) + rest.missed == written)
  }
}
