import Reactor
import Wire

/// What only some listeners have, beside the flat listener, so that the others carry none of it.
struct Sidecar {
  /// Bytes that go out before anything else.
  var rest: [UInt8] = []
  var pause: Pause?
  /// Place in its own station of a listener that hears a fallback.
  var home: Home?
  /// What a connection with a session was sent.
  var run: Run?
  /// The logical stream of a listener in Ogg.
  var relink: OggRelink?
  /// The stream of a listener over TLS.
  var tls: TLSStream?
  /// Position up to which a relay was told of gaps.
  var toldGaps: UInt64?
  /// The line, while it may be too slow for the station.
  var shortfall: Shortfall?
  /// Session that the listener gets when it has stayed.
  var promise: SessionToken?

  var isEmpty: Bool {
    relink == nil && tls == nil && rest.isEmpty && run == nil && pause == nil && home == nil
      && toldGaps == nil && shortfall == nil && promise == nil
  }

  /// Forgets the state that belongs to the station being left. A line that was too slow for one station is measured
  /// anew in the other.
  mutating func leaveStation() { (pause, home, shortfall) = (nil, nil, nil) }

  /// Leaves out a standstill of the loop, in nanoseconds.
  mutating func bear(_ nanoseconds: Int64) {
    if let since = pause?.since { pause?.since = since.saturatingAdd(nanoseconds) }
  }
}

/// The sidecars of a loop's listeners, by connection slot.
final class Sidecars {
  /// Raw memory, since turns look there: a sidecar is neither counted nor checked for exclusive access. It is made and
  /// freed here alone.
  typealias Place = UnsafeMutablePointer<Sidecar>
  private var places: [UInt32: Place] = [:]

  deinit { for place in places.values { place.deinitialize(count: 1).deallocate() } }

  /// A listener's sidecar; nil when it has none. Valid until the next change.
  subscript(slot: UInt32) -> Place? { places[slot] }

  /// Changes a listener's sidecar, which comes with the first thing in it and goes with the last.
  func change(_ slot: UInt32, _ change: (inout Sidecar) -> Void) {
    if places[slot] != nil { return clear(slot, change) }
    var new = Sidecar()
    change(&new)
    if new.isEmpty { return }
    let place = Place.allocate(capacity: 1)
    place.initialize(to: new)
    places[slot] = place
  }

  /// Changes the sidecar of a listener that has one: for what only takes away.
  func clear(_ slot: UInt32, _ change: (inout Sidecar) -> Void) {
    guard let place = places[slot] else { return }
    change(&place.pointee)
    if place.pointee.isEmpty { remove(slot) }
  }

  /// Removes and returns all that is kept of a listener beside it; nil when nothing is.
  @discardableResult
  func remove(_ slot: UInt32) -> Sidecar? {
    guard let place = places.removeValue(forKey: slot) else { return nil }
    defer { place.deallocate() }
    return place.move()
  }

  /// Leaves out a standstill of the loop, in nanoseconds.
  func bear(_ nanoseconds: Int64) {
    for place in places.values { place.pointee.bear(nanoseconds) }
  }
}
