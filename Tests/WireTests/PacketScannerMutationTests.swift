import TestSupport
import Testing
import Wire

/// Damaged streams: whatever happens, the scanner goes on and comes back to the true frames.
struct PacketScannerMutationTests {
  enum Damage: CaseIterable { case flip, insert, delete, truncate, overwrite }

  struct Damaged {
    var stream: [UInt8]
    /// Where the damage begins, and how much later in the stream everything behind it now stands.
    var at: Int
    var shift: Int
    /// The first byte behind the damage, in the sound stream.
    var soundFrom: Int
  }

  static func damage(_ sound: [UInt8], with random: inout SplitMix) -> Damaged {
    var stream = sound
    // Not so late that nothing is left to come back to.
    let at = Int(random.next() % UInt64(sound.count * 2 / 3))
    let length = 1 + Int(random.next() % 300)
    switch Damage.allCases.randomElement(using: &random)! {
    case .flip:
      for _ in 0..<(1 + Int(random.next() % 8)) {
        stream[at + Int(random.next() % UInt64(length))] ^= 1 << UInt8(random.next() % 8)
      }
      return Damaged(stream: stream, at: at, shift: 0, soundFrom: at + length)
    case .insert:
      let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      stream.insert(contentsOf: bytes, at: at)
      return Damaged(stream: stream, at: at, shift: length, soundFrom: at)
    case .delete:
      stream.removeSubrange(at..<at + length)
      return Damaged(stream: stream, at: at, shift: -length, soundFrom: at + length)
    case .truncate:
      stream.removeSubrange(at...)
      return Damaged(stream: stream, at: at, shift: 0, soundFrom: sound.count)
    case .overwrite:
      for i in at..<at + length { stream[i] = UInt8(truncatingIfNeeded: random.next()) }
      return Damaged(stream: stream, at: at, shift: 0, soundFrom: at + length)
    }
  }

  /// One damage each time, in a stream without tags (a damaged tag may rightly be believed).
  static func comesBack(_ sound: [UInt8], seeds: Range<UInt64>) {
    let frames = Harness.scan(sound).packets
    for seed in seeds {
      var random = SplitMix(seed: seed)
      let damaged = damage(sound, with: &random)
      let pieces = Harness.scan(damaged.stream, inReadsOf: 1 + Int(random.next() % 5000))
      let found = Set(pieces.packets)
      for frame in found {
        #expect(
          mpegHeader(damaged.stream, at: frame.lowerBound) != nil
            || adtsHeader(damaged.stream, at: frame.lowerBound) != nil, "seed \(seed)")
      }
      // Fewer than three may rightly not have gained sync yet.
      let before = frames.filter { $0.upperBound <= damaged.at }
      #expect(
        before.count < 3 || before.allSatisfy(found.contains),
        "seed \(seed): a frame before the damage is lost")
      // A frame whose length was damaged, or that was cut short, may reach over the next ones;
      // ADTS lengths reach over 8 KiB, MPEG ones over less than 1.5.
      let reach = adtsHeader(sound) == nil ? 1500 : 8192
      let after = frames.filter { $0.lowerBound >= damaged.soundFrom + reach }
        .map { $0.lowerBound + damaged.shift..<$0.upperBound + damaged.shift }
      let lost = after.filter { !found.contains($0) }
      #expect(lost.isEmpty, "seed \(seed): \(lost.count) of \(after.count) not found again")
    }
  }

  @Test func `a damaged MP3 stream is found again`() throws {
    let file = try Fixtures.mp3(["-b", "128", "-t"], seconds: 1)
    Self.comesBack(file, seeds: 0..<150)
  }

  @Test func `a damaged VBR stream with joint stereo is found again`() throws {
    let file = try Fixtures.mp3(["-V", "4", "-t"], seconds: 1)
    Self.comesBack(file, seeds: 1000..<1150)
  }

  @Test func `a damaged ADTS stream is found again`() throws {
    let file = try Fixtures.ffmpeg(
      ["-c:a", "aac", "-b:a", "128k"], format: "adts", seconds: 2)
    Self.comesBack(file, seeds: 2000..<2100)
  }

  @Test func `a damaged free-format stream is found again`() {
    let stream = (0..<40).flatMap { Make.mpeg(Make.free, seed: $0, bytes: 250) }
    Self.comesBack(stream, seeds: 3000..<3100)
  }

  @Test func `much damage of every kind, tags included, stops nothing`() {
    let sound =
      Make.id3v2(body: 300) + Make.mpegs(0xFFFB_9064, 4) + Make.id3v1()
      + Make.table("Xing", 0xFFFB_9064, at: 36) + Make.mpegs(0xFFFB_9064, 4)
      + Make.ape(body: 100) + Make.adtses(10) + PacketScannerFreeFormatTests.frames
      + Make.mpegs(Make.smallAt32, 10)
    for seed: UInt64 in 4000..<4200 {
      var random = SplitMix(seed: seed)
      var stream = sound
      for _ in 0..<(1 + random.next() % 6) where stream.count > 1000 {
        stream = Self.damage(stream, with: &random).stream
      }
      let pieces = Harness.scan(stream)
      #expect(pieces.last?.range.upperBound == stream.count, "seed \(seed)")
      let cut = Int(random.next() % UInt64(stream.count + 1))
      #expect(Harness.scan(stream, cutAt: cut) == pieces, "seed \(seed) cut at \(cut)")
    }
  }

  @Test func `noise rich in headers and tags is the same in any reads`() {
    let words: [[UInt8]] = [
      [0xFF, 0xFB, 0x14, 0xC0], [0xFF, 0xFB, 0x04, 0xC0], [0xFF, 0xFB, 0x06, 0xC0], [0xFF, 0xF1],
      [0xFF, 0xF1, 0x50, 0x80, 0x07, 0x9F, 0xFC], Array("TAG".utf8), Array("ID3".utf8),
      Make.id3v2(body: 5), Make.apeHead(size: 20, isHeader: true), [0xFF],
      [0xFF, 0xE3, 0x18, 0xC4],
      Make.mpeg(Make.small), [0, 0, 0, 0, 0, 0, 0],
    ]
    for seed: UInt64 in 5000..<5060 {
      var random = SplitMix(seed: seed)
      var stream: [UInt8] = []
      while stream.count < 2000 { stream += words.randomElement(using: &random)! }
      let whole = Harness.scan(stream)
      let length = 1 + Int(random.next() % 64)
      #expect(Harness.scan(stream, inReadsOf: length) == whole, "seed \(seed), reads of \(length)")
    }
  }
}
