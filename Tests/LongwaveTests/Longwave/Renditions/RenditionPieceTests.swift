import Audio
import Glibc
import TestSupport
import Testing
import Wire

@testable import Longwave
@testable import Timeshift

/// Pieces of real renditions beside those of their original.
@Suite struct RenditionPieceTests {
  private static let rate = 48_000
  /// Seconds at which tones begin: no two distances in a row are alike.
  private static let onsets = (0..<60).map { (number: Int) -> Double in
    let even = 0.5 + 1.7 * Double(number)
    return even + 0.2 * Double(number % 3)
  }

  private static func packets(seconds: Int) throws -> [[UInt8]] {
    var samples = [Int16](repeating: 0, count: seconds * rate * 2)
    for onset in onsets {
      let first = Int(onset * Double(rate))
      for index in 0..<rate / 5 where first + index < seconds * rate {
        let turns: Double = 1000 * Double(index) / Double(rate)
        let value = Int16(14_000 * sin(2 * Double.pi * turns))
        samples[2 * (first + index)] = value
        samples[2 * (first + index) + 1] = value
      }
    }
    let encoder = try LameEncoder(sampleRate: rate, channels: 2, bitrate: 128)
    let bytes = try encoder.encode(samples) + encoder.finish()
    return stride(from: 0, to: bytes.count - 383, by: 384).map { Array(bytes[$0..<$0 + 384]) }
  }

  /// An original whose audio was on air up to now.
  private final class Original {
    let disk: LogOnDisk
    private let writer: LogWriter
    private let packets: [[UInt8]]
    private var next = 0
    private var base: Moment

    init(_ packets: [[UInt8]], seconds: Double) throws {
      disk = try LogOnDisk()
      writer = disk.log.onlyWriter()
      self.packets = packets
      base = .now().adding(seconds: -seconds)
    }

    func gap(seconds: Double) {
      writer.markGap(seconds: seconds, cause: .upstreamAway)
      base = base.adding(seconds: seconds)
    }

    func play(to seconds: Double) {
      let format = AudioFormat(codec: .mp3, sampleRate: rate, channels: 2)
      while writer.edge.media.seconds < seconds, next < packets.count {
        // Each comes at another place of its cell.
        if next % 281 == 100 { writer.markTitle(Title(text: "\(next)")) }
        let packet = packets[next]
        writer.append(packet.span, samples: 1152, format: format)
        next += 1
        if next % 10 == 0 { publish() }
      }
      publish()
    }

    private func publish() {
      writer.publish(at: base.adding(seconds: writer.edge.media.seconds))
      disk.turn()
    }

    func end() { writer.end() }
  }

  /// Lets the job do what can be done now; what it reads may come from the disk.
  private func run(_ job: RenditionJob, _ disk: LogOnDisk, _ original: LogOnDisk) {
    var idle = 0
    while idle < 100 {
      let now = MonotonicTime.now()
      idle = job.run(at: now) == now ? 0 : idle + 1
      disk.turn()
      original.turn()
    }
  }

