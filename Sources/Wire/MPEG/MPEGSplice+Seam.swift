extension MPEGSplice {
  /// Returns the frames to send between A's last and B's first.
  ///
  /// - Parameters:
  ///   - encoded: The seam's `count` frames, encoded without a bit reservoir.
  ///   - neighbour: A frame of A, whose emphasis and other remarks the seam's frames take on.
  /// - Throws: `noRoom` where B's bytes do not fit; at `sureBitrate` they do.
  public func frames(of encoded: [[UInt8]], like neighbour: [UInt8]) throws(Refusal) -> [[UInt8]] {
    guard encoded.count == count, neighbour.count >= MPEGHeader.bytes else { throw .notOneFormat }
    var packed = try Packed(encoded)
    try packed.carry(reservoir)
    var frames = packed.frames
    for index in frames.indices {
      frames[index][3] = frames[index][3] & 0xF0 | neighbour[3] & 0x0F
      var span = frames[index].mutableSpan
      MPEGChecksum.renew(&span)
    }
    return frames
  }

  /// Whether the seam's first and last windows are long at the borders, as their neighbours' are.
  public func fits(_ encoded: [[UInt8]]) -> Bool {
    guard let first = encoded.first, let last = encoded.last,
      let begin = MPEGSideInfo(in: first.span), let end = MPEGSideInfo(in: last.span)
    else { return false }
    return begin.beginsLong && end.endsLong
  }
}

/// Frames whose main data is moved to the front as far as a bit reservoir reaches, so that room is left at the end.
///
/// ```
/// encoded   | head data 1 .. | head data 2 . | head data 3 ... |
/// packed    | head data 1 da | head ta 2 dat | head a 3  bytes | of the frame behind
/// ```
private struct Packed {
  private(set) var frames: [[UInt8]] = []
  /// Bytes from the end of the last frame's main data to the end of the frame.
  private var free = 0

  init(_ encoded: [[UInt8]]) throws(MPEGSplice.Refusal) {
    // Main-data areas one after another.
    var heads: [[UInt8]] = []
    var areas: [Int] = []
    var room: [UInt8] = []
    for frame in encoded {
      guard let header = MPEGHeader(in: frame.span), let info = MPEGSideInfo(in: frame.span),
        info.mainDataBegin == 0, header.mainDataOffset + info.dataBytes <= frame.count
      else { throw .noRoom }
      let most = header.version == .v1 ? MPEGHeader.reservoirMax : MPEGHeader.reservoirMaxV2
      let begin = heads.isEmpty ? 0 : min(most, free)
      let area = room.count
      room += repeatElement(0, count: frame.count - header.mainDataOffset)
      let data = frame[header.mainDataOffset..<(header.mainDataOffset + info.dataBytes)]
      room.replaceSubrange((area - begin)..<(area - begin + data.count), with: data)
      free = room.count - (area - begin + data.count)
      var head = Array(frame[..<header.mainDataOffset])
      header.write(mainDataBegin: begin, to: &head)
      heads.append(head)
      areas.append(area)
    }
    areas.append(room.count)
    frames = heads.indices.map { heads[$0] + room[areas[$0]..<areas[$0 + 1]] }
  }

  /// Puts bytes at the end of the last frame, at the lowest bit rate not below its own at which they have room.
  mutating func carry(_ bytes: [UInt8]) throws(MPEGSplice.Refusal) {
    guard !bytes.isEmpty else { return }
    guard var last = frames.popLast(), let header = MPEGHeader(in: last.span) else { throw .noRoom }
    let room = min(free, last.count - header.mainDataOffset)
    if room < bytes.count {
      let found = (1...14).first { index in
        let rate = MPEGHeader.bitrate(header.version, layer: 3, index: index)
        let length = header.frameBytes(bitrate: rate) + (header.isPadded ? 1 : 0)
        return rate >= header.bitrate && length - last.count + room >= bytes.count
      }
      guard let found else { throw .noRoom }
      last[2] = last[2] & 0x0F | UInt8(found << 4)
      guard let length = MPEGHeader(in: last.span)?.frameBytes else { throw .noRoom }
      last += repeatElement(0, count: length - last.count)
    }
    last.replaceSubrange((last.count - bytes.count)..., with: bytes)
    frames.append(last)
  }
}

extension MPEGHeader {
  /// Writes the first field of the side info of a frame with this header.
  fileprivate func write(mainDataBegin begin: Int, to frame: inout [UInt8]) {
    let place = mainDataOffset - sideInfoBytes
    guard version == .v1 else {
      frame[place] = UInt8(truncatingIfNeeded: begin)
      return
    }
    frame[place] = UInt8(truncatingIfNeeded: begin >> 1)
    frame[place + 1] = frame[place + 1] & 0x7F | UInt8(begin & 1) << 7
  }
}
