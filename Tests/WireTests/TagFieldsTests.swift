import TestSupport
import Testing

@testable import Wire

@Suite struct TagFieldsTests {
  private func collected(
    _ values: [(TagCollector.Source, String, String)], isLatin1: Bool = false
  ) -> TagFields {
    var collector = TagCollector()
    for (source, name, value) in values {
      Array(value.utf8).withUnsafeBufferPointer {
        collector.add(name, $0, isDeclaredLatin1: isLatin1, from: source)
      }
    }
    return collector.finished()
  }

  @Test func `of several tags the container's own counts, then ID3v2, APE and ID3v1`() {
    let all: [(TagCollector.Source, String, String)] = [
      (.id3v1, "title", "v1"), (.ape, "Title", "ape"), (.id3v2, "TIT2", "v2"),
      (.container, "TITLE", "own"),
    ]
    for (count, wanted) in [(1, "v1"), (2, "ape"), (3, "v2"), (4, "own")] {
      #expect(collected(Array(all[..<count]))[.title] == [wanted])
      #expect(collected(Array(all[..<count].reversed()))[.title] == [wanted])
    }
    // Field by field: what one lacks another has.
    let mixed = collected([
      (.id3v2, "TIT2", "Title"), (.id3v1, "title", "Cut ti"), (.id3v1, "album", "Album"),
    ])
    #expect(mixed[.title] == ["Title"] && mixed[.album] == ["Album"])
  }

  @Test func `of several names of one field the first counts`() {
    let fields = collected([
      (.container, "YEAR", "1984"), (.container, "DATE", "1983"), (.container, "ARTISTS", "One"),
      (.container, "ARTIST", "One & Two"), (.container, "ARTIST", "Three"),
    ])
    #expect(fields[.date] == ["1983"] && fields[.artist] == ["One & Two", "Three"])
  }

  @Test func `names of the user's own are read in any case`() {
    for name in [
      "replaygain_track_gain", "TXXX:ReplayGain_Track_Gain",
      "----:com.apple.iTunes:REPLAYGAIN_TRACK_GAIN",
    ] {
      #expect(collected([(.id3v2, name, "-1.5 dB")]).gain.track == -1.5, "\(name)")
    }
    #expect(collected([(.id3v2, "COMM:iTunSMPB", " 0 840 1CA 153F6 0")]).gap?.samples == 0x153F6)
    #expect(collected([(.id3v2, "COMM:iTunNORM", "00001")]) == TagFields())
    #expect(collected([(.id3v2, "TXXX:" + String(repeating: "x", count: 999), "y")]) == TagFields())
  }

  @Test func `R128 gains count before ReplayGain's`() {
    let both = [
      (TagCollector.Source.container, "REPLAYGAIN_TRACK_GAIN", "-7.03 dB"),
      (.container, "R128_TRACK_GAIN", "256"),
    ]
    #expect(collected(both).gain.track == 6 && collected(both.reversed()).gain.track == 6)
    // What is no number leaves the other one.
    #expect(collected([both[0], (.container, "R128_TRACK_GAIN", "loud")]).gain.track == -7.03)
  }

