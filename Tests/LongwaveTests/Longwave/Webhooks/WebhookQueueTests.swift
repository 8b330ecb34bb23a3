import Server
import TestSupport
import Testing

@testable import Longwave

/// Which events wait for a web service, and which are lost.
@Suite struct WebhookQueueTests {
  private static func event(_ id: UInt64, ofListener: Bool = false, _ json: String = "{}")
    -> EventRing.Event
  {
    EventRing.Event(
      id: id, kind: ofListener ? "listener-connected" : "state", station: nil,
      isOfListener: ofListener, json: json, identifiedJSON: json)
  }

  private static func rest(_ queue: WebhookQueue, by count: Int = 1) -> [[UInt64]] {
    var queue = queue
    var bodies: [[UInt64]] = []
    while queue.count > 0 {
      bodies.append(queue.next(count, isIdentified: false).map(\.id))
      queue.delivered()
    }
    return bodies
  }

  @Test func `events are told in the order of their ids, one by one or several together`() {
    var queue = WebhookQueue()
    for id: UInt64 in [2, 1, 4, 3, 7, 5, 6] {
      let isOneLost = queue.append(Self.event(id, ofListener: id % 3 == 0))
      #expect(!isOneLost)
    }
    #expect(Self.rest(queue) == [[1], [2], [3], [4], [5], [6], [7]])
    #expect(Self.rest(queue, by: 3) == [[1, 2, 3], [4, 5, 6], [7]])
  }

  @Test func `too many events lose the oldest of listeners, else the oldest of all`() {
    var queue = WebhookQueue()
    let most = UInt64(WebhookQueue.countMax)
    var lost = (1...most).map { queue.append(Self.event($0, ofListener: $0 > 10)) }
    #expect(!lost.contains(true))
    lost = (most + 1...most + 6).map { queue.append(Self.event($0, ofListener: $0 < most + 6)) }
    #expect(!lost.contains(false))
    #expect(queue.count == WebhookQueue.countMax)
    #expect(Self.rest(queue).flatMap(\.self) == [UInt64](1...10) + [UInt64](17...most + 6))

    queue = WebhookQueue()
    for id in 1...most { _ = queue.append(Self.event(id)) }
    lost = (most + 1...most + 2).map { queue.append(Self.event($0, ofListener: $0 == most + 1)) }
    #expect(!lost.contains(false))
    let rest = Self.rest(queue).flatMap(\.self)
    #expect(rest.first == 2 && rest.last == most + 2 && !rest.contains(most + 1))
  }

  @Test func `events being sent are not lost, and are sent again as they were`() {
    var queue = WebhookQueue()
    var ids: [UInt64] = []
    for id: UInt64 in 1...5 { _ = queue.append(Self.event(id, ofListener: true)) }
    ids = queue.next(3, isIdentified: false).map(\.id)
    #expect(ids == [1, 2, 3])
    for id: UInt64 in 6...3000 { _ = queue.append(Self.event(id, ofListener: true)) }
    #expect(queue.count == WebhookQueue.countMax)
    ids = queue.next(50, isIdentified: false).map(\.id)
    #expect(ids == [1, 2, 3])
    queue.delivered()
    ids = queue.next(2, isIdentified: false).map(\.id)
    #expect(ids == [2004, 2005])
  }

  @Test func `a body has a bound in bytes`() {
    var queue = WebhookQueue()
    let long = String(repeating: "x", count: 100_000)
    for id: UInt64 in 1...7 { _ = queue.append(Self.event(id, long)) }
    #expect(Self.rest(queue, by: 1000) == [[1, 2, 3], [4, 5, 6], [7]])
  }
}
