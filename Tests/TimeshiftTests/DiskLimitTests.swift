import TestSupport
import Testing
import Wire

@testable import Timeshift

/// What a log may have on the disk, whatever its upstream sends.
@Suite struct DiskLimitTests {
  static let limit: UInt64 = 8 << 20

  private func open(
    in directory: TemporaryDirectory = TemporaryDirectory(), limit: UInt64 = limit
  ) throws -> LogOnDisk {
    try LogOnDisk(
      LogConfiguration(retention: MediaTime(seconds: 86400), retentionBytes: limit), in: directory)
  }

  /// All that lies in the folder.
  private func bytes(_ directory: TemporaryDirectory) -> UInt64 {
    directory.names.reduce(0) { $0 + UInt64(directory.read($1).count) }
  }

  /// A title of 7.4 KB with each packet of 66 bytes, 20 ms long; the storage's turn after half a second of them.
  private func flood(_ disk: LogOnDisk, packets: Int) -> UInt64 {
    let link = "http://" + String(repeating: "y", count: 3700)
    let text = String(repeating: "x", count: 3700)
    let format = AudioFormat(codec: .aac, sampleRate: 48_000, channels: 2)
    let packet = [UInt8](repeating: 7, count: 66)
    var most: UInt64 = 0
    for number in 1...packets {
      disk.log.markTitle(Title(text: "\(number) \(text)", url: link))
      disk.log.append(packet.span, samples: 960, format: format)
      guard number % 25 == 0 else { continue }
      disk.clock.advance(seconds: 0.5)
      disk.log.publish(at: disk.clock.now)
      disk.turn()
      if number % 500 == 0 { most = max(most, bytes(disk.directory)) }
    }
    return most
  }

  @Test func `an upstream that sends titles instead of audio gets no more room than it has`() throws
  {
    let disk = try open()
    let most = flood(disk, packets: 4000)
    // A segment under way, of an eighth, may come on top.
    #expect(most <= Self.limit + Self.limit / 4, "\(most)")
    #expect(disk.log.oldest.position > 0, "the oldest segments went")
    let stated = disk.log.snapshot().bytesOnDisk
    #expect(stated <= Self.limit + Self.limit / 8)
    let real = bytes(disk.directory) - UInt64(SegmentFormat.idBytes)
    #expect(stated == real, "what is stated is what is there")
    disk.log.close()
    #expect(try open(in: disk.directory).log.edge == disk.log.edge)
  }

