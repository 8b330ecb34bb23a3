import TestSupport
import Wire

@testable import Ingest

extension FuzzTarget {
  /// ICY blocks out of a body.
  static let blocks = FuzzTarget(
    name: "blocks",
    seeds: [
      [3, 7, 4] + "abcde\u{1}StreamTitle='A';fghij\u{0}klmno".bytes,
      [0, 0, 0] + "a\u{0}b\u{0}c\u{0}".bytes,
    ]
  ) { bytes in
    var input = FuzzInput(bytes)
    let metaint = input.byte() + 1
    let (whole, pieces) = input.whole()
    let (one, many) = (parted([whole], metaint), parted(pieces, metaint))
    promise(one == many, "audio and blocks depend on how they were cut")
    promise(one.audio.count <= whole.count, "more audio than there was")
  }

  private struct Parted: Equatable {
    var audio: [UInt8] = []
    var blocks: [[UInt8]] = []
  }

  private static func parted(_ pieces: [[UInt8]], _ metaint: Int) -> Parted {
    var deinterleaver = ICYDeinterleaver(metaint: metaint)
    var parted = Parted()
    for piece in pieces {
      var from = 0
      while from < piece.count {
        let next = deinterleaver.next(in: piece.span, from: from)
        promise(next.end >= from && next.end <= piece.count, "out of the piece")
        from = next.end
        switch next.piece {
        case .audio(let range): parted.audio += piece[range]
        case .block(let block): parted.blocks.append(block)
        case nil: break
        }
      }
    }
    return parted
  }

  /// Frames and tags out of raw bytes.
  static let frames = FuzzTarget(
    name: "frames",
    seeds: [
      [0, 9, 200] + NumberedFrames.stream(0..<4), [1, 30, 3] + adts + adts + adts,
      [2, 1, 1] + "ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{5}hello".bytes
        + NumberedFrames.stream(0..<3),
      [6, 50, 50] + free + free + free + free, [3, 0, 9] + "TAG".bytes + adts + adts + adts,
    ]
  ) { bytes in
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let (whole, pieces) = input.whole()
    for codec in Codec.allCases {
      let loudness = FrameLoudness.estimate(whole.span, codec: codec)
      promise(loudness == nil || FrameLoudness.isKnown(of: codec), "loudness of \(codec)")
    }
    let hint: Codec? = kind & 1 == 1 ? .aac : kind & 2 == 2 ? .mp3 : nil
    let one = scan([whole], hint: hint, isStrict: kind & 4 == 4)
    promise(one == scan(pieces, hint: hint, isStrict: kind & 4 == 4), "frames depend on the cuts")
  }

  /// 44.1 kHz stereo, 24 bytes.
  private static let adts: [UInt8] =
    [0xFF, 0xF1, 0x50, 0x80, 0x03, 0x1F, 0xFC] + [UInt8](repeating: 7, count: 17)
  private static let free: [UInt8] = [0xFF, 0xFB, 0x00, 0x04] + [UInt8](repeating: 0, count: 60)

  /// The packets' bytes, each with its place.
  private static func scan(_ pieces: [[UInt8]], hint: Codec?, isStrict: Bool) -> [[UInt8]] {
    var scanner = PacketScanner(hint: hint, isStrict: isStrict)
    var (shown, from, dropped): ([UInt8], Int, Int) = ([], 0, 0)
    var packets: [[UInt8]] = []
    for index in 0...pieces.count {
      let atEnd = index == pieces.count
      shown.removeFirst(from)
      dropped += from
      from = 0
      if !atEnd { shown += pieces[index] }
      while let finding = scanner.next(in: shown.span, from: from, atEnd: atEnd) {
        promise(
          finding.range.lowerBound == from && !finding.range.isEmpty, "a hole in the findings")
        from = finding.range.upperBound
        guard case .packet(let packet) = finding else { continue }
        promise(packet.samples > 0 && packet.format.sampleRate > 0, "a packet without time")
        packets.append("\(dropped + packet.range.lowerBound):".bytes + shown[packet.range])
      }
      promise(shown.count - from <= 16 * 1024 + 65_536, "bytes are hoarded")
    }
    promise(from == shown.count, "bytes are left at the end")
    return packets
  }

  /// A whole body, as an upstream sends it.
  static let body = FuzzTarget(
    name: "body",
    seeds: [
      [0, 9, 200] + NumberedFrames.stream(0..<4),
      [100, 9, 200] + NumberedFrames.stream(0..<1).prefix(100) + [2] + "StreamTitle='A';".bytes
        + [UInt8](repeating: 0, count: 16) + NumberedFrames.stream(0..<3),
      [1, 1, 1] + "OggS".bytes + [UInt8](repeating: 0, count: 60),
      [128, 1, 1] + "textOggS".bytes + [UInt8](repeating: 0, count: 60),
      [128, 9, 200] + NumberedFrames.stream(0..<4),
    ]
  ) { bytes in
    var input = FuzzInput(bytes)
    let metaint = input.byte()
    let (whole, pieces) = input.whole()
    let one = read([whole], metaint)
    // A body that is given up is given up somewhere.
    if let one, let many = read(pieces, metaint) {
      promise(one == many, "items depend on the cuts")
    }
  }

  /// Packets and titles; nil: not audio, or out of step.
  private static func read(_ pieces: [[UInt8]], _ metaint: Int) -> [[UInt8]]? {
    let titles = TitleReader(UpstreamSettings(urls: ["http://a/"]))
    var pipeline = Pipeline(
      metaint: metaint & 127 == 0 ? nil : metaint, hint: metaint > 127 ? .vorbis : nil,
      titles: titles)
    var seen: [[UInt8]] = []
    for index in 0...pieces.count {
      let arrivals: Arrivals
      if index < pieces.count {
        let piece = pieces[index]
        arrivals = pipeline.feed(piece.span)
      } else {
        arrivals = pipeline.finish()
      }
      for item in arrivals.items {
        switch item {
        case .packet(let packet): seen.append(Array(arrivals.bytes[packet.range]))
        case .headers(let headers): seen.append("\(headers)".bytes)
        case .lost(let seconds): seen.append("\(seconds)".bytes)
        case .title(let title):
          promise(!title.text.hasControls && !title.url.hasControls, "a control in \(title)")
          seen.append(title.text.bytes)
        }
      }
      if pipeline.isBad || pipeline.isOutOfStep { return nil }
    }
    return seen
  }
}
