import Wire

extension LogReader {
  /// Cuts the packets of a piece, all of them or none.
  ///
  /// `.nothing` if part of the piece cannot be read.
  public func clip(of piece: Piece) -> ClipAnswer {
    guard piece.start >= oldest.media else { return .nothing }
    guard !isEdgeLoading, let start = firstPoint(atOrAfter: piece.start),
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
  func firstPoint(atOrAfter media: MediaTime) -> LogPoint? {
    guard let point = point(atOrBefore: media) else { return nil }
    if point.media >= media || point.position >= edge.position { return point }
    return bounds(at: point.position).flatMap { bounds(at: $0.end)?.start }
  }
}
