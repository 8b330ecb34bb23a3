import TestSupport

/// What the servers that the relay asks can answer: for audio, for a playlist of it, for a title, who may listen.
enum UpstreamAttacks {
  /// First what has broken most, then what is a number, or long: there is more than a short run gets to.
  static let tiers: [[Attack]] = {
    let extremes = Set(HostileValues.extremes.map { Array($0.utf8) })
    let all = audioHeads + audioBodies + playlists + pages + verdicts
    let numbers = Set(
      (HostileValues.numbers + HostileValues.insertedNumbers).map { Array($0.utf8) })
    func hasField(_ attack: Attack, among values: Set<[UInt8]>) -> Bool {
      attack.bytes.split(separator: 13).dropFirst().contains { line in
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return values.contains(Array(line[(colon + 1)...].dropFirst()))
      }
    }
    var (first, second, rest): ([Attack], [Attack], [Attack]) = ([], [], [])
    for attack in all {
      let isLong = attack.bytes.count > 100_000
      if isLong && attack.isOfUpstream || hasField(attack, among: extremes) {
        first.append(attack)
      } else if isLong || hasField(attack, among: numbers) {
        second.append(attack)
      } else {
        rest.append(attack)
      }
    }
    return [first, second, rest]
  }()

  /// Two seconds of a stream as it should be.
  static let audio = NumberedFrames.stream(0..<80)

  // MARK: Heads

  /// Fields of answers, one value that would be right for each.
  private static let goodFields: [(name: String, good: String)] = [
    ("icy-br", "128,128"), ("icy-metaint", "16000"), ("icy-sr", "44100"), ("icy-pub", "1"),
    ("icy-name", "Jazz 1"), ("icy-genre", "Jazz"), ("icy-url", "http://127.0.0.1:1/"),
    ("icy-logo", "http://127.0.0.1:1/a.png"), ("icy-description", "1"), ("icy-sid", "1"),
    ("ice-audio-info", "bitrate=128;channels=2;samplerate=44100;quality=1e1"),
    ("ice-bitrate", "128"), ("ice-name", "Jazz"), ("ice-public", "1"), ("ice-url", "http://a/"),
    ("Content-Type", "audio/mpeg; charset=utf-8"), ("Content-Length", "100"),
    ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"), ("Retry-After", "120"),
    ("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Location", "http://127.0.0.1:1/x"),
    ("Server", "Icecast 2.4.4"), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Age", "1"),
    ("Content-Range", "bytes 0-1/100"), ("Set-Cookie", "a=1"),
    ("WWW-Authenticate", "Basic realm=1"),
  ]

  static let fields: [(name: String, values: [[UInt8]])] = goodFields.map { field in
    let values =
      HostileValues.variants(of: field.good) + HostileValues.numbers.map { Array($0.utf8) }
      + HostileValues.times.map { Array($0.utf8) } + HostileValues.texts
    return (field.name, values.filter { !$0.contains(10) && !$0.contains(13) })
  }

  private static let audioHeads: [Attack] =
    fields.flatMap { field in
      field.values.map { value in
        var lines = [Array("\(field.name): ".utf8) + value]
        if field.name != "Content-Type" { lines.append(Array("Content-Type: audio/mpeg".utf8)) }
        return answer("upstream \(field.name)", lines, audio)
      }
    }
    + statusLines.map { line in
      Attack(
        way: .upstream, bytes: Array("\(line)\r\nContent-Type: audio/mpeg\r\n\r\n".utf8) + audio,
        place: "upstream status")
    } + [
      answer("upstream head", [[UInt8](repeating: UInt8(ascii: "a"), count: 200_000)], audio),
      answer("upstream head", (0..<20_000).map { Array("icy-x\($0): y".utf8) }, audio),
    ]