  @Test func `half a second keeps its last titles, and a segment's index stays short`() throws {
    let disk = try LogOnDisk()
    _ = flood(disk, packets: 2000)
    disk.log.close()
    let indexes = disk.directory.names.filter { $0.hasSuffix(".idx") }.map(disk.directory.read)
    #expect(indexes.count > 3 && indexes.allSatisfy { $0.count < 9 << 20 })
    let scans = indexes.compactMap { SegmentScan($0) }
    #expect(scans.count == indexes.count && scans.allSatisfy { $0.footer != nil })
    let titles = scans.flatMap { $0.marks.titles }.map {
      String($0.title.text.prefix { $0 != " " })
    }
    let spans = scans.reduce(0) { $0 + $1.spans.count }
    #expect(titles.count <= (spans + scans.count) * SpanPlan.titlesMax)
    // The last one of each is what is in force behind it.
    for number in stride(from: 25, through: 2000, by: 25) { #expect(titles.contains("\(number)")) }
  }

  @Test func `a large write of titles is split, and no audio is missing`() throws {
    let disk = try LogOnDisk()
    let text = String(repeating: "x", count: 15_000)
    for number in 0..<4500 {
      if number % 3 == 0 { disk.log.markTitle(Title(text: "\(number) \(text)", url: text)) }
      disk.log.appendKnown()
    }
    disk.clock.advance(seconds: 117)
    disk.log.publish(at: disk.clock.now)
    disk.turn()
    #expect(disk.isWholeAndKnown)
    disk.log.close()
    let again = try LogOnDisk(in: disk.directory)
    #expect(again.isWholeAndKnown && again.log.edge == disk.log.edge)
    #expect(again.log.snapshot().segmentsSetAside == 0)
    #expect(again.log.titles(limit: 1).map(\.title) == disk.log.titles(limit: 1).map(\.title))
  }

  @Test func `an upstream of any bit rate is held to its room`() throws {
    let disk = try open()
    let format = AudioFormat(codec: .aac, sampleRate: 48_000, channels: 2)
    let packet = [UInt8](repeating: 7, count: 30_000)
    var most: UInt64 = 0
    for number in 0..<1600 {
      disk.log.append(packet.span, samples: 1024, format: format)
      guard number % 10 == 0 else { continue }
      disk.clock.advance(seconds: 0.2)
      disk.log.publish(at: disk.clock.now)
      disk.turn()
      most = max(most, disk.log.snapshot().bytesOnDisk)
    }
    #expect(most <= Self.limit + Self.limit / 4, "\(most)")
    #expect(disk.log.snapshot().segments > 4)
  }

  @Test func `small segments count as what the file system makes of them`() throws {
    let disk = try open(limit: 1 << 20)
    for number in 0..<600 {
      let format = AudioFormat(
        codec: .aac, sampleRate: number % 2 == 0 ? 48_000 : 44_100, channels: 2)
      disk.log.append([UInt8](repeating: 7, count: 60).span, samples: 1024, format: format)
      disk.clock.advance(seconds: 0.02)
      disk.log.publish(at: disk.clock.now)
      disk.turn()
    }
    #expect(disk.directory.names.count <= 2 * (1 << 20) / 8192 + 3, "two files a segment")
  }

  @Test func `files set aside have a tenth of the room, and the oldest are removed`() throws {
    let directory = TemporaryDirectory()
    for number in UInt64(1)...10 {
      let name = SegmentFormat.name(number * 1000)
      directory.write("\(name).mp3.bad", [UInt8](repeating: 1, count: 200_000))
      directory.write("\(name).idx.bad", [UInt8](repeating: 1, count: 1000))
    }
    directory.write("notes.bad", [UInt8](repeating: 1, count: 2_000_000))
    let disk = try open(in: directory)
    let left = directory.names.filter { $0.hasSuffix(".bad") && $0 != "notes.bad" }
    #expect(left.count == 8 && left.first?.hasPrefix(SegmentFormat.name(7000)) == true)
    #expect(directory.names.contains("notes.bad"), "it is none of ours")
    #expect(disk.events == [.setAsideRemoved(files: 12, bytes: 6 * 201_000)])
    #expect(try open(in: directory).events.isEmpty)
  }

  @Test func `files that a start sets aside are removed by the next one only`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 200)
    disk.log.close()
    let names = disk.directory.names.filter { $0.hasSuffix(".idx") }
    for name in names { disk.directory.write(name, [1, 2, 3]) }
    // A tenth of it is less than one of them has.
    let again = try open(in: disk.directory, limit: 1 << 20)
    #expect(again.log.snapshot().segmentsSetAside == names.count)
    #expect(disk.directory.names.filter { $0.hasSuffix(".mp3.bad") }.count == names.count)
    again.log.close()
    _ = try open(in: disk.directory, limit: 1 << 20)
    #expect(!disk.directory.names.contains { $0.hasSuffix(".mp3.bad") })
  }

  @Test func `small files set aside are bounded by their number`() throws {
    let directory = TemporaryDirectory()
    for number in UInt64(1)...250 { directory.write("\(SegmentFormat.name(number)).mp3.bad", [1]) }
    let disk = try open(in: directory)
    #expect(directory.names.filter { $0.hasSuffix(".bad") }.count == SetAside.filesMax)
    #expect(disk.events == [.setAsideRemoved(files: 50, bytes: 50)])
  }
}
