import TestSupport
import Wire

@testable import Timeshift

/// A rendition as a list of its packets, with what of its original is heard in each: the plain way to find its pieces.
struct RenditionModel {
  struct Packet {
    var position: UInt64
    /// In the rendition's media time.
    var media: MediaTime
    var end: MediaTime
    /// In the original's media time.
    var start: MediaTime
    var until: MediaTime
    /// Packets of a run were encoded without a seam.
    var run: Int
    /// Whose audio of the original it was made from, at its beginning and at its end.
    var process: (start: Int, end: Int)
    /// Tells packets apart that had the same position.
    var serial: Int
    /// Whether its programme time can be written.
    var isNamed: Bool
  }

  /// Which process of the original wrote the audio from a media time on.
  struct Processes {
    var starts: [(media: MediaTime, number: Int)] = []

    func number(at media: MediaTime) -> Int {
      (starts.last { $0.media <= media } ?? starts[0]).number
    }

    func next(after media: MediaTime) -> MediaTime {
      starts.first { $0.media > media }?.media ?? .max
    }
  }

  struct Run {
    /// Packets of audio that the original still has.
    var packets: [Packet]
    /// The original's media time up to which the run has been made.
    var reached: MediaTime
  }

  var packets: [Packet] = []
  var processes = Processes()

  func runs() -> [Run] {
    var runs: [Run] = []
    var run = Int.min
    var isLost = false
    for packet in packets where packet.isNamed {
      if packet.run != run {
        (run, isLost) = (packet.run, false)
        runs.append(Run(packets: [], reached: .zero))
      }
      isLost = isLost || processes.number(at: packet.start) != packet.process.start
      if isLost { continue }
      runs[runs.count - 1].packets.append(packet)
      let isSame = processes.number(at: packet.until - .flick) == packet.process.end
      runs[runs.count - 1].reached =
        isSame ? packet.until : min(packet.until, processes.next(after: packet.start))
    }
    return runs.filter { !$0.packets.isEmpty }
  }

  /// Packets of MP3 are shorter.
  private static let packetMax = MediaTime(seconds: 0.08)

  /// The packets of a piece; none where it is a gap.
  func packets(of piece: Piece, _ runs: [Run]) -> [Packet] {
    guard let last = runs.firstIndex(where: { $0.reached >= piece.end }) else { return [] }
    var first = last
    while first > 0, !Self.begins(runs[first], by: piece.start),
      Self.isJoined(runs[first - 1], runs[first])
    {
      first -= 1
    }
    guard Self.begins(runs[first], by: piece.start) else { return [] }
    let (begin, end) = (runs[first].packets[0], runs[last].packets[0])
    let border = piece.start - (begin.start - begin.media)
    let until = begin.media + (runs[first].reached - begin.start)
    let start = max(begin.media, min(border, until))
    let stop = piece.end - (end.start - end.media)
    guard stop - start >= Self.packetMax else { return [] }
    return runs[first...last].flatMap(\.packets).filter { $0.media >= start && $0.media < stop }
  }

  private static func begins(_ run: Run, by start: MediaTime) -> Bool {
    let first = run.packets[0]
    return first.start <= start || first.start - (first.until - first.start) < start
  }

  /// Whether a run goes on where another ended, in the log as in the original.
  private static func isJoined(_ run: Run, _ next: Run) -> Bool {
    let (last, first) = (run.packets[run.packets.count - 1], next.packets[0])
    return run.reached == last.until && last.end == first.media
      && first.start - last.until <= packetMax
      && last.until - first.start <= MediaTime(seconds: 0.3)
  }
}
