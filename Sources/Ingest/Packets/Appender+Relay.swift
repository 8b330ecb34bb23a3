import Timeshift
import Wire

extension PacketLog {
  /// The header line that tells an upstream which log asks for its audio.
  var viaLine: String { "\(RelayField.via): \(id)" }
}

// How an upstream that is a relay goes on: its log and the packets' positions in it are known.
extension Appender {
  /// The newest packets that are asked for again, to confirm positions: this many at least, and these seconds.
  private static let confirmingPackets = 8
  private static let confirmingSeconds = 2.0

  /// The known part of the log of the relay that the newest packets come from; nil if they come from none.
  var resume: RelayResume? {
    guard let (place, bytes) = station.origin else { return nil }
    var first = place.position
    var (count, seconds) = (0, 0.0)
    for entry in tail.newest(within: bytes).reversed() {
      if count >= Self.confirmingPackets, seconds >= Self.confirmingSeconds { break }
      (count, seconds) = (count + 1, seconds + entry.seconds)
      first -= UInt64(entry.bytes)
    }
    return RelayResume(log: place.log, known: first..<place.position)
  }

  /// The header lines that tell a relay who asks, and what this log has of its log.
  var relayHeaders: [String] {
    [log.viaLine] + (resume.map { ["\(RelayField.resume): \($0.text)"] } ?? [])
  }

  /// Notes what an upstream's audio comes through. True for a loop: it comes through this log.
  func isLoop(_ relay: RelayHead?) -> Bool {
    let via = relay.map { $0.via.isEmpty ? [$0.place.log] : $0.via } ?? []
    if via.contains(log.id) { return true }
    log.via = via
    return false
  }

  /// - Parameter place: of the connection's first packet.
  func makeJoint(from place: RelayPlace?) -> RelayJoint? {
    guard let place, let (end, bytes) = station.origin, end.log == place.log,
      !connection.isBehindFile
    else {
      forgetGaps(upTo: place)
      return nil
    }
    return RelayJoint(
      tail: tail.newest(within: bytes), end: end.position, first: place.position)
  }

  /// Settles by positions what becomes of the held packets. False: what is sent again must be looked for.
  func settleJoint(isFinal: Bool, at now: Moment) -> Bool {
    guard let joint, case .stitching(let stitcher) = intake else { return false }
    switch joint.verdict {
    case .hold: return !isFinal
    case .joined(let drop): goOn(behind: drop, at: now)
    case .ahead:
      // Wrong positions would show: what comes would be in the log.
      if stitcher.hasAlignment { return false }
      if !isFinal, held.packets.count < Self.confirmingPackets { return true }
      goOn(behind: 0, lost: connection.lost ?? stitcher.secondsLost(at: now.sinceBoot), at: now)
    case .parted(let drop, let surplus):
      guard let gap = connection.gaps.first(where: { $0.position == joint.next }),
        gap.seconds > surplus
      else {
        part(behind: drop, at: now)
        return false
      }
      connection.gaps.removeAll { $0.position <= joint.next }
      goOn(behind: drop, lost: gap.seconds - surplus, at: now)
    case .useless:
      giveUpJoint()
      return false
    }
    (tooShort, before) = (0, stitcher.begins)
    return true
  }

  /// From now on packets tell where they belong, and not their positions.
  private func giveUpJoint() {
    joint = nil
    forgetGaps(upTo: held.packets.first?.place)
  }

  /// Forgets told gaps up to the first packet: what is missing in front of it is found otherwise.
  private func forgetGaps(upTo place: RelayPlace?) {
    guard let place else { return }
    connection.gaps.removeAll { $0.position <= place.position }
  }

  /// Drops the first `drop` packets, which the log has, and looks for where the others belong.
  private func part(behind drop: Int, at now: Moment) {
    dropKnown(0..<drop)
    held.renumber()
    giveUpJoint()
    guard let first = held.packets.first,
      var stitcher = makeStitcher(for: first.format, from: connection.url)
    else { return }
    for packet in held.packets {
      stitcher.arrive(packet.hash, seconds: packet.seconds, at: now.sinceBoot)
    }
    intake = .stitching(stitcher)
  }

  /// Marks the gaps that the upstream has told in front of the packet at `place`.
  func tellGaps(upTo place: RelayPlace?) {
    guard !connection.gaps.isEmpty, let place else { return }
    while let gap = connection.gaps.first, gap.position <= place.position {
      connection.gaps.removeFirst()
      if gap.position == place.position { markGap(seconds: gap.seconds) }
    }
  }

  /// Appends what has arrived behind the first `drop` packets. `lost` seconds are missing in front of it, besides the
  /// gaps that the upstream has told.
  private func goOn(behind drop: Int, lost: Double? = nil, at now: Moment) {
    let away = tail.away(at: now.sinceBoot)
    dropKnown(0..<drop)
    if let lost {
      forgetGaps(upTo: held.packets[0].place)
      markGap(seconds: lost)
    }
    let first = held.packets[0].place?.position ?? 0
    let missing = connection.gaps.reduce(lost ?? 0) {
      $0 + ($1.position >= first ? $1.seconds : 0)
    }
    report(
      .reconnected(
        Reconnection(stitchedSeconds: max(0, away - missing), lostSeconds: missing)))
    if missing > 0 { tail.restartPace() }
    flush(at: now)
  }
}