  @Test func `chapters of Vorbis comments are in the order of their times`() {
    let fields = collected([
      (.container, "CHAPTER002", "00:01:02.500"), (.container, "CHAPTER002NAME", "B"),
      (.container, "CHAPTER001", "00:00:00.000"), (.container, "CHAPTER003NAME", "without a time"),
      (.container, "CHAPTER004", "00:99:00"),
    ])
    #expect(
      fields.chapters == [
        .init(start: 0, title: .init("")), .init(start: 62_500, title: .init("B")),
      ])
  }

  @Test func `dates, tracks and compilations are read as numbers`() {
    let years: [(String, Int?)] = [
      ("1983", 1983), ("1983-05-02", 1983), ("02.05.1983", 1983), ("19830502", 1983),
      ("May 1983", 1983),
      ("83", nil), ("", nil), ("0000", nil), ("99999999999", nil),
    ]
    for (text, year) in years {
      var fields = TagFields()
      fields[.date] = [text]
      #expect(fields.year == year, "\(text)")
    }
    for (text, number) in [
      ("3/12", 3), ("03", 3), (" 7", 7), ("0", nil), ("A1", nil), ("99999", nil),
    ] as [(String, Int?)] {
      var fields = TagFields()
      fields[.track] = [text]
      #expect(fields.number(.track) == number, "\(text)")
    }
  }

  @Test func `bytes declared Latin-1 wait for a charset, and UTF-8 for none`() {
    var collector = TagCollector()
    for (name, bytes) in [
      ("TIT2", [0xCA, 0xE8, 0xED, 0xEE]), ("TPE1", Array("Plain".utf8)),
      ("TALB", Array("Tïtle".utf8)),
    ] as [(String, [UInt8])] {
      bytes.withUnsafeBufferPointer {
        collector.add(name, $0, isDeclaredLatin1: true, from: .id3v2)
      }
    }
    let raw = collector.finished()
    #expect(raw.texts[.title] == [.init("Êèíî", isDeclaredLatin1: true)])
    #expect(raw.texts[.artist] == [.init("Plain")])
    let read = raw.read { bytes in
      #expect(bytes == [0xCA, 0xE8, 0xED, 0xEE])
      return "Кино"
    }
    #expect(read[.title] == ["Кино"] && read[.album] == ["Tïtle"])
    #expect(read.texts.values.joined().allSatisfy { !$0.isDeclaredLatin1 })
  }

  @Test func `texts of one line lose controls, lyrics and comments keep their lines`() {
    let fields = collected([
      (.id3v2, "TIT2", "\u{FEFF} A\r\nB\u{0} "), (.id3v2, "COMM", "one\r\ntwo"),
      (.id3v2, "USLT", "one\n\ntwo\u{7}"),
      (.id3v2, "TPE1", " \u{1} "),
    ]).read(by: Charset.windows1252.decodeInvalid)
    #expect(
      fields[.title] == ["A  B"] && fields[.comment] == ["one\ntwo"]
        && fields.lyrics?.text == "one\n\ntwo")
    #expect(fields[.artist] == [])
  }

  // MARK: Gains and gaps

  @Test func `gains are read as people's programs write them`() {
    let gains: [(String, Double?)] = [
      ("-7.03 dB", -7.03), ("-7,03 dB", -7.03), ("+2.5", 2.5), ("3dB", 3), (" -1.00 DB ", -1),
      ("0.00 db", 0),
      ("nan", nil), ("inf dB", nil), ("0x10", nil), ("", nil), ("dB", nil), ("-7.03 dB LUFS", nil),
      ("1e9", nil),
      ("--7", nil), ("71", nil), (String(repeating: "1", count: 500), nil),
    ]
    for (text, gain) in gains { #expect(ReplayGainText.decibels(text) == gain, "\(text)") }
    for (text, peak) in [("1.034261", 1.034261), ("0,98", 0.98), ("-1", nil), ("101", nil)]
      as [(String, Double?)]
    {
      #expect(ReplayGainText.peak(text) == peak, "\(text)")
    }
    for (text, gain) in [("0", 5), ("-1280", 0), ("256", 6), ("40000", nil), ("1.5", nil)]
      as [(String, Double?)]
    {
      #expect(ReplayGainText.r128(text) == gain, "\(text)")
    }
  }

  @Test func `iTunes' gap is hexadecimal`() {
    let gap = SampleGap(iTunes: " 00000000 00000840 000001CA 00000000003F31F6 00000000")
    #expect(gap == SampleGap(delay: 2112, padding: 458, samples: 4_141_558))
    for text in [
      "", " 0 1 2", " 0 FFFFFFFF 0 0", " 0 -1 0 0", " 0 g 0 0", " 0 1 2 FFFFFFFFFFFFFFFF",
    ] {
      #expect(SampleGap(iTunes: text) == nil, "\(text)")
    }
  }

  // MARK: Names

  @Test func `a file's name is a guess where there is no title`() {
    let names: [(String, String?, String, Int?)] = [
      ("Nina Simone - Sinnerman.mp3", "Nina Simone", "Sinnerman", nil),
      ("07 Sinnerman.mp3", nil, "Sinnerman", 7), ("07. Sinnerman.flac", nil, "Sinnerman", 7),
      ("07-Sinnerman.flac", nil, "Sinnerman", 7),
      ("07 - Nina Simone - Sinnerman.ogg", "Nina Simone", "Sinnerman", 7),
      ("Nina Simone - 07 - Sinnerman.ogg", "Nina Simone", "Sinnerman", 7),
      ("nina_simone_-_sinnerman.mp3", "nina simone", "sinnerman", nil),
      ("A – B – C.opus", "A", "B - C", nil),
      ("1999.mp3", nil, "1999", nil), ("7 Seconds.mp3", nil, "7 Seconds", nil),
      ("AC-DC.mp3", nil, "AC-DC", nil),
      ("No ending", nil, "No ending", nil), ("Mr. Sandman", nil, "Mr. Sandman", nil),
      (".mp3", nil, ".mp3", nil),
    ]
    for (name, artist, title, track) in names {
      let guess = FileNameTags(name)
      #expect(
        guess?.artist == artist && guess?.title == title && guess?.track == track,
        "\(name): \(guess as Any)")
    }
    #expect(FileNameTags("") == nil && FileNameTags(" - .mp3") == nil)
    var tagged = TagFields()
    tagged[.artist] = ["Tagged"]
    let guessed = tagged.guessing(from: "01 Other - Title.mp3")
    #expect(guessed.isGuessed && guessed[.artist] == ["Tagged"] && guessed[.title] == ["Title"])
    tagged[.title] = ["Title"]
    #expect(tagged.guessing(from: "Other.mp3") == tagged)
  }

  // MARK: JSON

  private static var full: TagFields {
    var fields = TagFields()
    for name in TagFields.Name.allCases {
      fields[name] = ["\(name) \"quoted\" \\ \u{1F} ☃", "two"]
    }
    fields.texts[.title] = [.init("Êèíî", isDeclaredLatin1: true), .init("")]
    fields.gain = TrackGain(track: -7.03, album: 1e-7, trackPeak: 1.25, albumPeak: 0)
    fields.lyrics = .init("one\ntwo\r\t", isDeclaredLatin1: false)
    fields.lines = [
      .init(time: 0, text: .init("a")),
      .init(time: 604_800_000, text: .init("ï", isDeclaredLatin1: true)),
    ]
    fields.chapters = [
      .init(start: 0, end: 5, title: .init("x")), .init(start: 9, title: .init("")),
    ]
    fields.pictures = [
      .init(kind: 3, offset: 0, bytes: 5), .init(kind: 20, offset: nil, bytes: UInt64(Int64.max)),
    ]
    fields.gap = SampleGap(delay: 1, padding: 2)
    fields.isGuessed = true
    return fields
  }

  private static func line(_ fields: TagFields) -> [UInt8] {
    var line: [UInt8] = []
    fields.append(to: &line)
    return line
  }

  private static func read(_ line: [UInt8]) -> TagFields? {
    var scanner = JSONScanner(line)
    guard (try? scanner.next()) == .objectStart else { return nil }
    return try? TagFieldsReader.read(&scanner)
  }

  @Test func `fields are one line of JSON, and come back`() {
    let line = Self.line(Self.full)
    #expect(!line.contains { $0 < 0x20 })
    #expect(Self.read(line) == Self.full)
    #expect(
      Self.line(TagFields()) == Array("{}".utf8) && Self.read(Array("{}".utf8)) == TagFields())
  }

  @Test func `a line cut anywhere is refused, and a mutated one is read within bounds`() {
    let line = Self.line(Self.full)
    for count in line.indices { #expect(Self.read(Array(line[..<count])) == nil) }
    let seed = UInt64.random(in: 0...9999)
    var random = SplitMix(seed: seed)
    for _ in 0..<2000 {
      guard let fields = Self.read(random.mutated(line)) else { continue }
      let texts = fields.texts.values.joined()
      #expect(texts.allSatisfy { $0.text.utf8.count <= TagFields.textBytesMax }, "seed \(seed)")
      #expect(fields.lines.allSatisfy { TagFields.times.contains($0.time) }, "seed \(seed)")
    }
  }

  @Test func `what is out of bounds is refused`() {
    let long = String(repeating: "x", count: TagFields.textBytesMax + 1)
    let most = String(repeating: "x", count: TagFields.textBytesMax)
    let lines = [
      "{\"title\":[\"\(long)\"]}",
      "{\"title\":[\(Array(repeating: "\"\"", count: 65).joined(separator: ","))]}",
      "{\"title\":[\(Array(repeating: "\"\(most)\"", count: 63).joined(separator: ","))],\"artist\":[\"\(most)\",\"\(most)\"]}",
      "{\"trackGain\":71}", "{\"trackPeak\":-1}", "{\"gap\":[1,2]}", "{\"gap\":[1,480001,0]}",
      "{\"other\":1}",
      "{\"lines\":[[-1,\"\"]]}", "{\"pictures\":[[21,0,1]]}", "{\"pictures\":[[3,0,0]]}",
      "{\"title\":[{\"latin1\":\"☃\"}]}",
      "{\"guessed\":1}", "[]",
    ]
    for line in lines { #expect(Self.read(Array(line.utf8)) == nil, "\(line.prefix(60))") }
    #expect(Self.read(Array("{\"title\":[\"\(most)\"]}".utf8)) != nil)
  }
}