  private func bytes(_ piece: Piece, _ disk: LogOnDisk) throws -> (bytes: [UInt8], clip: Clip) {
    let reader = LogReader(disk.log)
    for _ in 0..<100 {
      switch reader.clip(of: piece) {
      case .clip(let clip):
        let bytes = reader.collect(clip.start.position..<clip.end.position) { disk.turn() }
        return (try #require(bytes), clip)
      case .loading: disk.turn()
      case .nothing: Issue.record("\(piece) is not there")
      }
      reader.refresh()
    }
    Issue.record("\(piece) never comes")
    return try #require(nil)
  }

  /// Programme times at which tones begin in pieces that follow each other.
  private func heard(_ pieces: [Piece], _ disk: LogOnDisk) throws -> [Double] {
    let parts = try pieces.map { try bytes($0, disk) }
    let first = try #require(parts.first).clip
    let begin = pieces[0].programme(at: first.start.media).seconds
    let decoded = try Fixtures.ffmpegDecode(parts.flatMap(\.bytes), format: "mp3").samples
    let left = first.format.channels == 2 ? Signals.channel(0, of: decoded) : decoded
    let rate = first.format.sampleRate
    var found: [Double] = []
    var quiet = 0
    for (index, sample) in left.enumerated() {
      if abs(Int(sample)) < 4000 {
        quiet += 1
        continue
      }
      if quiet > rate / 2 { found.append(begin + Double(index) / Double(rate)) }
      quiet = 0
    }
    return found
  }

  private func same(_ piece: Piece) -> Piece {
    var piece = piece
    (piece.key, piece.start, piece.end) = (PieceKey(life: 0, seconds: 6), .zero, .zero)
    (piece.isGap, piece.codec) = (false, nil)
    (piece.missing, piece.seams) = (.zero, [])
    return piece
  }

  @Test(arguments: [20.0, 60])
  func `renditions have their original's list, and are heard at its times`(burst: Double) throws {
    let original = try Original(try Self.packets(seconds: 90), seconds: 45)
    original.play(to: 45)
    var encodings = [PCMEncoding(), PCMEncoding()]
    encodings[0].bitrate = 64
    (encodings[1].bitrate, encodings[1].sampleRate, encodings[1].isMono) = (32, 22_050, true)
    let renditions = try encodings.map { _ in try LogOnDisk() }
    let jobs = zip(encodings, renditions).map { encoding, disk in
      RenditionJob(
        RenditionJob.Source(
          station: "made", original: "jazz", originalLog: original.disk.log, log: disk.log,
          encoding: encoding, burst: burst),
        makeDecoder: PacketDecoder.make, tell: { _ in })
    }
    for (job, disk) in zip(jobs, renditions) { run(job, disk, original.disk) }
    original.gap(seconds: 7)
    original.play(to: 88)
    for (job, disk) in zip(jobs, renditions) { run(job, disk, original.disk) }
    for (job, disk) in zip(jobs, renditions) {
      job.end()
      run(job, disk, original.disk)
    }

    let cells = Cells(original.disk.log, at: .now())
    let list = cells.list()
    #expect(list.pieces.count > 16 && list.titles.count > 6)
    let there = try heard(list.pieces.filter { $0.start >= MediaTime(seconds: 45) }, original.disk)
    #expect(there.count > 15)
    var lists: [CellList] = []
    for disk in renditions {
      let own = Cells(disk.log, at: .now())
      let here = own.list(like: list, of: cells)
      lists.append(here)
      #expect(here.titles == list.titles)
      #expect(here.pieces.map(same) == list.pieces.map(same))
      let begin = MediaTime(seconds: max(0, 45 - burst))
      for (piece, found) in zip(list.pieces, here.pieces) {
        // Where the rendition begins is no border of a cell.
        #expect(found.isGap == (piece.start < begin), "\(piece)\n\(found)")
        let answer = own.piece(found.key, cell: found.cell, part: found.part, like: cells)
        #expect(answer == (found.isGap ? .gone : .piece(found)))
      }
      // Behind the gap, and in front of it: the encoder begins anew there.
      let made = zip(list.pieces, here.pieces).filter { !$0.1.isGap }
      for isBehind in [false, true] {
        let pieces = made.filter { ($0.0.start >= MediaTime(seconds: 45)) == isBehind }
        let parts = try pieces.map { try bytes($0.1, disk) }
        let range = try #require(parts.first).clip.start.position..<parts.last!.clip.end.position
        let whole = try #require(disk.collect(range))
        #expect(parts.flatMap(\.bytes) == whole)
        let found = try heard(pieces.map(\.1), disk)
        let wanted = try heard(pieces.map(\.0), original.disk)
        #expect(found.count == wanted.count && found.count > 6)
        for (time, right) in zip(found, wanted) {
          #expect(abs(time - right) < 0.03, "\(time) s for \(right) s")
        }
      }
    }

    original.end()
    for disk in renditions + [original.disk] { disk.log.close() }
    let again = try LogOnDisk(in: original.disk.directory)
    let reopened = Cells(again.log, at: .now())
    #expect(reopened.list().pieces == list.pieces)
    for (disk, before) in zip(renditions, lists) {
      let disk = try LogOnDisk(in: disk.directory)
      let own = Cells(disk.log, at: .now())
      #expect(own.list(like: list, of: reopened).pieces == before.pieces)
      let piece = try #require(before.pieces.last { !$0.isGap })
      let found = own.piece(piece.key, cell: piece.cell, part: piece.part, like: reopened)
      #expect(found == .piece(piece))
    }
  }
}
