import TestSupport
import Testing
import Wire

/// Samples out of WAV and of raw bytes.
struct PCMReaderTests {
  private struct Read: Equatable {
    var samples: [Int16] = []
    var rates: Set<Int> = []
    var channels: Set<Int> = []
  }

  private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func chunk(_ name: String, _ bytes: [UInt8], length: Int? = nil) -> [UInt8] {
    Array(name.utf8) + number(length ?? bytes.count, 4) + bytes
      + (bytes.count.isMultiple(of: 2) ? [] : [0])
  }

  /// A WAV file; `length` stands for the samples' own where it is given.
  private static func wav(
    _ samples: [UInt8], bits: Int = 16, channels: Int = 1, rate: Int = 44_100, tag: Int = 1,
    extensible: Int? = nil, before: [UInt8] = [], length: Int? = nil
  ) -> [UInt8] {
    var format = number(extensible == nil ? tag : 0xFFFE, 2) + number(channels, 2)
    format += number(rate, 4) + number(rate * channels * bits / 8, 4)
    format += number(channels * bits / 8, 2) + number(bits, 2)
    if let extensible {
      format += number(22, 2) + number(bits, 2) + number(3, 4) + number(extensible, 2)
      format += [UInt8](repeating: 0x11, count: 14)
    }
    return Array("RIFF".utf8) + number(1000, 4) + Array("WAVE".utf8) + before
      + chunk("fmt ", format) + chunk("data", samples, length: length)
  }

  private func read(
    _ bytes: [UInt8], _ reader: PCMReader = PCMReader(), pieces: Int = .max
  ) throws(PCMReader.Failure) -> Read {
    var reader = reader
    var read = Read()
    var at = 0
    while at < bytes.count {
      let end = pieces >= bytes.count ? bytes.count : min(bytes.count, at + pieces)
      try reader.read(bytes.span.extracting(at..<end)) { samples, rate, channels in
        read.samples += samples
        read.rates.insert(rate)
        read.channels.insert(channels)
      }
      at = end
    }
    return read
  }

