import Foundation
import Media
import TestSupport
import Testing
import Timeshift

@testable import Wire

/// Keys and lengths of real files.
@Suite struct MediaKeyTests {
  private let scratch = TemporaryDirectory()

  private func key(_ path: String) throws -> TrackKey {
    let file = try TagCorpus.open(path)
    let layout = try #require(try file.layout(), "\(path)")
    return try file.key(layout)
  }

  private func summary(_ name: String) throws -> MediaSummary {
    let file = try TagCorpus.open(TagCorpus.path(name))
    let layout = try #require(try file.layout(), "\(name)")
    return try #require(try file.summary(layout), "\(name)")
  }

  private static let plain = [
    "plain.mp3", "bare.mp3", "variable.mp3", "plain.aac", "plain.flac", "plain.opus", "plain.ogg",
    "flac.oga", "plain.m4a", "front.m4a", "plain.wav",
  ]

  @Test(arguments: plain) func `a key stays when a file is tagged anew and renamed`(name: String)
    throws
  {
    let bytes = try TagCorpus.bytes(name)
    let path = scratch.write(name, bytes)
    let before = try key(path)
    try TagCorpus.retag(path)
    #expect(try readFile(path).count > bytes.count + 20_000)
    #expect(try key(path) == before)
    let renamed = scratch.file("other")
    #expect(rename(path, renamed) == 0)
    #expect(try key(renamed) == before)
  }

  @Test func `all files of one recording in one format have one key, and others another`() throws {
    var names: [TrackKey: [String]] = [:]
    for name in try TagCorpus.names() {
      names[try key(TagCorpus.path(name)), default: []].append(name)
    }
    let groups = Set(names.values.map { $0.sorted().joined(separator: " ") })
    #expect(groups.contains("full.flac id3-in-front.flac plain.flac"))
    #expect(groups.contains("full.opus plain.opus") && groups.contains("full.ogg plain.ogg"))
    #expect(groups.contains("full.wav plain.wav") && groups.contains("flac.oga full.oga"))
    #expect(groups.contains("plain.aac v24.aac"))
    #expect(groups.contains("front.m4a full-front.m4a full.m4a plain.m4a"))
    // Every MP3 but those of other options.
    let mp3 = try TagCorpus.names().filter {
      $0.hasSuffix(".mp3") && !["bare.mp3", "variable.mp3"].contains($0)
    }
    #expect(groups.contains(mp3.sorted().joined(separator: " ")))
    #expect(groups.contains("bare.mp3") && groups.contains("variable.mp3"))
  }

  @Test func `a byte of audio, or one less, is another track`() throws {
    for name in Self.plain {
      let bytes = try TagCorpus.bytes(name)
      let original = try key(TagCorpus.path(name))
      let file = try TagCorpus.open(TagCorpus.path(name))
      let audio = try #require(try file.layout()?.pieces.first)
      var changed = bytes
      changed[Int(audio.lowerBound) + 600] ^= 1
      #expect(try key(scratch.write("changed", changed)) != original, "\(name)")
    }
  }

  @Test func `a key is 32 hex digits, both ways`() throws {
    let key = try key(TagCorpus.path("plain.mp3"))
    #expect(key.description.count == 32 && TrackKey(key.description) == key)
    #expect(TrackKey(bytes: key.bytes) == key)
    #expect(TrackKey("") == nil && TrackKey(String(repeating: "G", count: 32)) == nil)
    #expect(TrackKey(bytes: [1, 2]) == nil)
  }

  // MARK: Lengths