@Suite struct TagTailTests {
  private func tail(_ bytes: [UInt8]) -> Int {
    let end = Array(bytes.suffix(TagTail.lookMax))
    return TagTail.bytes(at: end.span)
  }

  @Test func `tags at a file's end have lengths`() {
    let audio = [UInt8](repeating: 7, count: 500)
    #expect(tail(audio) == 0 && tail([]) == 0)
    #expect(tail(audio + Array("TAG".utf8) + .init(repeating: 0, count: 125)) == 128)
    var footer = Array("APETAGEX".utf8) + [0xD0, 7, 0, 0] + [100, 0, 0, 0] + [1, 0, 0, 0]
    #expect(tail(audio + footer + [0, 0, 0, 0x80] + .init(repeating: 0, count: 8)) == 132)
    #expect(tail(audio + footer + [0, 0, 0, 0] + .init(repeating: 0, count: 8)) == 100)
    footer[15] = 0xFF
    #expect(tail(audio + footer + [0, 0, 0, 0] + .init(repeating: 0, count: 8)) == 0)
    #expect(tail(audio + Array("3DI".utf8) + [4, 0, 0x10, 0, 0, 1, 2]) == 150)
    #expect(tail(audio + Array("3DI".utf8) + [4, 0, 0x10, 0xFF, 0, 1, 2]) == 0)
    #expect(tail(audio + Array("000123LYRICS200".utf8)) == 138)
    #expect(tail(audio + Array("0x0123LYRICS200".utf8)) == 0)
  }
}

