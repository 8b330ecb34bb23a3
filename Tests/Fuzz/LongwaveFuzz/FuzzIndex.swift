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
    _ = SegmentDump.lines(of: index)
    _ = SegmentScan(bytes)
  }

  /// The same as a log's files, found again after a crash.
  static let recovery = FuzzTarget(name: "recovery", seeds: indexSeeds) { bytes in
    let directory = "/dev/shm/longwave-fuzz-\(getpid())"
    mkdir(directory, 0o700)
    let name = "\(directory)/\(SegmentFormat.name(0))"
    write(encoded(bytes), to: "\(name).idx")
    write([UInt8](repeating: 7, count: 4096), to: "\(name).mp3")
    if let recovery = try? Recovery(directory: directory, files: .posix) {
      promise(recovery.setAside <= 1, "set aside: \(recovery.setAside)")
    }
    let (names, _) = FileCalls.posix.list(directory)
    for name in names { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  private static let header = SegmentHeader(
    id: [UInt8](repeating: 9, count: 16), start: .zero, air: WallTime(nanoseconds: 0),
    format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2))

  /// Records of `type, length, payload` with the checksums they need.
  private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var (index, seed) = header.encoded()
    var rest = bytes[...]
    while rest.count > 2 {
      let (type, length) = (rest.removeFirst(), Int(rest.removeFirst()))
      let payload = rest.prefix(length)
      rest = rest.dropFirst(length)
      let record = [type, UInt8(payload.count), 0] + payload
      let crc = linux_crc32c(seed, record, record.count)
      index += record
      withUnsafeBytes(of: crc.littleEndian) { index += $0 }
    }
    return index + rest
  }

  private static var indexSeeds: [[UInt8]] {
    let zero = [UInt8](repeating: 0, count: 16)
    let title = zero + [1, 0, 65, 0, 0, 0]
    return [
      [UInt8(ascii: "T"), UInt8(title.count)] + title,
      [UInt8(ascii: "G"), 17] + zero + [1], [UInt8(ascii: "A"), 24] + zero + zero.prefix(8),
      [UInt8(ascii: "F"), 32] + zero + zero,
      [UInt8(ascii: "S"), 60] + zero + zero + zero + zero.prefix(12),
    ]
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
