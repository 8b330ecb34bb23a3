/// What waits, by who brought it: each in turn gives one, so that nobody who brings many keeps others waiting.
struct FairQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  private var queues: [Key: FIFO<Element>] = [:]
  /// Those of whom something waits, whose turn is next first.
  private var turns = FIFO<Key>()
  private(set) var count = 0

  func count(of key: Key) -> Int { queues[key]?.count ?? 0 }

  mutating func append(_ element: Element, of key: Key) {
    if queues[key] == nil { turns.append(key) }
    queues[key, default: FIFO()].append(element)
    count += 1
  }

  mutating func popFirst() -> Element? {
    guard let key = turns.popFirst(), let element = queues[key]?.popFirst() else { return nil }
    if queues[key]?.count == 0 { queues[key] = nil } else { turns.append(key) }
    count -= 1
    return element
  }

  /// Takes away the last one of whoever has most waiting, if that is more than one.
  mutating func popLastOfGreediest() -> Element? {
    guard let greediest = queues.max(by: { $0.value.count < $1.value.count }),
      greediest.value.count > 1
    else { return nil }
    count -= 1
    return queues[greediest.key]?.popLast()
  }
}

/// First in, first out, each in constant time.
public struct FIFO<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var first = 0

  public init() {}

  public var count: Int { elements.count - first }

  public mutating func append(_ element: Element) { elements.append(element) }

  public mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first]
    elements[first] = nil
    first += 1
    // Moved down when as many are gone as are left.
    if first >= 16, first * 2 >= elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }

  mutating func popLast() -> Element? {
    guard first < elements.count else { return nil }
    return elements.removeLast()
  }

  /// Looks at all of them.
  public mutating func removeAll(where isOut: (Element) -> Bool) {
    elements.removeFirst(first)
    first = 0
    elements.removeAll { $0.map(isOut) ?? true }
  }
}