  private static let statusLines =
    [
      "ICY 200 OK", "HTTP/1.0 200", "HTTP/9.9 200 OK", "HTTP/1.1 999 ?", "HTTP/1.1 100 Continue",
      "X", "",
    ]
    + HostileValues.insertedNumbers.map { "HTTP/1.1 \($0) OK" }

  static func answer(
    _ place: String, way: Attack.Way = .upstream, _ lines: [[UInt8]], _ body: [UInt8]
  ) -> Attack {
    let head = Array("HTTP/1.1 200 OK\r\n".utf8) + lines.flatMap { $0 + [13, 10] } + [13, 10]
    return Attack(way: way, bytes: head + body, place: place)
  }

  // MARK: Audio

  private static let audioBodies: [Attack] =
    bodies.enumerated().flatMap { number, body in
      ["audio/mpeg", "audio/aac", "application/ogg"].map { type in
        answer("upstream body \(number)", [Array("Content-Type: \(type)".utf8)], body)
      }
    } + blocks

  static let bodies: [[UInt8]] = frames + broken + ogg

  private static let broken: [[UInt8]] = {
    let id3 = Array("ID3".utf8)
    var bodies: [[UInt8]] = [[], [0], zeros(250_000), [UInt8](repeating: 255, count: 250_000)]
    bodies.append(Array(repeatElement([0xFF, 0xFB], count: 60_000).joined()))
    bodies.append(Array(repeatElement(adts, count: 20_000).joined()))
    bodies.append(id3 + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F] + audio)
    bodies.append(id3 + [255, 255, 255] + audio)
    bodies.append(Array("RIFF".utf8) + [255, 255, 255, 255] + Array("WAVE".utf8))
    bodies.append(Array("fLaC".utf8) + zeros(100))
    bodies.append(audio.map { $0 ^ 1 })
    bodies.append(audio.reversed())
    bodies.append(Array(audio.dropFirst(100)))
    bodies.append(Array(repeatElement(Array(audio.prefix(418)), count: 500).joined()))
    return bodies
  }()

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static let adts: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0, 0xFF, 0xFC]

  /// Every second and third byte of a frame's head, as a stream of such frames.
  private static let frames: [[UInt8]] =
    (0..<64).map { number in
      var frame = NumberedFrames.frame(0)
      frame[1] = UInt8(0xE0 | number % 32)
      frame[2] = UInt8(truncatingIfNeeded: number * 37)
      return Array(repeatElement(frame, count: 12).joined())
    }
    + (0..<16).map { number in
      var frame = adts
      frame[2] = UInt8(number * 16 + 15)
      frame[3] = UInt8(number * 17)
      return Array(repeatElement(frame + zeros(13), count: 30).joined())
    }

  /// Pages with odd numbers in their heads: version, flags, granule, serial, sequence, how many segments.
  private static let ogg: [[UInt8]] = {
    var pages: [[UInt8]] = []
    for body in identifications {
      for granule: UInt64 in [0, 1, 0x7FFF_FFFF_FFFF_FFFF, .max] {
        for flags: UInt8 in [2, 0, 5] {
          pages.append(
            OggPages.page(body, flags: flags, granule: granule, sequence: UInt32(granule & 1))
              + OggPages.page(tags, flags: 0, granule: 0, sequence: 1)
              + OggPages.page(zeros(200), flags: 4, granule: granule, sequence: .max))
        }
      }
    }
    let empty = OggPages.page([], flags: 2, granule: 0, sequence: 0)
    pages.append(Array(repeatElement(empty, count: 5000).joined()))
    pages.append(Array(repeatElement(Array("OggS".utf8), count: 50_000).joined()))
    pages.append(OggPages.page(zeros(64_000), flags: 2, granule: 0, sequence: 0))
    return pages
  }()

  private static let tags: [UInt8] = Array("OpusTags".utf8) + [255, 255, 255, 255]

  private static let identifications: [[UInt8]] = {
    let (opus, vorbis) = (Array("OpusHead".utf8), [1] + Array("vorbis".utf8))
    let flac: [UInt8] = [0x7F] + Array("FLAC".utf8) + [1, 0, 255, 255] + Array("fLaC".utf8)
    var all: [[UInt8]] = [[], tags, vorbis, opus + zeros(1), flac + zeros(38)]
    all.append(opus + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0])
    all.append(vorbis + zeros(4) + [UInt8](repeating: 255, count: 5) + zeros(14))
    all.append(Array("Speex   ".utf8) + [UInt8](repeating: 255, count: 72))
    return all
  }()

  /// Titles in the stream.
  private static let blocks: [Attack] = {
    let texts: [[UInt8]] =
      HostileValues.texts.map { Array("StreamTitle='".utf8) + $0 + Array("';".utf8) }
      + [
        "StreamTitle='", "StreamTitle=;", "StreamUrl='x';", "';';';'",
        "StreamTitle='a'b'c';StreamUrl='';",
        String(repeating: "a='b';", count: 600), String(repeating: "'", count: 4000),
        String(repeating: "StreamTitle='", count: 300),
        "adw_ad='true';durationMilliseconds='9223372036854775807';",
      ].map { Array($0.utf8) }
    return texts.map { text in
      let block = FakeStream.block(Array(text.prefix(4080)))
      let body = Array(audio.prefix(418)) + block + Array(audio[418..<836]) + block
      let lines = ["icy-metaint: 418", "Content-Type: audio/mpeg"].map { Array($0.utf8) }
      return answer("upstream block", lines, body)
    }
  }()

  // MARK: Playlists

  private static let playlists: [Attack] = {
    let types = [
      "audio/x-scpls", "audio/x-mpegurl", "application/xspf+xml", "video/x-ms-asf", "text/html",
    ]
    return playlistTexts.enumerated().flatMap { number, text in
      types.map { type in
        let lines = ["Content-Type: \(type)", "Content-Length: \(text.utf8.count)"]
        return answer("playlist \(number)", lines.map { Array($0.utf8) }, Array(text.utf8))
      }
    }
  }()

  private static func many(_ text: String, upTo length: Int = 255_000) -> String {
    String(repeating: text, count: length / text.utf8.count)
  }

  private static let playlistTexts: [String] = numberedLists + longLists + oddLists

  private static let numberedLists: [String] = HostileValues.insertedNumbers.flatMap { number in
    [
      "[playlist]\nFile\(number)=http://127.0.0.1:1/\nLength\(number)=\(number)\nNumberOfEntries=\(number)\n",
      "#EXTM3U\n#EXTINF:\(number),T\nhttp://127.0.0.1:\(number)/\n",
    ]
  }

  /// What is begun, and what follows again and again, up to the longest that is read.
  private static let longLists: [String] = [
    ("<playlist>", "<a>x"), ("<playlist>", "<a><b>x</b>"), ("", "<"), ("", "<a "), ("", "<!--"),
    ("", "&"),
    ("<asx><entry>", "<ref href='http://127.0.0.1:1/'/>"), ("<playlist>", "<![CDATA[x]]>"),
    ("<playlist>", "<a>"), ("<playlist>", "</a>"), ("<playlist ", "a='b' "),
    ("<playlist>", "&amp;"),
    ("<playlist><trackList>", "<track><location>http://127.0.0.1:1/</location></track>"),
    ("[playlist]\n", "File1=http://127.0.0.1:1/\n"), ("#EXTM3U\n", "http://127.0.0.1:1/\n"),
    ("#EXTM3U\n", "#EXTINF:-1,x\n"), ("", "\n"), ("", "\r"), ("", " "), ("", "a"), ("", "../"),
    ("#EXTM3U\n", "a='b,c\","), ("[playlist]\nFile1=", "x"), ("<asx>", "<!-- x -->"),
    ("<!DOCTYPE ", "["),
  ].map { start, again in start + many(again) }

  private static let oddLists: [String] = [
    "#EXTM3U\nfile:///etc/passwd\n", "#EXTM3U\n/list\n", "http://127.0.0.1:1/\u{301}\n",
    "#EXTM3U\n\n#EXT-X-TARGETDURATION:9223372036854775807\n",
    "<?xml version='1.0' encoding='utf-16'?><playlist/>",
    "<playlist><trackList><track><location>&#x110000;&#xD800;&#-1;&#99999999999999999999;</location></track>",
  ]

  // MARK: Pages of titles

  private static let pages: [Attack] =
    pageBodies.map { page in
      answer("page", way: .page, [Array("Content-Length: \(page.count)".utf8)], page)
    }
    + fields.flatMap { field in
      field.values.prefix(60).map { value in
        let line = Array("\(field.name): ".utf8) + value
        return answer("page \(field.name)", way: .page, [line], Array("A - B".utf8))
      }
    }

  private static let pageBodies: [[UInt8]] = {
    let titles: [[UInt8]] = HostileJSON.values(for: "title", good: ["A - B"]).map { value in
      let start = Array(#"{"icestats":{"source":{"listenurl":"http://h/a","title":"#.utf8)
      return start + value + Array(#"}},"title":"#.utf8) + value + [UInt8(ascii: "}")]
    }
    let texts: [String] =
      playlistTexts
      + HostileValues.insertedNumbers.map { number in
        "<n timezone='+\(number):00'><Refresh>\(number)</Refresh>"
          + "<song start='\(number)-05-28 22:26:50' time='\(number):02' title='A'/></n>"
      }
      + HostileValues.numbers.map { "<body>\($0),1,\($0),3,4,\($0),A - B</body>" }
    return HostileJSON.shapes + titles + HostileValues.all + texts.map { Array($0.utf8) }
  }()

  // MARK: Who may listen

  private static let verdicts: [Attack] = {
    let fields = [
      ("icecast-auth-timelimit", "3600"), ("icecast-auth-user", "1"),
      ("icecast-auth-message", "no 1"),
      ("Content-Length", "0"), ("Location", "http://127.0.0.1:1/"), ("X-Other", "1"),
    ]
    return fields.flatMap { name, good in
      (HostileValues.variants(of: good) + HostileValues.all).filter {
        !$0.contains(10) && !$0.contains(13)
      }.map {
        let user = name == "icecast-auth-user" ? [] : [Array("icecast-auth-user: 1".utf8)]
        return answer(
          "auth \(name)", way: .auth,
          user + [Array("\(name): ".utf8) + $0, Array("Connection: close".utf8)], [])
      }
    }
  }()
}

extension Attack {
  fileprivate var isOfUpstream: Bool { way == .upstream && !place.hasPrefix("upstream body") }
}

/// Pages with a right checksum and wrong everything else.
enum OggPages {
  static func page(_ body: [UInt8], flags: UInt8, granule: UInt64, sequence: UInt32) -> [UInt8] {
    var page = Array("OggS".utf8) + [0, flags]
    page += (0..<8).map { UInt8(truncatingIfNeeded: granule >> UInt64($0 * 8)) }
    page += [7, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: sequence >> UInt32($0 * 8)) }
    page += [0, 0, 0, 0]
    let count = min(254, body.count / 255)
    page +=
      [UInt8(count + 1)] + [UInt8](repeating: 255, count: count) + [
        UInt8(min(254, body.count - count * 255))
      ]
    page += body
    let sum = checksum(page)
    for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(index * 8)) }
    return page
  }

  /// RFC 3533, section 6: CRC-32 of 0x04C11DB7, nothing reflected.
  private static func checksum(_ page: [UInt8]) -> UInt32 {
    page.reduce(UInt32(0)) { sum, byte in
      var sum = sum ^ UInt32(byte) << 24
      for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
      return sum
    }
  }
}
