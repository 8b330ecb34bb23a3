/// One way to lay the arriving packets over the log's tail.
struct Alignment {
  /// The place in the tail that the first arriving packet has; negative where it is older than the tail.
  var shift: Int
}

/// All ways in which the packets that arrive equal the log's tail so far, by their hashes.
///
/// An alignment is open until the arriving packets have reached the tail's end, and complete from then on. It costs a
/// step for each packet, so that audio that repeats itself without end is not compared without end.
struct Alignments {
  private let tail: [UInt32]
  /// Of the first n packets of the tail, up to `distinctMin`.
  private let tailDistinct: [Int]
  private let distinctMin: Int
  private let runNeeded: Int
  /// The tail's last packet is like no other of it: what arrives and begins with the tail's end, however little of it,
  /// goes on from there if the clock agrees.
  private let endIsUnique: Bool

  /// Alignments looked at. In 20 s of silence behind two minutes of it there are 3.5 million.
  private(set) var steps = 0
  private static let stepsMax = 8_000_000

  /// Seconds of the first n arrived packets.
  private(set) var seconds: [Double] = [0]
  /// Of the first n arrived packets, up to `distinctMin`.
  private var distinct: [Int] = [0]
  private var seen: Set<UInt32> = []
  private(set) var open: [Alignment] = []
  private(set) var complete: [Alignment] = []

  init(tail: [UInt32], settings: StitchSettings) {
    self.tail = tail
    distinctMin = settings.distinctMin
    tailDistinct = Self.countDistinct(tail, upTo: settings.distinctMin)
    runNeeded = min(settings.runMin, tail.count)
    endIsUnique = tail.count { $0 == tail.last } == 1
  }

  private static func countDistinct(_ hashes: [UInt32], upTo limit: Int) -> [Int] {
    var seen: Set<UInt32> = []
    var counts = [0]
    counts.reserveCapacity(hashes.count + 1)
    for hash in hashes {
      if seen.count < limit { seen.insert(hash) }
      counts.append(seen.count)
    }
    return counts
  }

  // MARK: Packets arrive

  /// Packets.
  var arrived: Int { seconds.count - 1 }
  var arrivedSeconds: Double { seconds[arrived] }

  /// Nothing more is compared.
  var isExhausted: Bool { steps > Self.stepsMax }

  mutating func arrive(_ hash: UInt32, seconds length: Double) {
    let place = arrived
    if seen.count < distinctMin { seen.insert(hash) }
    seconds.append(arrivedSeconds + length)
    distinct.append(seen.count)
    guard !isExhausted, !tail.isEmpty else { return open.removeAll() }
    steps += open.count + complete.count + (place == 0 ? tail.count : 1)
    open.removeAll { tail[$0.shift + place] != hash }
    if place == 0 {
      open = tail.indices.filter { tail[$0] == hash }.map { Alignment(shift: $0) }
    } else if tail[0] == hash {
      open.append(Alignment(shift: -place))
    }
    let reached = open.filter { $0.shift + place == tail.count - 1 }
    guard !reached.isEmpty else { return }
    complete += reached
    open.removeAll { $0.shift + place == tail.count - 1 }
  }

  // MARK: What there is

  /// Nothing is equal to the tail, nor was up to its end.
  var isEmpty: Bool { open.isEmpty && complete.isEmpty }

  /// Those that have come to the tail's end and may be right.
  var runs: [Alignment] { endIsUnique ? complete : complete.filter(isLong) }

  /// Whether more than one may be right.
  var areSeveral: Bool { open.count + runs.count > 1 }

  /// Those that are more than chance.
  var provenOpen: [Alignment] { open.filter(isProven) }
  var provenComplete: [Alignment] { complete.filter(isProven) }
  var proven: [Alignment] { provenComplete + provenOpen }

  /// The tail's length if its packets are as long as those that arrive, seconds.
  var tailSeconds: Double { Double(tail.count) * packetSeconds }

  private var packetSeconds: Double { arrivedSeconds / Double(max(1, arrived)) }

  // MARK: One of them

  /// How many arrived packets the log has, when the alignment is right.
  func end(of alignment: Alignment) -> Int { tail.count - alignment.shift }

  func isComplete(_ alignment: Alignment) -> Bool { end(of: alignment) <= arrived }

  /// How much the log has of what arrived, of an alignment that is complete, seconds.
  func endSeconds(of alignment: Alignment) -> Double { seconds[end(of: alignment)] }

  /// How many packets are equal so far, and how many of them differ from each other.
  func run(of alignment: Alignment) -> (count: Int, distinct: Int) {
    let first = max(0, alignment.shift)
    let count = min(tail.count, alignment.shift + arrived) - first
    return (count, alignment.shift >= 0 ? distinct[count] : tailDistinct[count])
  }

  private func isLong(_ alignment: Alignment) -> Bool { run(of: alignment).count >= runNeeded }

  func isProven(_ alignment: Alignment) -> Bool {
    let run = run(of: alignment)
    return run.count >= runNeeded && run.distinct >= distinctMin
  }

  /// How much of what arrived the log has for certain so far, seconds.
  func runSeconds(_ alignment: Alignment) -> Double {
    let end = min(end(of: alignment), arrived)
    return seconds[end] - seconds[min(max(0, -alignment.shift), end)]
  }

  /// How much of what arrived is new; negative for an alignment that has not come to the tail's end.
  func newSeconds(_ alignment: Alignment) -> Double {
    let end = end(of: alignment)
    if end <= arrived { return arrivedSeconds - seconds[end] }
    return -Double(end - arrived) * packetSeconds
  }

  /// How much of what arrives the log has, when the alignment is right.
  func overlapSeconds(_ alignment: Alignment) -> Double {
    let end = end(of: alignment)
    // What is older than the tail cannot be compared.
    let first = max(0, -alignment.shift)
    guard end > arrived else { return seconds[end] - seconds[min(first, end)] }
    return Double(end - first) * packetSeconds
  }
}
