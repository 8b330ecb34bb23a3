import Library
import Testing
import Wire

@testable import Longwave

/// Plays that wait for the disk.
@Suite struct PlayQueueTests {
  private func play(_ item: UInt64, seconds: Double = 1, isWhole: Bool? = nil) -> Play {
    Play(
      Play.Key(station: "night", item: item, at: Int64(item)), kind: .track, ended: 0,
      seconds: seconds, isWhole: isWhole)
  }

  @Test func `of a play the newest is written, and all that was heard`() {
    var queue = PlayQueue()
    #expect(queue.put(play(1)) == 0 && queue.put(play(2)) == 0 && !queue.hasEnded)
    #expect(queue.put(play(1, seconds: 5, isWhole: true)) == 0 && queue.hasEnded)
    queue.hear(300, of: play(1).key)
    queue.hear(400, of: play(1).key)
    let changes = queue.pop()
    #expect(changes.plays.map(\.key.item) == [1, 2] && changes.plays[0].seconds == 5)
    #expect(changes.heard == [play(1).key: 700])
    #expect(queue.isEmpty && !queue.hasEnded && queue.pop().isEmpty)
  }

  @Test func `what could not be written waits behind nothing newer`() {
    var queue = PlayQueue()
    _ = queue.put(play(1))
    _ = queue.put(play(2, isWhole: true))
    queue.hear(300, of: play(1).key)
    let changes = queue.pop()
    _ = queue.put(play(1, seconds: 9, isWhole: false))
    queue.hear(500, of: play(1).key)
    #expect(queue.putBack(changes) == 0 && queue.hasEnded)
    let again = queue.pop()
    #expect(again.plays.map(\.key.item) == [1, 2] && again.plays.map(\.seconds) == [9, 1])
    #expect(again.heard == [play(1).key: 800])
  }

  @Test func `what waits is bounded, and the oldest go`() {
    var queue = PlayQueue()
    var lost = 0
    for item in 0..<UInt64(PlayQueue.max) + 7 {
      queue.hear(100, of: play(item).key)
      lost += queue.put(play(item))
    }
    #expect(lost == 7 && queue.count == PlayQueue.max)
    let changes = queue.pop()
    #expect(changes.plays.first?.key.item == 7 && changes.heard[play(3).key] == nil)
    for item in 0..<10 as Range<UInt64> { _ = queue.put(play(100_000 + item)) }
    #expect(queue.putBack(changes) == 10)
    #expect(queue.pop().plays.last?.key.item == 100_009)
    // Of what is written long since, no more is remembered than of what waits.
    for item in 0..<UInt64(PlayQueue.max) * 3 { queue.hear(1, of: play(item).key) }
    #expect(queue.pop().heard.count <= PlayQueue.max * 2)
  }
}
