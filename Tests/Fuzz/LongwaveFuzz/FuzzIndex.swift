import CLinux
import Glibc
import Wire

@testable import Timeshift

extension FuzzTarget {
  /// A segment's index, whose checksums are right: nothing else of it need be.
  static let index = FuzzTarget(name: "index", seeds: indexSeeds) { bytes in
    let index = encoded(bytes)
    if let scan = SegmentScan(index) {
      promise(scan.length <= index.count && scan.end.position >= scan.header.start.position, "end")
    }
    _ = SegmentScan(bytes)
  }

  /// The same as a log's files, found again after a crash.
  static let recovery = FuzzTarget(name: "recovery", seeds: indexSeeds) { bytes in
    let directory = "/dev/shm/longwave-fuzz-\(getpid())"
    mkdir(directory, 0o700)
    let name = "\(directory)/\(SegmentFormat.name(0))"
    write(encoded(bytes), to: "\(name).idx")
    let codec: Codec = (bytes.first ?? 0) & 1 == 1 ? .opus : .mp3
    write([UInt8](repeating: 7, count: 4096), to: "\(name).\(codec.fileExtension)")
    if let folder = try? FolderMend(directory: directory, files: .posix) {
      promise(folder.scan.unbelieved.count <= 1, "set aside: \(folder.scan.unbelieved)")
    }
    let (names, _) = FileCalls.posix.list(directory)
    for name in names { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  /// Of MP3, or of Ogg with so many bytes of headers in front.
  private static func header(_ kind: UInt8) -> SegmentHeader {
    let isOgg = kind & 1 == 1
    return SegmentHeader(
      id: [UInt8](repeating: 9, count: 16), start: .zero, air: WallTime(nanoseconds: 0),
      format: AudioFormat(codec: isOgg ? .opus : .mp3, sampleRate: 48_000, channels: 2),
      headerBytes: isOgg ? Int(kind) * 40 : 0)
  }

  /// A kind of header, then records of `type, length, payload`, which get the checksums they need.
  private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var rest = bytes[...]
    let encoded = header(rest.popFirst() ?? 0).encoded()
    var index: [UInt8] = encoded.bytes
    while rest.count > 2 {
      let (type, length) = (rest.removeFirst(), Int(rest.removeFirst()))
      let payload = rest.prefix(length)
      rest = rest.dropFirst(length)
      let record = [type, UInt8(payload.count), 0] + payload
      let crc = linux_crc32c(encoded.seed, record, record.count)
      index += record
      withUnsafeBytes(of: crc.littleEndian) { index += $0 }
    }
    return index + rest
  }

  private static var indexSeeds: [[UInt8]] {
    let audio = [UInt8](repeating: 7, count: 900)
    let packet = SpanRecord.Packet(bytes: 450, duration: 18_432_000)
    let span = SpanRecord(
      start: .zero, air: WallTime(nanoseconds: 5), crc: linux_crc32c(0, audio, audio.count),
      packets: [packet, packet])
    let title = SegmentRecord.title(
      TitleMark(
        position: 450, media: .zero,
        title: Title(text: "A", url: "u", extras: [.init(key: "k", value: "v")]), air: .epoch,
        known: MediaTime(seconds: 1)))
    let footer = FooterRecord(end: span.end, tail: 64, packets: 2, spans: 1)
    let gap = GapMark(position: 0, seconds: 1, cause: .restart)
    let records: [SegmentRecord] = [
      title, .gap(gap), .anchor(position: 0, media: .zero, wall: WallTime(nanoseconds: 1)),
      .span(span),
      .footer(footer),
    ]
    return [
      [0] + described(.span(span)), [0] + records.flatMap(described),
      [5] + records.flatMap(described),
    ]
  }

  /// As `encoded` takes it.
  private static func described(_ record: SegmentRecord) -> [UInt8] {
    let bytes = record.encode(seed: 0)
    return [bytes[0], bytes[1]] + bytes.dropFirst(3).dropLast(4)
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
