import TestSupport

@testable import Wire

extension FuzzTarget {
  /// A list of stations in any format, read and written again in all of them.
  static let stationList = FuzzTarget(
    name: "station-list",
    seeds: [
      "\u{0}#EXTM3U\n#EXTINF:-1 tvg-logo=\"http://p/a.png\" group-title=\"Jazz\",One\nhttp://a/\n",
      "\u{1}[playlist]\nFile1=http://a/\nTitle1=A\nFile2=http://b/\nTitle2=A\n",
      "\u{2}<playlist><trackList><track><location>http://a/</location><location>http://b/</location><title>A&amp;B</title><image>http://p/</image></track></trackList></playlist>",
      "\u{3}<opml><body><outline text='F'><outline text='A' URL='http://a/' URL2='http://b/' type='audio'/></outline><outline text='x'/></body></opml>",
      "\u{4}<asx><entry><title>A</title><ref href='http://a/'/></entry></asx>",
      "\u{4}#EXTM3U\r#EXTGRP:x\r#EXTIMG:y\rhttp://a/\r",
    ].map(\.bytes)
  ) { bytes in
    var input = FuzzInput(bytes)
    let names = ["a.m3u", "a.pls", "a.xspf", "a.opml", ""]
    let name = names[input.byte() % names.count]
    guard let all = try? StationList.items(Array(input.rest), name: name) else { return }
    // What leads nowhere is not written.
    let items = all.filter { !$0.urls().isEmpty }
    for format in StationList.Format.allCases {
      let text = StationList.text(items, as: format)
      guard let again = try? StationList.items(text.bytes, name: "a.\(format)") else {
        fatalError("not read again: \(text)")
      }
      // OPML has room for nine.
      let wanted = items.flatMap { format == .opml ? Array($0.urls().prefix(9)) : $0.urls() }
      promise(again.flatMap { $0.urls() } == wanted, "other stations: \(text)")
    }
  }

  /// A list of files in any format, written again, and read.
  static let trackList = FuzzTarget(
    name: "track-list",
    seeds: [
      "\u{0}#EXTM3U\n#EXTINF:61,A - B\n../a b.mp3\nfile:///m/%41\n C:\\x\nhttp://a/\n",
      "\u{1}[playlist]\nFile1=a=b.mp3\nTitle1=A - B\nLength1=3\nFile1=b\n",
      "\u{2}<playlist><trackList><track><location>a%20b</location><title>A&amp;B</title><creator>C</creator><duration>1000</duration></track></trackList></playlist>",
      "\u{3}FILE \"a\" WAVE\nTRACK 01 AUDIO\nTITLE \"T\"\nINDEX 00 00:00:00\nINDEX 01 01:02:74\nTRACK 02 AUDIO\nINDEX 01 02:00:00\n",
    ].map(\.bytes)
  ) { bytes in
    var input = FuzzInput(bytes)
    let names = ["a.m3u", "a.pls", "a.xspf", "a.cue", ""]
    let name = names[input.byte() % names.count]
    guard let list = try? TrackList(Array(input.rest), name: name) else { return }
    let folder = "/f".bytes
    // What has no reading leads nowhere.
    let entries = list.entries.filter { entry in
      if case .url = entry.place { false } else { !entry.readings.isEmpty }
    }
    let meant = entries.map { PathText.resolved($0.readings[0], in: folder) }
    for path in meant {
      promise(path.first == UInt8(ascii: "/") && !path.contains(0), "no path: \(path)")
      let own = PathText.relative(path, to: folder)
      promise(PathText.resolved(own, in: folder) == path, "another path: \(own)")
    }
    let written = zip(entries, meant).map { entry, path in
      TrackListEntry(.path(path), title: entry.title, seconds: entry.seconds)
    }
    for text in [TrackList.m3u(written), TrackList.xspf(written, title: "x")] {
      guard let again = try? TrackList(text) else { fatalError("not read again: \(text)") }
      promise(again.entries.count == meant.count, "\(again.entries.count) of \(meant.count)")
      for (entry, path) in zip(again.entries, meant) {
        promise(entry.readings.contains(path), "another file: \(text)")
      }
    }
  }

  /// Any XML, as a tree.
  static let xml = FuzzTarget(
    name: "xml",
    seeds: [
      "<?xml version=\"1.0\"?><!DOCTYPE x><a k='1&amp;2' l=m><b> one </b><b>two<c/>three</b></a>",
      "<icecast><limits><clients>5</clients></limits><!-- x --><mount type=normal/></icecast>",
      "<a><![CDATA[<b>]]>&#65;&#x1F600;&unknown;</a></a><z/>", "<a:b c:d=\"e\"/><",
      "</a><a><b></a>",
    ].map(\.bytes)
  ) { bytes in
    guard let root = XMLNode(bytes) else { return }
    let (count, depth) = size(of: root)
    promise(count <= bytes.count && depth <= 64, "\(count) elements, \(depth) deep")
  }

