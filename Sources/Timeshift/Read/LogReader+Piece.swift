import Wire

extension LogReader {
  /// Where `media` stands in the log's programme, for the packets of a rendition that are heard there.
  ///
  /// Media times in front of the first packet are counted back. Nil for an empty log.
  public func programme(at media: MediaTime) -> ProgrammePlace? { lists.programme(at: media) }

  /// Cuts the packets of a piece, all of them or none.
  ///
  /// `.nothing` if part of the piece cannot be read.
  public func clip(of piece: Piece) -> ClipAnswer {
    guard piece.start >= oldest.media else { return .nothing }
    // A packet that begins in the piece may end behind it, and a delayed edge stands between whole packets.
    guard !isEdgeLoading, piece.end <= edge.media, let start = firstPoint(atOrAfter: piece.start),
      let end = firstPoint(atOrAfter: piece.end)
    else { return .loading }
    // Where a hole is, the next packet is behind it.
    guard start.media < piece.end else { return .nothing }
    let answer = clip(from: start, to: end)
    guard case .clip(let clip) = answer else { return answer }
    return clip.start == start && clip.end == end ? answer : .nothing
  }

  /// The first packet that begins at `media` or later; the oldest packet or the edge if none lies between. Nil while
  /// loading.
  public func firstPoint(atOrAfter media: MediaTime) -> LogPoint? {
    guard let point = point(atOrBefore: media) else { return nil }
    if point.media >= media || point.position >= edge.position { return point }
    return bounds(at: point.position).flatMap { bounds(at: $0.end)?.start }
  }
}

/// The answer to the name of packets within a cell.
public enum SpanAnswer {
  /// The packets, and the piece in which they begin.
  case clip(Clip, Piece)
  /// Part of them is being fetched from the disk: ask again next turn.
  case loading
  case gone
  /// No packets have this name.
  case unknown
}

extension LogReader {
  /// Cuts the packets between two positions, if they belong to one cell that is listed under `key`.
  ///
  /// - Parameter piece: gives the piece that holds a media time.
  public func clip(
    of span: Range<UInt64>, _ key: PieceKey, in piece: (MediaTime) -> Piece?
  ) -> SpanAnswer {
    if span.upperBound > edge.position { return .unknown }
    if span.lowerBound < oldest.position { return .gone }
    guard let first = bounds(at: span.lowerBound)?.start,
      let last = bounds(at: span.upperBound - 1),
      let end = span.upperBound == edge.position ? edge : bounds(at: span.upperBound)?.start
    else { return .loading }
    guard first.position == span.lowerBound, end.position == span.upperBound,
      last.end == span.upperBound,
      let found = piece(first.media), found.key == key,
      let other = piece(last.start.media), other.key == key, other.cell == found.cell
    else { return .unknown }
    switch clip(from: first, to: end) {
    case .loading: return .loading
    case .nothing: return .gone
    case .clip(let clip):
      guard clip.start == first, clip.end == end else { return .gone }
      return .clip(clip, found)
    }
  }

  /// The packets of a clip of Opus or FLAC, for a fragment; nil while they are being fetched, and where they are gone.
  ///
  /// - Returns: the packets, and their programme time.
  public func packets(
    of clip: Clip, _ headers: OggHeaders, in piece: Piece
  ) -> (packets: OggPackets, programme: Range<MediaTime>)? {
    var packets = OggPackets(headers)
    var position = clip.start.position
    while position < clip.end.position {
      guard let bounds = bounds(at: position), bounds.start.position == position,
        let length = length(ofPacketAt: position),
        let bytes = copy(from: position, to: bounds.end), !bytes.isEmpty,
        packets.add(bytes.span, heard: length.samples(rate: headers.format.sampleRate))
      else { return nil }
      position = bounds.end
    }
    return (
      packets, piece.programme(at: clip.start.media)..<piece.programme(at: clip.end.media)
    )
  }
}
