@testable import Ingest
@testable import Wire

extension FuzzTarget {
  /// One ICY block, in and out again.
  static let titles = FuzzTarget(
    name: "titles",
    seeds: [
      "StreamTitle='A - B';StreamUrl='http://x/a.jpg';", "streamtitle = \"A\";x=y;z='1;2';",
      "StreamTitle='It's; 'a';';", "StreamTitle=A;\u{0}\u{0}", "{artist} - {title}\nA - B",
      "{artist}~{*}\"{artwork}\"\nA~B\"C\"",
    ].map(\.bytes) + ["StreamTitle='Caf".bytes + [0xE9, 0x27, 0x3B]]
  ) { bytes in
    if let block = ICYBlock.parse(bytes) { roundTrip(block) }
    let reader = TextReader(.detect([try! CharsetName("koi8-r"), try! CharsetName("shift_jis")]))
    promise(!reader.text(bytes).hasControls, "a control in a text")
    let lines = bytes.split(separator: 10, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
    if lines.count == 2, let pattern = try? TitlePattern(lines[0]) {
      if let parts = pattern.parts(of: lines[1]) {
        // By bytes: a title may begin with a mark that a reader of characters puts on the blank before it.
        promise(lines[1].bytes.contains(parts.title.bytes), "a title from nowhere")
      }
    }
  }

  private static func roundTrip(_ said: ICYMetadata) {
    promise(!(said.title ?? "").hasControls && !(said.url ?? "").hasControls, "controls: \(said)")
    let title = Title(text: said.title ?? "", url: said.url ?? "", extras: said.extras)
    let block = ICYBlock.bytes(for: title)
    promise(block.count % 16 == 1 && block.count <= 4081, "a block of \(block.count) bytes")
    promise(Int(block[0]) * 16 == block.count - 1, "a wrong length byte")
    promise(
      block.dropFirst().starts(with: "StreamTitle='".utf8), "a block that ends Icecast's relay")
    guard let again = ICYBlock.parse(Array(block.dropFirst())) else { fatalError("not read again") }
    let second = Title(text: again.title ?? "", url: again.url ?? "", extras: again.extras)
    promise(ICYBlock.bytes(for: second) == block, "a title changes when it is relayed again")
  }

  /// The header lines of an upstream.
  static let headers = FuzzTarget(
    name: "headers",
    seeds: [
      "icy-name:Jazz\nicy-br:128,128\nicy-metaint:16000\nContent-Type: audio/mpeg; x=y\n",
      "ice-audio-info: bitrate=64;channels=2\nicy-logo: http://x/\nContent-Length: 5\nicy-pub:1",
    ].map(\.bytes)
  ) { bytes in
    let lines = bytes.split(separator: 10).compactMap { line -> (name: String, value: [UInt8])? in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      return (String(decoding: line[..<colon], as: UTF8.self), Array(line[(colon + 1)...]))
    }
    let read = UpstreamHeaders(lines, text: TextReader(.auto).text)
    promise(read.passedOn.count <= 24, "too much is passed on")
    for field in read.passedOn {
      promise(!field.name.hasControls && !field.value.hasControls, "a control in \(field)")
      promise(field.name.hasPrefix("icy-") && field.name != "icy-pub", "\(field) is passed on")
    }
    promise(read.metaint.map(ICYDeinterleaver.metaintRange.contains) ?? true, "metaint")
  }

  static let playlist = FuzzTarget(
    name: "playlist",
    seeds: [
      "\u{0}[playlist]\r\nFile1=http://a/b\r\nTitle1=A\r\nLength1=-1\r\n",
      "\u{1}#EXTM3U\n#EXTINF:-1 a=\"b,c\",T\n../a b\n",
      "\u{2}<?xml version=\"1.0\"?><playlist><trackList><track><location>a&amp;b&#x41;</location></track></trackList></playlist>",
      "\u{2}<ASX VERSION=3><!-- x --><ENTRY><REF HREF='//h/a?b#c'/></ENTRY><![CDATA[x]]></ASX>",
      "\u{3}[Reference]\nRef1=http://a/b\n", "\u{0}#EXT-X-TARGETDURATION:6\nx.ts\n",
    ].map(\.bytes)
  ) { bytes in
    var input = FuzzInput(bytes)
    let types = ["audio/x-scpls", "audio/x-mpegurl", nil, "text/plain"]
    let type = types[input.byte() % types.count]
    let text = Array(input.rest)
    _ = BodyKind(text, mediaType: type, url: "http://h/list")
    _ = Playlist.isHLS(text)
    let entries = Playlist.parse(text, mediaType: type, url: "http://h/dir/list?q") ?? []
    promise(entries.count <= Playlist.entriesMax, "too many entries")
    for entry in entries {
      let scheme = entry.url.lowercased()
      promise(scheme.hasPrefix("http://") || scheme.hasPrefix("https://"), entry.url)
      promise(!entry.url.hasControls && !entry.url.contains(" "), "not a URL: \(entry.url)")
      promise(!(entry.title ?? "").hasControls, "a control in a title")
      _ = URLText.withoutSecrets(CurlURL.acceptable(entry.url))
    }
  }

  /// Numbers, times and names as people write them.
  static let values = FuzzTarget(
    name: "values",
    seeds: [
      "1h30m", "2.5s", "10 GB", "512MiB", "2026-11-21T08:40:00.5+01:00", "1763714400", "-5m",
      "a=b&c=%41+&&=x", "http://u:p@h:80/a/../b?q#f", "%zz%00%C3%A9", "jazz-1", "100h",
    ].map(\.bytes)
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    if let seconds = DurationText.parse(text) {
      promise(seconds.isFinite && DurationText.parse(DurationText.format(seconds)) != nil, text)
    }
    if let size = SizeText.parse(text) { _ = SizeText.format(size) + SizeText.rounded(size) }
    if let moment = try? TimestampText.parse(text) {
      // It is written in milliseconds.
      guard let again = try? TimestampText.parse(TimestampText.rfc3339(moment)) else {
        fatalError("\(text): not read again")
      }
      promise(again <= moment && moment - again < 1_000_000, "\(text): \(moment) and \(again)")
    }
    for item in HTTPQuery(raw: text).items { promise(!item.key.hasControls, "a control in a key") }
    promise(!LogText.line(text).hasControls, "a control in a line")
    _ = (StationID.problem(text), LogText.quotable(text))
    let escaped = PercentEncoding.decoded(Array(URLText.percentEncoded(text).utf8)[...])
    promise(escaped == Array(text.utf8), "escaped: \(text)")
    _ = URLText.withoutCredentials(URLText.resolve(text, against: "http://h/a/b?c"))
  }
}
