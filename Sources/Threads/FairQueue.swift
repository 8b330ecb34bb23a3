/// Waiting elements, removed in turn from each key, so that a key with many elements delays no other key.
public struct FairQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  private var queues: [Key: FIFO<Element>] = [:]
  /// The keys with waiting elements, the next one first.
  private var turns = FIFO<Key>()
  public private(set) var count = 0

  public init() {}

  public func count(of key: Key) -> Int { queues[key]?.count ?? 0 }

  public mutating func append(_ element: Element, of key: Key) {
    if queues[key] == nil { turns.append(key) }
    queues[key, default: FIFO()].append(element)
    count += 1
  }

  /// Removes the first element that is ready of the first key that has one; other keys keep their turns.
  public mutating func popFirst(where isReady: (Element) -> Bool = { _ in true }) -> Element? {
    var passed = FIFO<Key>()
    defer { turns.prepend(passed) }
    while let key = turns.popFirst() {
      guard let element = queues[key]?.popFirst(where: isReady) else {
        passed.append(key)
        continue
      }
      if queues[key]?.count == 0 { queues[key] = nil } else { turns.append(key) }
      count -= 1
      return element
    }
    return nil
  }

  /// Removes the last element of the key with the most elements, if that key has more than one.
  public mutating func popLastOfGreediest() -> Element? {
    guard let greediest = queues.max(by: { $0.value.count < $1.value.count }),
      greediest.value.count > 1
    else { return nil }
    count -= 1
    return queues[greediest.key]?.popLast()
  }
}

/// First in, first out; adding and removing take constant time.
public struct FIFO<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  /// Where the first element is.
  private var start = 0

  public init() {}

  public var count: Int { elements.count - start }

  public var first: Element? { start < elements.count ? elements[start] : nil }

  public mutating func append(_ element: Element) { elements.append(element) }

  /// Puts an element behind the last one that `isEarlier` than it, mostly at the end.
  public mutating func insert(_ element: Element, behind isEarlier: (Element) -> Bool) {
    var place = elements.count
    while place > start, let other = elements[place - 1], !isEarlier(other) { place -= 1 }
    elements.insert(element, at: place)
  }

  public mutating func popFirst() -> Element? {
    guard start < elements.count else { return nil }
    let element = elements[start]
    elements[start] = nil
    start += 1
    // Shifts the elements down once as many are gone as are left.
    if start >= 16, start * 2 >= elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }

  /// Removes the first element that `isWanted` accepts; visits those before it.
  mutating func popFirst(where isWanted: (Element) -> Bool) -> Element? {
    guard let place = elements[start...].firstIndex(where: { $0.map(isWanted) ?? false }) else {
      return nil
    }
    return place == start ? popFirst() : elements.remove(at: place)
  }

  /// Puts all elements of another queue in front of its own.
  mutating func prepend(_ others: FIFO) {
    if others.count == 0 { return }
    elements.replaceSubrange(..<start, with: others.elements[others.start...])
    start = 0
  }

  mutating func popLast() -> Element? {
    guard start < elements.count else { return nil }
    return elements.removeLast()
  }

  /// Removes all elements that `isOut` accepts; visits every element.
  public mutating func removeAll(where isOut: (Element) -> Bool) {
    elements.removeFirst(start)
    start = 0
    elements.removeAll { $0.map(isOut) ?? true }
  }
}