@Suite struct MP4BoxTests {
  private func box(_ bytes: [UInt8]) -> MP4Box? { MP4Box(in: bytes.span) }

  @Test func `a box has a length of 32 bits, of 64, or to the file's end`() {
    let kind = Array("mdat".utf8)
    #expect(box([0, 0, 0, 9] + kind)?.bytes == 9)
    #expect(box([0, 0, 0, 9] + kind)?.kind == MP4Box.kind("mdat"))
    #expect(box([0, 0, 0, 0] + kind).map { $0.bytes == nil } == true)
    let long = box([0, 0, 0, 1] + kind + [0, 0, 0, 1, 0, 0, 0, 0])
    #expect(long?.bytes == 1 << 32 && long?.headBytes == 16)
    #expect(box([0, 0, 0, 7] + kind) == nil && box([0, 0, 0, 1] + kind) == nil)
    #expect(box([0, 0, 0, 1] + kind + [0, 0, 0, 0, 0, 0, 0, 15]) == nil)
    #expect(box([0, 0, 0, 9]) == nil && box([]) == nil)
  }

  @Test func `media headers and edits are bounded`() {
    let short: [UInt8] = .init(repeating: 0, count: 12) + [0, 0, 0xAC, 0x44] + [0, 1, 0x58, 0x88]
    func media(_ bytes: [UInt8]) -> MP4MediaHeader? { MP4MediaHeader(in: bytes.span) }
    func edit(_ bytes: [UInt8]) -> MP4Edit? { MP4Edit(in: bytes.span) }
    #expect(media(short) == media(short + [9]))
    #expect(media(short)?.timescale == 44_100 && media(short)?.duration == 88_200)
    #expect(media(short.dropLast()) == nil)
    #expect(media([UInt8](repeating: 0, count: 40)) == nil)
    #expect(media([1] + [UInt8](repeating: 0xFF, count: 40)) == nil)
    // An empty edit first, then one that leaves out 1,024 samples.
    let edits: [UInt8] = [
      0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 5, 255, 255, 255, 255, 0, 1, 0, 0, 0, 0, 7, 208, 0, 0, 4, 0,
      0, 1, 0, 0,
    ]
    #expect(edit(edits)?.start == 1024 && edit(edits)?.length == 2000)
    for count in 0..<32 { #expect(edit(Array(edits[..<count])) == nil) }
  }
}