  private static func size(of node: XMLNode) -> (count: Int, depth: Int) {
    promise(!node.name.isEmpty, "an element without a name")
    return node.children.map(size).reduce((1, 1)) { ($0.0 + $1.count, max($0.1, $1.depth + 1)) }
  }

  /// What a listener who jumps is given before the frame it jumps to.
  static let leadIn = FuzzTarget(
    name: "lead-in",
    seeds: [
      [2, 255, 255] + frame(need: 0) + frame(need: 100), [3, 100, 104] + frame(need: 511),
      [9, 207, 207] + NumberedFrames.frame(1) + frame(need: 200), [1, 1, 1, 0xFF, 0xFB],
    ]
  ) { bytes in
    var input = FuzzInput(bytes)
    let count = input.byte()
    let (_, pieces) = input.whole()
    guard let target = pieces.last else { return }
    let need = MPEGLeadIn.reservoirNeed(of: target.span)
    promise((0...MPEGHeader.reservoirMax).contains(need), "a need of \(need)")
    let preceding = Array(pieces.dropLast().suffix(count))
    guard let made = MPEGLeadIn.frames(for: target.span, preceding: preceding) else { return }
    promise(made.isEmpty == (need == 0), "\(made.count) bytes for a need of \(need)")
    guard let own = MPEGHeader(in: target.span), !made.isEmpty else { return }
    guard let first = MPEGHeader(in: made.span) else { fatalError("no frame") }
    promise(first.layer == 3 && first.version == own.version, "another kind of frame")
    promise(first.sampleRate == own.sampleRate && first.channels == own.channels, "other audio")
    if let length = first.frameBytes { promise(made.count % length == 0, "half a frame") }
  }

  /// A frame that is made louder or softer, and a seam between many of it.
  static let seam = FuzzTarget(
    name: "seam",
    seeds: [
      [100, 4] + frame(need: 0), [200, 9] + frame(need: 511), [128, 0, 0xFF, 0xFB, 0x90, 0x04],
      [1, 255] + [0xFF, 0xFA, 0x90, 0xC4] + [UInt8](repeating: 0x55, count: 413),
      [130, 7] + [0xFF, 0xF3, 0x80, 0x04] + [UInt8](repeating: 0x11, count: 204),
      [0, 0] + [0xFF, 0xFB, 0x90, 0x04] + [UInt8](repeating: 0, count: 32) + "Info".bytes
        + [UInt8](repeating: 15, count: 160),
    ]
  ) { bytes in
    var input = FuzzInput(bytes)
    let (steps, trim) = (input.byte() - 128, input.byte() * 16)
    let frame = Array(input.rest)
    if let info = MPEGInfo(in: frame.span) {
      promise((info.front ?? 0) < 4_096 + 529 && (info.back ?? 0) < 4_096, "a trim of \(info)")
    }
    var louder = frame
    var span = louder.mutableSpan
    MPEGGain.change(&span, by: steps)
    promise(louder.count == frame.count, "a frame of another length")
    if let before = MPEGSideInfo(in: frame.span), let after = MPEGSideInfo(in: louder.span) {
      promise(before.granules.map(\.dataBits) == after.granules.map(\.dataBits), "other lengths")
      promise(before.granules.map(\.block) == after.granules.map(\.block), "other windows")
      promise(before.mainDataBegin == after.mainDataBegin, "another beginning")
    } else {
      promise(louder == frame, "what is no frame has changed")
    }
    let piece = MPEGSplice.Piece(frames: [[UInt8]](repeating: louder, count: 120), trim: trim)
    guard let splice = try? MPEGSplice(from: piece, to: piece, .exact, bitrate: 128) else { return }
    let encoded = [[UInt8]](repeating: frame, count: splice.count)
    guard let made = try? splice.frames(of: encoded, like: frame) else { return }
    promise(made.count == splice.count, "\(made.count) frames of \(splice.count)")
    // The last one may be larger.
    promise(made.dropLast().allSatisfy { $0.count == frame.count }, "frames of other lengths")
  }

  /// 128 kbit/s at 44.1 kHz, whose audio begins so many bytes before it.
  private static func frame(need: Int) -> [UInt8] {
    var frame = NumberedFrames.frame(7)
    (frame[4], frame[5]) = (UInt8(need >> 1), UInt8(need & 1) << 7)
    return frame
  }
}
