/// Waiting elements, removed in turn from each key, so that a key with many elements delays no other key.
struct FairQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  private var queues: [Key: FIFO<Element>] = [:]
  /// The keys with waiting elements, the next one first.
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

  /// Removes the last element of the key with the most elements, if that key has more than one.
  mutating func popLastOfGreediest() -> Element? {
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
  private var first = 0

  public init() {}

  public var count: Int { elements.count - first }

  public mutating func append(_ element: Element) { elements.append(element) }

  public mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first]
    elements[first] = nil
    first += 1
    // Shifts the elements down once as many are gone as are left.
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

  /// Removes all elements that `isOut` accepts; visits every element.
  public mutating func removeAll(where isOut: (Element) -> Bool) {
    elements.removeFirst(first)
    first = 0
    elements.removeAll { $0.map(isOut) ?? true }
  }
}
