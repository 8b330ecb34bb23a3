import Foundation
import Media
import TestSupport
import Testing
import Wire

@testable import Library

@Suite struct TagReaderTests {
  private let scratch = TemporaryDirectory()

  private func read(_ paths: [String], by reader: TagReader) throws -> [TagReader.Reading] {
    for (number, path) in paths.enumerated() {
      reader.ask(try TagCorpus.open(path), number: UInt64(number))
    }
    return try paths.indices.map {
      let answer = try #require(reader.next())
      #expect(answer.number == UInt64($0))
      return answer.reading
    }
  }

  private func fields(_ name: String, by reader: TagReader) throws -> TagFields {
    let reading = try read([TagCorpus.path(name)], by: reader)[0]
    guard case .fields(let fields) = reading else {
      throw TagCorpus.Failure(description: "\(name): \(reading)")
    }
    return fields
  }

  // MARK: What is read

  /// Where mutagen reads something else, and why ours is right or as good.
  private static let differences: [String: [String: String]] = [
    "utf16-no-mark.mp3": [
      "title": "TagLib believes no UTF-16 without its mark, which the standard demands"
    ],
    "utf8-as-latin1.mp3": [
      "title": "bytes that are UTF-8 are read as such, whatever the tag declares"
    ],
    "long.mp3": ["title": "cut to 1 KiB", "artist": "the first 64 values"],
    "v24.aac": ["error": "mutagen takes every file that begins with ID3 for MP3"],
  ]

  @Test func `tags are read as mutagen reads them, but for listed differences`() throws {
    let oracle = try TagCorpus.oracle()
    #expect(oracle.count > 40)
    let reader = TagCorpus.reader()
    var seen: [String: Set<String>] = [:]
    for name in oracle.keys.sorted() {
      let ours = Self.plain(try fields(name, by: reader))
      let theirs = try #require(oracle[name])
      for key in Set(ours.keys).union(theirs.keys) {
        let (one, other) = (ours[key].map { "\($0)" }, theirs[key].map { "\(Self.flat($0))" })
        if one == other { continue }
        let isKnown = Self.differences[name]?[key] != nil || Self.differences[name]?["error"] != nil
        #expect(isKnown, "\(name): \(key) is \(one ?? "-"), mutagen reads \(other ?? "-")")
        seen[name, default: []].insert(Self.differences[name]?["error"] != nil ? "error" : key)
      }
    }
    // A difference that is gone is taken off the list.
    #expect(seen == Self.differences.mapValues { Set($0.keys) })
  }

  /// The fields in the oracle's form.
  private static func plain(_ fields: TagFields) -> [String: [String]] {
    var plain: [String: [String]] = [:]
    for name in TagFields.Name.allCases where !fields[name].isEmpty {
      plain[name.rawValue] = fields[name]
    }
    if let lyrics = fields.lyrics { plain["lyrics"] = [lyrics.text] }
    if !fields.lines.isEmpty { plain["lines"] = fields.lines.map { "\($0.time) \($0.text.text)" } }
    if !fields.chapters.isEmpty {
      plain["chapters"] = fields.chapters.map { "\($0.start) \($0.title.text)" }
    }
    if !fields.pictures.isEmpty {
      plain["pictures"] = fields.pictures.map { "\($0.kind) \($0.bytes)" }.sorted()
    }
    return plain
  }

  private static func flat(_ value: Any) -> [String] {
    guard let list = value as? [Any] else { return ["\(value)"] }
    let texts = list.map { ($0 as? [Any])?.map { "\($0)" }.joined(separator: " ") ?? "\($0)" }
    return (list.first as? [Any])?.allSatisfy { $0 is NSNumber } == true ? texts.sorted() : texts
  }

