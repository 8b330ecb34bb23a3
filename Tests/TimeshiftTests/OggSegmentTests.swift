import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Logs of Ogg pages on the disk: files that play, and a past that comes back with its headers.
@Suite struct OggSegmentTests {
  private static let short = { () -> LogConfiguration in
    var configuration = LogConfiguration(retention: MediaTime(seconds: 600))
    configuration.segment = MediaTime(seconds: 5)
    return configuration
  }()

  /// Everything from the oldest on, each format's headers in front of its packets.
  private func stream(_ disk: LogOnDisk) throws -> [UInt8] {
    let reader = LogReader(disk.log)
    var stream: [UInt8] = []
    var place = reader.oldest.position
    while place < reader.edge.position {
      let end = min(reader.nextFormatPosition(after: place), reader.edge.position)
      stream += reader.headers(at: place)
      stream += try #require(reader.collect(place..<end) { disk.turn() })
      place = end
    }
    return stream
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `every segment is a file that plays by itself`(codec: Fixtures.OggCodec) throws {
    let ogg = try FakeOgg(codec, channels: codec == .speex ? 1 : 2)
    let disk = try LogOnDisk(Self.short)
    for first in stride(from: 0, to: 100, by: 10) {
      ogg.append(first..<first + 10, to: disk.log, serial: 5, begins: first == 0)
      disk.turn()
    }
    disk.log.close()
    let names = disk.directory.names.filter { $0.hasSuffix(".\(ogg.format.codec.fileExtension)") }
    #expect(names.count >= 3)
    var numbers: [Int] = []
    for name in names.sorted() {
      let file = disk.directory.read(name)
      let heard = ogg.hear(file)
      #expect(heard.isUnbroken && heard.links.map(\.serial) == [5])
      let decoded = try Fixtures.decodeOgg(file)
      #expect(decoded.log.isEmpty && decoded.samples > 0, "\(decoded.log)")
      numbers += heard.numbers
    }
    #expect(numbers == Array(0..<100))
  }

  @Test func `a stream that begins and ends within one cell has its headers`() throws {
    var configuration = LogConfiguration()
    configuration.windowBytes = 8 << 20
    let log = PacketLog(memoryOnly: configuration, at: .now())
    let (opus, flac) = (try FakeOgg(.opus), try FakeOgg(.flac))
    let (long, short) = (20 * 48_000 / opus.samples, 48_000 / flac.samples)
    opus.append(0..<long, to: log, serial: 5, begins: true)
    let begun = log.edge.media
    flac.append(0..<short, to: log, serial: 6, begins: true)
    #expect(begun.seconds > 18.5 && log.edge.media.seconds < 23.5)
    opus.append(long..<2 * long, to: log, serial: 7, begins: true)
    let cells = Cells(log, at: .now())
    let key = PieceKey(try #require(cells.borders.marks.last))
    let codecs = (0...3).map { cells.headers(key, discontinuities: $0)?.format.codec }
    #expect(codecs == [.opus, .flac, .opus, nil])
  }

  @Test func `a log that was closed comes back with its streams`() throws {
    let (ogg, mono) = (try FakeOgg(.vorbis), try FakeOgg(.vorbis, channels: 1))
    let disk = try LogOnDisk(Self.short)
    ogg.append(0..<60, to: disk.log, serial: 5, begins: true)
    mono.append(0..<30, to: disk.log, serial: 6, begins: true)
    disk.turn()
    let before = try stream(disk)
    let (snapshot, newest) = (disk.log.snapshot(), disk.log.newestPacket())
    disk.log.close()
    let again = try LogOnDisk(Self.short, in: disk.directory)
    #expect(try stream(again) == before)
    #expect(again.log.snapshot().headers == snapshot.headers && !snapshot.headers.isEmpty)
    #expect(newest != nil && again.log.newestPacket() == newest)
    #expect(again.log.tail(seconds: 3) == disk.log.tail(seconds: 3))
    #expect(again.log.snapshot().segmentsSetAside == 0)
    let (one, two) = (ogg.hear(before), mono.hear(before))
    #expect(one.links.map(\.serial) == [5, 6])
    #expect(one.numbers == Array(0..<60) && two.numbers == Array(0..<30))
  }

  @Test func `an Ogg segment after a kill is cut at a page, behind whole headers`() throws {
    let ogg = try FakeOgg(.opus)
    let disk = try LogOnDisk()
    ogg.append(0..<60, to: disk.log, serial: 5, begins: true)
    disk.turn()
    let name = SegmentFormat.name(0)
    let (audio, index) = (disk.directory.read("\(name).opus"), disk.directory.read("\(name).idx"))
    let headers = disk.log.snapshot().headers.count
    for seed in UInt64(1)...60 {
      var random = SplitMix(seed: seed)
      let cut = Int(random.next() % UInt64(audio.count))
      let directory = TemporaryDirectory()
      directory.write("\(name).opus", Array(audio[..<cut]))
      directory.write("\(name).idx", index)
      directory.write("log.id", disk.directory.read("log.id"))
      let again = try LogOnDisk(in: directory)
      if again.log.isEmpty {
        #expect(cut < headers + audio.count / 30, "seed \(seed)")
        continue
      }
      let heard = ogg.hear(try stream(again))
      #expect(
        heard.isUnbroken && heard.numbers.first == 0 && heard.links.count == 1, "seed \(seed)")
    }
  }

  @Test func `a segment whose headers are damaged is set aside`() throws {
    let ogg = try FakeOgg(.vorbis)
    let disk = try LogOnDisk(Self.short)
    ogg.append(0..<60, to: disk.log, serial: 5, begins: true)
    disk.turn()
    disk.log.close()
    let name = "\(SegmentFormat.name(0)).ogg"
    var file = disk.directory.read(name)
    file[300] ^= 1
    disk.directory.write(name, file)
    let again = try LogOnDisk(Self.short, in: disk.directory)
    #expect(again.log.snapshot().segmentsSetAside == 1)
    #expect(again.log.oldest.position > 0)
    #expect(ogg.hear(try stream(again)).isUnbroken)
  }
}
