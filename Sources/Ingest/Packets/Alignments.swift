/// One way of laying the arriving packets over the log's tail.
struct Alignment {
  /// The index in the tail of the first arriving packet; negative if that packet is older than the tail.
  var shift: Int
  /// The index of the first arriving packet that is equal.
  var first = 0
}

/// All ways in which the arriving packets equal the log's tail so far, compared by hashes.
///
/// An alignment is open until the arriving packets have reached the tail's end, and complete from then on. Each
/// alignment costs a step per packet; the steps are limited, so that endlessly repeating audio is not compared
/// endlessly.
struct Alignments {
  private let tail: [UInt32]
  private let runNeeded: Int
  /// Whether the tail's last packet is like no other of the tail. Arriving packets that begin with the tail's end,
  /// however short, then go on from there if the clock agrees.
  private let endIsUnique: Bool

  /// The number of alignments looked at. 20 s of silence behind two minutes of silence cost 3.5 million.
  private(set) var steps = 0
  private static let stepsMax = 8_000_000

  /// The seconds of the first n arrived packets.
  private(set) var seconds: [Double] = [0]
  private var arrivals: [UInt32] = []
  private var variety: Variety
  private(set) var open: [Alignment] = []
  private(set) var complete: [Alignment] = []
  /// Proven alignments that ended inside the tail, with the arrived packets that are equal.
  private var broken: [(shift: Int, run: Range<Int>)] = []
  private static let brokenMax = 64
  /// The indices of each packet in the tail; empty until the first search.
  private var places: [UInt32: [Int]] = [:]
  /// The most indices, the newest, that are tried for each packet: a loop of 4 s has 30.
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

  /// The number of arrived packets.
  var arrived: Int { seconds.count - 1 }
  var arrivedSeconds: Double { seconds[arrived] }

  /// Whether the limit of steps is reached: nothing more is compared.
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

  /// Finds equal packets behind differing ones: an upstream may begin with an announcement for new connections.
  ///
  /// Also finds them behind a seam of the log. Silence may have been joined at a wrong repetition; it is then longer or
  /// shorter in the log than at its source.
  private mutating func lookBack() {
    let newest = arrived - runNeeded..<arrived
    // One packet repeated over and over is everywhere.
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

  /// The index of the packet from which on all are equal up to `first`.
  private mutating func runBegin(_ shift: Int, _ first: Int) -> Int {
    var begin = first
    while begin > 0, shift + begin > 0, tail[shift + begin - 1] == arrivals[begin - 1] {
      begin -= 1
    }
    steps += first - begin
    return begin
  }

  // MARK: What there is

  /// Whether nothing equals the tail, and nothing did up to the tail's end.
  var isEmpty: Bool { open.isEmpty && complete.isEmpty }

  /// Alignments that reached the tail's end and may be right.
  var runs: [Alignment] { endIsUnique ? complete : complete.filter(isLong) }

  /// Whether more than one alignment may be right.
  var areSeveral: Bool { open.count + runs.count > 1 }

  /// Open alignments that are more than chance.
  var provenOpen: [Alignment] { open.filter(isProven) }
  var provenComplete: [Alignment] { complete.filter(isProven) }
  var proven: [Alignment] { provenComplete + provenOpen }

  /// The tail's length in seconds, if its packets are as long as the arriving ones.
  var tailSeconds: Double { Double(tail.count) * packetSeconds }

  private var packetSeconds: Double { arrivedSeconds / Double(max(1, arrived)) }

  // MARK: One of them

  /// The number of arrived packets that the log has, if the alignment is right.
  func end(of alignment: Alignment) -> Int { tail.count - alignment.shift }

  func isComplete(_ alignment: Alignment) -> Bool { end(of: alignment) <= arrived }

  /// The number of arrived packets that are new, in front of those that the log has.
  ///
  /// Zero if the equal packets begin with the tail: the log may have the older ones as well.
  func front(of alignment: Alignment) -> Int {
    let (shift, first) = (alignment.shift, alignment.first)
    guard first > 0, shift + first > 0 else { return 0 }
    let before = broken.first { $0.run.lowerBound < first && isSeam($0, shift) }
    return before.map { front(of: Alignment(shift: $0.shift, first: $0.run.lowerBound)) } ?? first
  }

  /// Whether the earlier match was the same repetition, over a seam of the log.
  ///
  /// A stretch does not repeat within its own length. Audio joined by the clock may be off by `seamMax`.
  private func isSeam(_ before: (shift: Int, run: Range<Int>), _ shift: Int) -> Bool {
    let distance = Double(abs(shift - before.shift)) * packetSeconds
    return distance <= seamMax
      || distance < seconds[before.run.upperBound] - seconds[before.run.lowerBound]
  }

  /// Whether the log may have everything that arrived.
  func hasAll(_ alignment: Alignment) -> Bool {
    guard front(of: alignment) == 0 else { return false }
    return isComplete(alignment)
      ? end(of: alignment) == arrived : alignment.shift >= 0 || isProven(alignment)
  }

  /// The seconds of arrived audio that the log has, for a complete alignment.
  func endSeconds(of alignment: Alignment) -> Double { seconds[end(of: alignment)] }

  /// The number of equal packets so far.
  private func run(of alignment: Alignment) -> Int {
    min(end(of: alignment), arrived) - alignment.first
  }

  private func isLong(_ alignment: Alignment) -> Bool { run(of: alignment) >= runNeeded }

  func isProven(_ alignment: Alignment) -> Bool {
    isLong(alignment)
      && variety.isEnough(alignment.first..<min(end(of: alignment), arrived))
  }

  /// Whether the equal packets are more than one packet over and over.
  func isVaried(_ alignment: Alignment) -> Bool {
    variety.isAny(alignment.first..<min(end(of: alignment), arrived))
  }

  /// The seconds of arrived audio that are certainly in the log so far.
  func runSeconds(_ alignment: Alignment) -> Double {
    let end = min(end(of: alignment), arrived)
    return seconds[end] - seconds[alignment.first]
  }

  /// The seconds of arrived audio that are new; negative for an alignment that has not reached the tail's end.
  func newSeconds(_ alignment: Alignment) -> Double {
    let end = end(of: alignment)
    if end <= arrived { return arrivedSeconds - seconds[end] }
    return -Double(end - arrived) * packetSeconds
  }

  /// The seconds of arriving audio that the log has, if the alignment is right.
  func overlapSeconds(_ alignment: Alignment) -> Double {
    let end = end(of: alignment)
    guard end > arrived else { return seconds[end] - seconds[alignment.first] }
    return Double(end - alignment.first) * packetSeconds
  }
}