  @Test func `gains, gaps and ends of chapters are numbers`() throws {
    let reader = TagCorpus.reader()
    let id3 = try fields("v24.mp3", by: reader)
    #expect(id3.gain == TrackGain(track: -7.03, album: 2.5, trackPeak: 1.034261))
    #expect(id3.chapters.map(\.end) == [1000, 2000])
    // -1234/256 dB towards -23 LUFS; Opus's own gain counts, not the one beside it.
    let opus = try fields("full.opus", by: reader)
    #expect(opus.gain == TrackGain(track: -1234.0 / 256 + 5, trackPeak: 0.988553))
    #expect(
      try fields("full.m4a", by: reader).gap == SampleGap(delay: 2112, padding: 458, samples: 87030)
    )
    #expect(
      try fields("itunes.mp3", by: reader).gap
        == SampleGap(delay: 528, padding: 1444, samples: 87852))
    #expect(try fields("ape.mp3", by: reader).gain.track == -3.1)
  }

  @Test func `a picture is where it says`() throws {
    let reader = TagCorpus.reader()
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
    var (located, encoded): (Set<String>, Set<String>) = ([], [])
    for name in try TagCorpus.names() {
      let bytes = try TagCorpus.bytes(name)
      for picture in try fields(name, by: reader).pictures {
        guard let offset = picture.offset.map(Int.init) else {
          encoded.insert(name)
          continue
        }
        located.insert(name)
        try #require(offset + Int(picture.bytes) <= bytes.count, "\(name)")
        #expect(bytes[offset...].starts(with: png), "\(name)")
      }
    }
    #expect(
      located.isSuperset(of: [
        "v22.mp3", "v24.mp3", "pictures.mp3", "large-picture.mp3", "full.flac", "full.m4a",
        "full.wav",
      ]))
    // Base64 in comments, and a tag with bytes put in.
    #expect(
      encoded == [
        "full.opus", "full.ogg", "full.oga", "chained.ogg", "chained.opus", "unsynchronised.mp3",
      ])
  }

  @Test func `text that is declared Latin-1 is read in the root's encoding`() throws {
    let reader = TagCorpus.reader { bytes in
      String(bytes: bytes, encoding: .windowsCP1251) ?? ""
    }
    let fields = try fields("cp1251.mp3", by: reader)
    #expect(fields[.title] == ["Группа крови"] && fields[.artist] == ["Кино"])
    #expect(try self.fields("utf8-as-latin1.mp3", by: reader)[.title] == ["Tïtle ☃"])
  }

  @Test func `tags of AIFF are read, and large ones cost no search`() throws {
    try Tool.must(
      [
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=f=300:d=2", "-metadata",
        "title=Sinnerman", "-metadata", "artist=Nina", "-write_id3v2", "1", scratch.file("a.aiff"),
      ], in: scratch)
    let bytes = try readFile(scratch.file("a.aiff"))
    let rf64 = scratch.write("b.wav", Array("RF64".utf8) + bytes.dropFirst(4))
    let readings = try read([scratch.file("a.aiff"), rf64], by: TagCorpus.reader())
    guard case .fields(let fields) = readings[0] else {
      throw TagCorpus.Failure(description: "\(readings[0])")
    }
    #expect(fields[.title] == ["Sinnerman"] && fields[.artist] == ["Nina"])
    #expect(readings[1] == .none)
  }

  @Test func `what is no audio has no tags`() throws {
    let files: [(String, [UInt8])] = [
      ("empty", []), ("zeros", .init(repeating: 0, count: 100_000)),
      ("page.mp3", Array("<!DOCTYPE html><title>404</title>".utf8)), ("short", Array("ID3".utf8)),
      ("riff", Array("RIFF\u{1}\u{1}\u{1}\u{1}WAVE".utf8)), ("mp4", Array("....ftypM4A ".utf8)),
    ]
    let paths = files.map { scratch.write($0.0, $0.1) }
    for reading in try read(paths, by: TagCorpus.reader()) {
      #expect(
        reading == .none || reading == .fields(TagFields()) || "\(reading)".contains("failed"))
    }
    let sparse = scratch.write("sparse", [])
    #expect(truncate(sparse, 1 << 40) == 0)
    #expect(try read([sparse], by: TagCorpus.reader()) == [.none])
  }

  // MARK: Bounds

  @Test func `no tag exceeds the bounds`() throws {
    // Every field 200 times 4 KiB, lyrics of 4 MiB.
    var comments: [String] = []
    for name in ["TITLE", "ARTIST", "ALBUM", "GENRE", "COMMENT"] {
      for number in 0..<200 {
        comments.append("\(name)=\(number) " + String(repeating: "ü", count: 2048))
      }
    }
    comments.append("LYRICS=" + String(repeating: "la\n", count: 1_400_000))
    var block: [UInt8] = [0, 0, 0, 0] + Self.littleEndian(comments.count)
    for comment in comments { block += Self.littleEndian(comment.utf8.count) + Array(comment.utf8) }
    let plain = try TagCorpus.bytes("plain.flac")
    let size = [16, 8, 0].map { UInt8(truncatingIfNeeded: block.count >> $0) }
    let path = scratch.write("large.flac", Array(plain[..<42]) + [4] + size + block + plain[42...])
    let reader = TagCorpus.reader()
    guard case .fields(let fields) = try read([path], by: reader)[0] else {
      Issue.record("not read")
      return
    }
    let texts = TagFields.Name.allCases.flatMap { fields[$0] }
    #expect(texts.allSatisfy { $0.utf8.count <= TagFields.textBytesMax })
    #expect(texts.reduce(0) { $0 + $1.utf8.count } <= TagFields.allTextBytesMax)
    #expect(fields[.artist].count <= TagFields.valuesMax && !fields[.artist].isEmpty)
    #expect(fields.lyrics.map { $0.text.utf8.count } == TagFields.lyricsBytesMax)
  }

  private static func littleEndian(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  @Test func `the child has one file at a time, and bounds`() throws {
    let reader = TagCorpus.reader()
    _ = try fields("v24.mp3", by: reader)
    let id = try #require(reader.processID)
    let limits = String(decoding: try readFile("/proc/\(id)/limits"), as: UTF8.self)
    #expect(limits.contains(#/Max address space +536870912 /#))
    #expect(limits.contains(#/Max file size +0 /#) && limits.contains(#/Max open files +16 /#))
    #expect(limits.contains(#/Max cpu time +1[0-9] /#))
    let status = String(decoding: try readFile("/proc/\(id)/status"), as: UTF8.self)
    #expect(status.contains("NoNewPrivs:\t1"))
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd")
    #expect(descriptors.sorted() == ["0", "1", "2"])
  }

  // MARK: Files that are no good

  @Test func `a file cut anywhere is read, refused or listed`() throws {
    let reader = TagCorpus.reader()
    for name in try TagCorpus.names() where name != "large-picture.mp3" {
      let bytes = try TagCorpus.bytes(name)
      let cuts = (1..<64).map { bytes.count * $0 / 64 }
      let paths = cuts.map { scratch.write("\($0)-\(name)", Array(bytes[..<$0])) }
      let first = reader.processID
      for reading in try read(paths, by: reader) {
        if case .unavailable(let why) = reading { Issue.record("\(name): \(why)") }
      }
      #expect(first == nil || reader.processID == first, "\(name) ended the child")
      for path in paths { unlink(path) }
    }
  }

  /// TAG_MUTATIONS=50000 makes a longer run.
  @Test func `a mutated file is read, refused or listed, and so is the one behind it`() throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["TAG_MUTATIONS"].flatMap { Int($0) } ?? 400
    let seed = environment["TAG_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9999)
    var random = SplitMix(seed: seed)
    let names = try TagCorpus.names().filter { $0 != "large-picture.mp3" && $0 != "plain.wav" }
    let originals = try names.map { try TagCorpus.bytes($0) }
    let reader = TagCorpus.reader()
    var (read, refused, failed) = (0, 0, [String]())
    var left = count
    while left > 0 {
      let turn = min(left, 50)
      left -= turn
      for number in 0..<turn {
        let original = originals.randomElement(using: &random)!
        // Tags are at the ends; audio in between changes nothing.
        let front = original.prefix(6000)
        var bytes = Array(front)
        for _ in 0..<Int.random(in: 1...8, using: &random) { bytes = random.mutated(bytes) }
        bytes += original.dropFirst(front.count).suffix(2000)
        let path = scratch.write("\(number)", bytes)
        reader.ask(try TagCorpus.open(path), number: UInt64(number))
      }
      for number in 0..<turn {
        let answer = try #require(reader.next())
        #expect(answer.number == UInt64(number), "seed \(seed)")
        switch answer.reading {
        case .fields: read += 1
        case .none: refused += 1
        case .failed(let why): failed.append(why)
        case .unavailable(let why): Issue.record("seed \(seed): \(why)")
        }
      }
    }
    #expect(read + refused + failed.count == count, "seed \(seed)")
    #expect(read > count / 2, "seed \(seed)")
    if count > 1000 {
      print("tags: \(read) read, \(refused) refused, \(failed.count) listed: \(Set(failed))")
    }
  }

  @Test func `a file at which the child is killed costs that file alone`() throws {
    let reader = TagCorpus.reader()
    let names = ["v24.mp3", "full.flac", "full.ogg", "full.m4a"]
    _ = try fields("plain.mp3", by: reader)
    let first = try #require(reader.processID)
    // Stopped, it dies with the files in its socket.
    kill(first, SIGSTOP)
    for (number, name) in names.enumerated() {
      reader.ask(try TagCorpus.open(TagCorpus.path(name)), number: UInt64(number))
    }
    kill(first, SIGKILL)
    #expect(
      reader.next()?.reading
        == .failed("the process that reads tags was ended by signal 9 (Killed) at it"))
    for name in names.dropFirst() {
      guard case .fields(let fields)? = reader.next()?.reading else {
        Issue.record("\(name) was not read")
        continue
      }
      #expect(fields[.title] == ["Tïtle ☃"], "\(name)")
    }
    #expect(reader.processID != first)
  }

  @Test func `a file at which the child hangs costs that file alone`() throws {
    let reader = TagCorpus.reader(patience: 3)
    _ = try fields("plain.mp3", by: reader)
    let first = try #require(reader.processID)
    kill(first, SIGSTOP)
    for number in 0..<UInt64(TagReader.inFlightMax) {
      reader.ask(try TagCorpus.open(TagCorpus.path("full.ogg")), number: number)
    }
    #expect(reader.isFull)
    #expect(reader.next()?.reading == .failed("its tags were not read within 3 s"))
    var read = 0
    while let answer = reader.next() {
      if case .fields(let fields) = answer.reading, fields[.title] == ["Tïtle ☃"] { read += 1 }
    }
    #expect(read == TagReader.inFlightMax - 1)
  }

  @Test func `a program that is no reader blames no file`() throws {
    let path = try TagCorpus.path("plain.mp3")
    let missing = TagReader(program: ["/nonexistent/longwave", TagChild.word])
    guard case .unavailable(let why) = try read([path], by: missing)[0] else {
      Issue.record("a file is blamed")
      return
    }
    #expect(why == "no such program: /nonexistent/longwave")
  }

  @Test(arguments: [
    "nonsense", "[0,{\"title\":[1]}]", "[9,{}]", "[0,{\"gain\":1}]", "[0,{}", "[0,{}]x", "[0,{},1]",
  ])
  func `an answer that makes no sense is believed by nobody`(line: String) throws {
    let script = scratch.write("child", Array("#!/bin/sh\necho '\(line)' >&0\nsleep 9\n".utf8))
    #expect(chmod(script, 0o700) == 0)
    let reading = try read([TagCorpus.path("plain.mp3")], by: TagReader(program: [script]))[0]
    #expect(reading == .failed("the process that reads tags gave no answer to it that makes sense"))
  }
}