  @Test func `every sample encoding of WAV and of raw input is read`() throws {
    #expect(try read(Self.wav([0, 64, 128, 255], bits: 8)).samples == [-32768, -16384, 0, 32512])
    #expect(try read(Self.wav([0x34, 0x12, 0xFF, 0xFF])).samples == [0x1234, -1])
    #expect(
      try read(Self.wav([0x99, 0x34, 0x12, 0, 0, 0x80], bits: 24)).samples == [0x1234, -32768])
    #expect(try read(Self.wav([1, 2, 0x34, 0x12], bits: 32)).samples == [0x1234])
    let floats: [Float] = [0, 0.5, -1, 1, 7, -.infinity, .nan]
    let bytes = floats.flatMap { Self.number(Int($0.bitPattern), 4) }
    let expected: [Int16] = [0, 16384, -32768, 32767, 32767, -32768, 0]
    #expect(try read(Self.wav(bytes, bits: 32, tag: 3)).samples == expected)
    #expect(try read(Self.wav(bytes, bits: 32, extensible: 3)).samples == expected)
    let big = SampleFormat(sampleRate: 8000, channels: 1, encoding: .s16be)
    #expect(try read([0x12, 0x34, 0x80, 0], PCMReader(raw: big)).samples == [0x1234, -32768])
    let raw = SampleFormat(sampleRate: 96_000, channels: 2, encoding: .f32le)
    let found = try read(bytes.dropLast(4), PCMReader(raw: raw))
    #expect(found.samples == expected.dropLast() && found.rates == [96_000])
  }

  @Test func `six-channel audio is read as its first two channels`() throws {
    let samples = (1...12).flatMap { Self.number($0, 2) }
    let found = try read(Self.wav(samples, channels: 6, rate: 48_000, extensible: 1))
    #expect(found == Read(samples: [1, 2, 7, 8], rates: [48_000], channels: [2]))
  }

  @Test func `files follow each other, with chunks of any length between`() throws {
    let odd = Self.chunk("LIST", [1, 2, 3])
    let first = Self.wav([1, 0, 2, 0], before: odd + Self.chunk("fact", []))
    let second = Self.wav([200, 100, 50], bits: 8, rate: 8000)
    let found = try read(first + odd + second + Self.chunk("LIST", [1]) + first)
    #expect(found.samples == [1, 2, 18432, -7168, -19968, 1, 2])
    #expect(found.rates == [44_100, 8000])
  }

  @Test(arguments: [0, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x7FFF_F000])
  func `samples without a length do not end`(length: Int) throws {
    let samples = (0..<5000).flatMap { Self.number($0, 2) }
    let found = try read(Self.wav(samples, length: length))
    #expect(found.samples == (0..<5000).map { Int16($0) })
  }

  @Test func `the WAV head that taps write is read`() throws {
    for encoding in [SampleFormat.Encoding.s16le, .f32le] {
      let format = SampleFormat(sampleRate: 22_050, channels: 2, encoding: encoding)
      let found = try read(format.endlessWAVHead() + [UInt8](repeating: 0, count: 80))
      #expect(found.samples.count == (encoding == .f32le ? 20 : 40))
      #expect(found.rates == [22_050] && found.channels == [2])
    }
  }

  @Test func `pieces of any size are read the same`() throws {
    let stereo = (0..<60).map { UInt8($0) }
    let stream =
      Self.wav(stereo, bits: 24, channels: 2, before: Self.chunk("LIST", [1, 2, 3]))
      + Self.wav([1, 2, 3], bits: 8) + Self.wav(stereo, bits: 32, extensible: 1)
    let whole = try read(stream)
    #expect(whole.samples.count == 20 + 3 + 15)
    for size in 1...40 { #expect(try read(stream, pieces: size) == whole, "\(size)") }
    for cut in 0...stream.count {
      var reader = PCMReader()
      var samples: [Int16] = []
      try reader.read(stream.span.extracting(..<cut)) { found, _, _ in samples += found }
      try reader.read(stream.span.extracting(cut...)) { found, _, _ in samples += found }
      #expect(samples == whole.samples, "\(cut)")
    }
  }

  @Test func `input that is no readable WAV is refused with the reason`() {
    func reason(_ bytes: [UInt8]) -> String? {
      do throws(PCMReader.Failure) {
        _ = try read(bytes)
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(reason(Array("ID3 and some more".utf8))?.contains("no WAV") == true)
    #expect(reason(Self.wav([], bits: 12))?.contains("12 bits") == true)
    #expect(reason(Self.wav([], bits: 8, tag: 7))?.contains("format 7") == true)
    #expect(reason(Self.wav([], rate: 1000))?.contains("1000 Hz") == true)
    #expect(reason(Self.wav([], channels: 0))?.contains("0 channels") == true)
    #expect(reason(Self.wav([], channels: 99))?.contains("99 channels") == true)
    let head = Array("RIFF".utf8) + Self.number(0, 4) + Array("WAVE".utf8)
    #expect(reason(head + Self.chunk("data", [1, 2]))?.contains("before") == true)
    #expect(reason(head + Self.chunk("fmt ", [], length: 0xFFFF_FFFF))?.contains("long") == true)
    #expect(reason(head + Self.chunk("JUNK", [], length: 0xFFFF_FFFF)) == nil)
  }

  @Test func `random damage never traps the PCM reader`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    let sound =
      Self.wav((0..<200).map { UInt8($0) }, bits: 24, channels: 2)
      + Self.wav((0..<100).map { UInt8($0) }, bits: 32, channels: 3, extensible: 3)
    var samples = 0
    for _ in 0..<20_000 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        bytes[at] = UInt8.random(in: 0...255, using: &random)
      }
      let pieces = Int.random(in: 1...300, using: &random)
      if let found = try? read(bytes, pieces: pieces) {
        samples += found.samples.count
        #expect(found.channels.isSubset(of: [1, 2]), "seed \(seed)")
        #expect(found.rates.allSatisfy(SampleFormat.rates.contains), "seed \(seed)")
      }
    }
    #expect(samples > 100_000, "seed \(seed)")
  }
}
