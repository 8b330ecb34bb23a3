/// A record of some listeners. An empty record says as much as none.
protocol SlotRecord {
  init()
  var isEmpty: Bool { get }
}

/// The records of one kind of a loop's listeners, by connection slot.
///
/// Raw memory, since turns look there: a record is neither counted nor checked for exclusive access. It is made and
/// freed here alone.
final class SlotRecords<Record: SlotRecord> {
  typealias Place = UnsafeMutablePointer<Record>
  private var places: [UInt32: Place] = [:]

  deinit { for place in places.values { place.deinitialize(count: 1).deallocate() } }

  /// A listener's record; nil when it has none. Valid until the next change.
  subscript(slot: UInt32) -> Place? { places[slot] }

  /// Changes a listener's record, which comes with the first thing in it and goes with the last.
  func change(_ slot: UInt32, _ change: (inout Record) -> Void) {
    if let place = places[slot] { return apply(place, slot, change) }
    var new = Record()
    change(&new)
    if new.isEmpty { return }
    let place = Place.allocate(capacity: 1)
    place.initialize(to: new)
    places[slot] = place
  }

  /// Changes the record of a listener that has one: for what only takes away.
  func clear(_ slot: UInt32, _ change: (inout Record) -> Void) {
    if let place = places[slot] { apply(place, slot, change) }
  }

  func changeAll(_ change: (inout Record) -> Void) {
    for place in places.values { change(&place.pointee) }
  }

  private func apply(_ place: Place, _ slot: UInt32, _ change: (inout Record) -> Void) {
    change(&place.pointee)
    if place.pointee.isEmpty { remove(slot) }
  }

  /// Removes and returns a listener's record; nil when there is none.
  @discardableResult
  func remove(_ slot: UInt32) -> Record? {
    guard let place = places.removeValue(forKey: slot) else { return nil }
    defer { place.deallocate() }
    return place.move()
  }
}
