/// One way to lay the arriving packets over the log's tail.
struct Alignment {
  /// The place in the tail that the first arriving packet has; negative where it is older than the tail.
  var shift: Int
  /// The first arriving packet that is equal.
  var first = 0
}

/// All ways in which the packets that arrive equal the log's tail so far, by their hashes.
///
/// An alignment is open until the arriving packets have reached the tail's end, and complete from then on. It costs a
/// step for each packet, so that audio that repeats itself without end is not compared without end.
struct Alignments {
  private let tail: [UInt32]
  private let runNeeded: Int
  /// The tail's last packet is like no other of it: what arrives and begins with the tail's end, however little of it,
  /// goes on from there if the clock agrees.
  private let endIsUnique: Bool

  /// Alignments looked at. In 20 s of silence behind two minutes of it there are 3.5 million.
  private(set) var steps = 0
  private static let stepsMax = 8_000_000

  /// Seconds of the first n arrived packets.
  private(set) var seconds: [Double] = [0]
  private var arrivals: [UInt32] = []
  private var variety: Variety
  private(set) var open: [Alignment] = []
  private(set) var complete: [Alignment] = []
  /// Proven ones that have ended inside the tail, and the arrived packets that are equal.
  private var broken: [(shift: Int, run: Range<Int>)] = []
  private static let brokenMax = 64
  /// Where a packet stands in the tail; empty while nobody has asked.
  private var places: [UInt32: [Int]] = [:]
  /// So many of the newest places are looked at, for each packet: a loop of 4 s has 30.
  private static let placesMax = 32
  private let seamMax: Double

  init(tail: [UInt32], settings: StitchSettings) {
    self.tail = tail
    variety = Variety(enough: settings.distinctMin)
    seamMax = settings.lateMax
    runNeeded = min(settings.runMin, tail.count)
    endIsUnique = tail.count { $0 == tail.last } == 1
  }

  // MARK: Packets arrive

  /// Packets.
  var arrived: Int { seconds.count - 1 }
  var arrivedSeconds: Double { seconds[arrived] }

  /// Nothing more is compared.
  var isExhausted: Bool { steps > Self.stepsMax }

  mutating func arrive(_ hash: UInt32, seconds length: Double) {
    let place = arrived
    let isCompared = !isExhausted && !tail.isEmpty
    if isCompared {
      for one in open where tail[one.shift + place] != hash && isProven(one) {
        if broken.count < Self.brokenMax { broken.append((one.shift, one.first..<place)) }
      }
    }
    seconds.append(arrivedSeconds + length)
    arrivals.append(hash)
    variety.arrive(hash)
    guard isCompared else { return open.removeAll() }
    steps += open.count + complete.count + (place == 0 ? tail.count : 1)
    open.removeAll { tail[$0.shift + place] != hash }
    if place == 0 {
      open = tail.indices.filter { tail[$0] == hash }.map { Alignment(shift: $0) }
    } else if tail[0] == hash {
      open.append(Alignment(shift: -place, first: place))
    }
    lookBack()
    let reached = open.filter { $0.shift + place == tail.count - 1 }
    guard !reached.isEmpty else { return }
    complete += reached
    open.removeAll { $0.shift + place == tail.count - 1 }
  }

  /// Finds what is equal behind something that is not: an upstream may begin with what it sends whoever connects.
  ///
  /// Behind a seam of the log as well. Silence may have been joined at another repetition than the right one: then it is
  /// longer in the log than where it comes from, or shorter.
  private mutating func lookBack() {
    let newest = arrived - runNeeded..<arrived
    // One packet over and over is everywhere.
    guard newest.lowerBound > 0, variety.isEnough(newest), !open.contains(where: isProven),
      !complete.contains(where: isProven)
    else { return }
    if places.isEmpty { places = Dictionary(grouping: tail.indices) { tail[$0] } }
    guard let candidates = places[arrivals[arrived - 1]]?.suffix(Self.placesMax) else { return }
    steps += candidates.count
    let known = Set(open.map(\.shift))
    for place in candidates where place + 1 >= runNeeded {
      let shift = place + 1 - arrived
      guard !known.contains(shift), tail[...place].suffix(runNeeded) == arrivals[newest] else {
        continue
      }
      open.append(Alignment(shift: shift, first: runBegin(shift, newest.lowerBound)))
    }
  }

  /// From which packet on all are equal up to `first`.
  private mutating func runBegin(_ shift: Int, _ first: Int) -> Int {
    var begin = first
    while begin > 0, shift + begin > 0, tail[shift + begin - 1] == arrivals[begin - 1] {
      begin -= 1
    }
    steps += first - begin
    return begin
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

  /// How many arrived packets are new in front of those that the log has.
  ///
  /// None, where those begin with the tail: what is older may be in the log as well.
  func front(of alignment: Alignment) -> Int {
    let (shift, first) = (alignment.shift, alignment.first)
    guard first > 0, shift + first > 0 else { return 0 }
    let before = broken.first { $0.run.lowerBound < first && isSeam($0, shift) }
    return before.map { front(of: Alignment(shift: $0.shift, first: $0.run.lowerBound)) } ?? first
  }

  /// Whether what was equal before is so for the same reason: a stretch is not played again at a distance shorter than
  /// itself, and no better is the clock that joined it.
  private func isSeam(_ before: (shift: Int, run: Range<Int>), _ shift: Int) -> Bool {
    let distance = Double(abs(shift - before.shift)) * packetSeconds
    return distance <= seamMax
      || distance < seconds[before.run.upperBound] - seconds[before.run.lowerBound]
  }

  /// Whether the log may have all that arrived.
  func hasAll(_ alignment: Alignment) -> Bool {
    guard front(of: alignment) == 0 else { return false }
    return isComplete(alignment)
      ? end(of: alignment) == arrived : alignment.shift >= 0 || isProven(alignment)
  }

  /// How much the log has of what arrived, of an alignment that is complete, seconds.
  func endSeconds(of alignment: Alignment) -> Double { seconds[end(of: alignment)] }

  /// How many packets are equal so far.
  private func run(of alignment: Alignment) -> Int {
    min(end(of: alignment), arrived) - alignment.first
  }

  private func isLong(_ alignment: Alignment) -> Bool { run(of: alignment) >= runNeeded }

  func isProven(_ alignment: Alignment) -> Bool {
    isLong(alignment)
      && variety.isEnough(alignment.first..<min(end(of: alignment), arrived))
  }

  /// What is equal is more than one packet over and over.
  func isVaried(_ alignment: Alignment) -> Bool {
    variety.isAny(alignment.first..<min(end(of: alignment), arrived))
  }

  /// How much of what arrived the log has for certain so far, seconds.
  func runSeconds(_ alignment: Alignment) -> Double {
    let end = min(end(of: alignment), arrived)
    return seconds[end] - seconds[alignment.first]
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
    guard end > arrived else { return seconds[end] - seconds[alignment.first] }
    return Double(end - alignment.first) * packetSeconds
  }
}
