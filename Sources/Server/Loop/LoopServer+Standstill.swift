import Reactor
import Wire

// After the loop was not there for a while: what had to happen meanwhile is given the time once more. What lasts as long as
// it is told, as a listening time or the drain, ends when it ends.
extension LoopServer {
  func stoodStill(for nanoseconds: Int64) {
    for index in connections.places.indices where connections.places[index].fd >= 0 {
      bearWith(UInt32(index), nanoseconds)
    }
    for case let shard? in shards { shard.stoodStill(for: nanoseconds) }
    for slot in fanout.pauses.keys { fanout.pauses[slot]?.since.saturatingGrow(by: nanoseconds) }
    for index in clips.wishes.indices {
      clips.wishes[index].deadline.saturatingGrow(by: nanoseconds)
    }
    handshakes.bear(nanoseconds)
  }

  private func bearWith(_ slot: UInt32, _ nanoseconds: Int64) {
    switch connections[slot].state {
    case .free, .listening: return
    case .replying(var reply):
      reply.bear(nanoseconds)
      switch reply.body {
      case .file(let body): body.reading.bear(nanoseconds)
      case .clip(let body): body.reading.bear(nanoseconds)
      case nil: break
      }
      connections[slot].state = .replying(reply)
    case .watching(let watch): watch.bear(nanoseconds)
    case .shakingHands, .reading, .readingBody, .answering, .joining, .lingering: break
    }
    let deadline = connections[slot].deadline.saturatingAdd(nanoseconds)
    connections[slot].deadline = max(deadline, loop.turnTime + Self.graceNanoseconds)
  }

  /// When it began to stand still a loop can only guess: so much everybody has behind it at least.
  private static let graceNanoseconds: Int64 = 5_000_000_000
}

extension Int64 {
  fileprivate mutating func saturatingGrow(by other: Int64) { self = saturatingAdd(other) }
}
