/// Ascending positions in raw memory, so that a look-up needs no retain and no exclusivity check.
final class PositionTable {
  private var base: UnsafeMutablePointer<UInt64>
  private var capacity: Int
  private var count = 0

  init() {
    capacity = 16
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  func fill<Mark>(from marks: [Mark], _ position: (Mark) -> UInt64) {
    if marks.count > capacity {
      base.deallocate()
      capacity = marks.count * 2
      base = .allocate(capacity: capacity)
    }
    count = marks.count
    for index in 0..<count { base[index] = position(marks[index]) }
  }

  /// The last position at or before `position`; `.max` if there is none.
  func atOrBefore(_ position: UInt64) -> UInt64 {
    if count > 0 && base[count - 1] <= position { return base[count - 1] }
    let index = firstIndex(after: position)
    return index == 0 ? .max : base[index - 1]
  }

  /// The first position beyond `position`; `.max` if there is none.
  func after(_ position: UInt64) -> UInt64 {
    let index = firstIndex(after: position)
    return index == count ? .max : base[index]
  }

  private func firstIndex(after position: UInt64) -> Int {
    if count == 0 || base[count - 1] <= position { return count }
    var low = 0
    var high = count - 1
    while low < high {
      let middle = (low + high) / 2
      if base[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