  @Test func `lengths are exact where the file counts`() throws {
    let second = MediaTime(seconds: 1)
    // LAME's delay and padding are in the length of frames: 2 s are 77 frames, with both 78.
    for (name, samples) in [
      ("plain.mp3", 78 * 1152), ("variable.mp3", 78 * 1152), ("bare.mp3", 78 * 1152),
    ] {
      let found = try summary(name)
      #expect(
        found.isExact && found.duration == MediaTime(samples: samples, rate: 44_100), "\(name)")
      #expect(found.codec == .mp3 && found.channels == 2 && found.sampleRate == 44_100)
    }
    for name in ["plain.flac", "plain.wav", "plain.ogg", "flac.oga"] {
      let found = try summary(name)
      #expect(found.isExact && found.duration == second + second, "\(name): \(found)")
    }
    let opus = try summary("plain.opus")
    #expect(opus.isExact && opus.duration == second + second && opus.gap?.delay == 312, "\(opus)")
    let aac = try summary("plain.m4a")
    #expect(aac.isExact && aac.codec == .aac && aac.gap?.delay == 1024, "\(aac)")
    #expect(aac.gap?.samples == 88_200, "\(aac)")
  }

  @Test func `lengths are those that a count of all packets gives`() throws {
    for name in try TagCorpus.names() where !name.hasSuffix(".m4a") && !name.hasSuffix(".wav") {
      let found = try summary(name)
      guard found.isExact, found.container != .flac else { continue }
      let index = try #require(try TagCorpus.open(TagCorpus.path(name)).makeIndex(), "\(name)")
      #expect(abs(found.duration.seconds - index.duration.seconds) < 0.001, "\(name)")
    }
  }

  @Test func `estimated lengths say so`() throws {
    #expect(try !summary("plain.aac").isExact)
    #expect(try !summary("chained.ogg").isExact)
    // The table of a file that was cut is the whole file's.
    let bytes = try TagCorpus.bytes("variable.mp3")
    let file = try TagCorpus.open(scratch.write("cut.mp3", Array(bytes[..<(bytes.count / 2)])))
    let layout = try #require(try file.layout())
    let found = try #require(try file.summary(layout))
    #expect(!found.isExact && found.duration.seconds < 1.5)
  }

  @Test func `an Opus file that counts from the end of all numbers has a length or none`() throws {
    var bytes = try TagCorpus.bytes("plain.opus")
    var place = 0
    while place < bytes.count, case .page(let page) = OggPage.read(in: bytes.span, at: place) {
      // A pre-skip of 65,535 in the first page; the last granule position but one in those with audio.
      if page.flags.contains(.first) {
        bytes.replaceSubrange(
          page.range.lowerBound + 38..<page.range.lowerBound + 40, with: [255, 255])
      } else if page.granule > 0 {
        let granule = [254, 255, 255, 255, 255, 255, 255, 255] as [UInt8]
        bytes.replaceSubrange(place + 6..<place + 14, with: granule)
        bytes[place + 5] &= ~4
      }
      let sum = OggChecksum.page(bytes.span.extracting(page.range))
      for byte in 0..<4 { bytes[place + 22 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
      place = page.range.upperBound
    }
    let file = try TagCorpus.open(scratch.write("end.opus", bytes))
    let layout = try #require(try file.layout())
    let found = try #require(try file.summary(layout))
    #expect(found.codec == .opus && found.duration.seconds < 10)
  }

  @Test func `delay and padding are LAME's`() throws {
    let gap = try #require(try summary("plain.mp3").gap)
    #expect(gap.delay == 576 && 78 * 1152 - gap.delay - gap.padding == 88_200)
  }

  @Test func `a file cut anywhere has a layout or none`() throws {
    for name in Self.plain {
      let bytes = try TagCorpus.bytes(name)
      for part in 0..<64 {
        let file = try TagCorpus.open(
          scratch.write("cut", Array(bytes[..<(bytes.count * part / 64)])))
        guard let layout = try file.layout() else { continue }
        #expect(layout.pieces.allSatisfy { $0.upperBound <= file.bytes }, "\(name) \(part)")
        _ = try file.key(layout)
        _ = try file.summary(layout)
      }
    }
  }

  @Test func `mutated files have a layout or none`() throws {
    let seed = UInt64.random(in: 0...9999)
    var random = SplitMix(seed: seed)
    for name in Self.plain {
      let bytes = try TagCorpus.bytes(name)
      for _ in 0..<40 {
        let mutated = random.mutated(Array(bytes.prefix(3000))) + bytes.dropFirst(3000)
        let file = try TagCorpus.open(scratch.write("mutated", mutated))
        guard let layout = try file.layout() else { continue }
        #expect(layout.pieces.allSatisfy { $0.upperBound <= file.bytes }, "\(name), seed \(seed)")
        _ = try file.key(layout)
        _ = try file.summary(layout)
      }
    }
  }

  @Test func `spots of one length that begin and end in silence are different tracks`() throws {
    let folder = TemporaryDirectory()
    var keys: Set<TrackKey> = []
    for hertz in [500, 900] {
      let name = "\(hertz).wav"
      let sound = "if(between(t,3,12)+between(t,18,27),sin(2*PI*\(hertz)*t),0)"
      try Tool.must(
        [
          "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "aevalsrc=exprs='\(sound)':s=44100:d=30",
          folder.file(name),
        ], in: folder)
      let file = try MediaFolder.open(name, in: folder.path)
      let layout = try #require(try file.layout())
      keys.insert(try file.key(layout))
    }
    #expect(keys.count == 2)
  }
}
