import Server
import Threads

/// Events that wait for a web service, in the order of their ids.
///
/// When there are too many, the oldest of the listeners' events is lost: strangers make as many of these as they like.
/// Only without such an event the oldest of all is lost.
struct WebhookQueue: Sendable {
  /// Events that wait at most.
  static let countMax = 1_000
  /// Bytes of a body that has several events.
  private static let bodyBytesMax = 256 << 10

  private var ofListeners = FIFO<EventRing.Event>()
  private var others = FIFO<EventRing.Event>()
  /// Events that are being sent, or will be sent again: none of them is lost, and no event comes between them.
  private(set) var sending: [EventRing.Event] = []

  var count: Int { ofListeners.count + others.count + sending.count }

  /// Adds an event. True: another one, or this one, is lost for it.
  mutating func append(_ event: EventRing.Event) -> Bool {
    if event.isOfListener {
      ofListeners.insert(event) { $0.id < event.id }
    } else {
      others.insert(event) { $0.id < event.id }
    }
    guard count > Self.countMax else { return false }
    if ofListeners.popFirst() == nil { _ = others.popFirst() }
    return true
  }

  /// Returns the events of the next body: those that were not taken, else the oldest.
  ///
  /// - Parameter count: events that a body may have.
  mutating func next(_ count: Int, isIdentified: Bool) -> [EventRing.Event] {
    guard sending.isEmpty else { return sending }
    var bytes = 0
    while sending.count < count, let event = popFirst() {
      sending.append(event)
      bytes += (isIdentified ? event.identifiedJSON : event.json).utf8.count
      if bytes >= Self.bodyBytesMax { break }
    }
    return sending
  }

  /// The events that are being sent have been taken.
  mutating func delivered() { sending = [] }

  mutating func removeAll() { self = WebhookQueue() }

  private mutating func popFirst() -> EventRing.Event? {
    guard let other = others.first else { return ofListeners.popFirst() }
    guard let ofListener = ofListeners.first, ofListener.id < other.id else {
      return others.popFirst()
    }
    return ofListeners.popFirst()
  }
}
