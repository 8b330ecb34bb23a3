/// The deadlines of many keys: a binary heap in which moved and cancelled entries stay until they come to the top.
package struct Deadlines<Key: Hashable> {
  private struct Entry {
    var deadline: Int64
    var serial: UInt64
    var key: Key
  }

  private var heap: [Entry] = []
  /// The serial of the valid entry of each key; any other entry in the heap is stale.
  private var current: [Key: UInt64] = [:]
  private var serial: UInt64 = 0

  package init() {}

  /// The number of keys that have a deadline.
  package var count: Int { current.count }

  package mutating func set(_ key: Key, deadline: Int64) {
    serial += 1
    current[key] = serial
    heap.append(Entry(deadline: deadline, serial: serial, key: key))
    siftUp(heap.count - 1)
    // Timers that are moved at every byte (stall timers) leave stale entries; sweep them before they outnumber the
    // valid ones.
    if heap.count > 64 + 2 * current.count { sweep() }
  }

  package mutating func cancel(_ key: Key) {
    current[key] = nil
  }

  mutating func cancelAll(where isMeant: (Key) -> Bool) {
    current = current.filter { !isMeant($0.key) }
  }

  /// Returns the earliest deadline; nil when no key has one.
  mutating func earliest() -> Int64? {
    while let first = heap.first {
      if current[first.key] == first.serial { return first.deadline }
      removeFirst()
    }
    return nil
  }

  /// Removes and returns the earliest key that is due at `now`; nil when none is due.
  package mutating func popDue(now: Int64) -> Key? {
    guard let deadline = earliest(), deadline <= now else { return nil }
    let key = heap[0].key
    removeFirst()
    current[key] = nil
    return key
  }

  private mutating func sweep() {
    heap.removeAll { current[$0.key] != $0.serial }
    heap.sort { $0.deadline < $1.deadline }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown(0)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      if heap[parent].deadline <= heap[child].deadline { return }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].deadline < heap[least].deadline {
        least = child
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
