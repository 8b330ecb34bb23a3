import Reactor
import Timeshift
import Wire

/// Segments, and what a decoder needs before them.
final class HLSPieces {
  /// A request that waits for an index.
  private struct Wish: DiskWish {
    let token: UInt64
    let name: PieceName
    let station: String
    /// Time to give up, monotonic nanoseconds.
    var deadline: Int64
  }

  private let connections: Connections
  private let loop: EventLoop
  private let shared: SharedState
  private let answers: Answers
  let readers: HLSReaders
  private let waits: DiskWaits<Wish>

  init(_ connections: Connections, _ answers: Answers, _ readers: HLSReaders) {
    self.connections = connections
    self.answers = answers
    self.readers = readers
    waits = DiskWaits(connections)
    loop = connections.loop
    shared = connections.shared
  }

  func send(_ slot: UInt32, _ head: HTTPRequestHead, _ request: HLSPieceRequest, _ mount: Mount) {
    guard let name = request.name else { return replyUnknown(slot, head) }
    if mount.authority != nil, case .tcp = connections[slot].origin {
      guard let seal = request.seal,
        shared.hls.seal.isValid(seal, of: mount.station, at: Moment.now().wall)
      else {
        return answers.replyError(
          slot, to: head, status: 403, code: "bad-seal",
          message:
            "segments of station \(mount.station) have addresses that its playlists tell, and "
            + "that count for 6 to 12 hours; load the playlist again")
      }
    }
    if sendKept(slot, head, name, mount) { return }
    let wish = Wish(
      token: connections.token(slot), name: name, station: mount.station,
      deadline: loop.turnTime + ClipWish.patienceNanoseconds)
    waits.begin(wish, fulfil)
  }

  /// Answers with a piece that was put together for others; false where none is kept.
  private func sendKept(
    _ slot: UInt32, _ head: HTTPRequestHead, _ name: PieceName, _ mount: Mount
  ) -> Bool {
    guard let source = HLSSource(mount, in: connections.mounts),
      let kept = shared.hls.shelf.piece(.init(name, of: source)),
      kept.span.lowerBound >= source.log.oldest.media
    else { return false }
    let end = kept.span.upperBound
    if !refuse(slot, head, name, end, mount, at: readers.reader(source).reader.edge) {
      reply(slot, head, name, kept)
    }
    return true
  }

  /// Once a slot: tries the requests again that wait for an index.
  func serveWaits() { waits.serve(fulfil) }

  func bear(_ nanoseconds: Int64) { waits.bear(nanoseconds) }

  // MARK: Finding

  /// Answers a request; false while something is on its way from the disk.
  private func fulfil(_ wish: Wish) -> Bool {
    guard let slot = connections.slot(of: wish.token),
      case .answering(let head, _) = connections[slot].state
    else { return true }
    guard let station = HLSStation(wish.station, connections) else {
      answers.replyStopped(slot, to: head, wish.station)
      return true
    }
    let (mount, source) = (station.mount, station.source)
    let held = readers.reader(source)
    switch wish.name.part {
    case .piece(let cell, let number):
      return send(slot, head, wish, cell: Int64(cell), part: Int(number), mount, source, held)
    case .span(let span): return send(slot, head, wish, span, mount, source, held)
    case .initialisation(let number):
      sendInitialisation(slot, head, wish.name, number, held)
      return true
    }
  }

  private func send(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish, cell: Int64, part: Int, _ mount: Mount,
    _ source: HLSSource, _ held: HLSReaders.Held
  ) -> Bool {
    switch held.pieces.piece(wish.name.key, cell: cell, part: part) {
    case .unknown, .notListed: replyUnknown(slot, head)
    case .gone: replyGone(slot, head)
    case .piece(let piece):
      guard isOf(piece, wish.name) else {
        replyUnknown(slot, head)
        break
      }
      if refuse(slot, head, wish.name, piece.end, mount, at: held.reader.edge) { break }
      switch held.reader.clip(of: piece) {
      case .clip(let clip): send(slot, head, wish.name, piece, clip, source, held)
      case .nothing: replyGone(slot, head)
      case .loading: return isOver(slot, head, wish)
      }
    }
    return true
  }

  private func send(
    _ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish, _ span: Range<UInt64>, _ mount: Mount,
    _ source: HLSSource, _ held: HLSReaders.Held
  ) -> Bool {
    switch held.reader.clip(of: span, wish.name.key, in: held.pieces.piece(at:)) {
    case .unknown: replyUnknown(slot, head)
    case .gone: replyGone(slot, head)
    case .loading: return isOver(slot, head, wish)
    case .clip(let clip, let piece):
      guard isOf(piece, wish.name) else {
        replyUnknown(slot, head)
        break
      }
      if refuse(slot, head, wish.name, piece.end, mount, at: held.reader.edge) { break }
      send(slot, head, wish.name, piece, clip, source, held)
    }
    return true
  }

  private func isOf(_ piece: Piece, _ name: PieceName) -> Bool {
    piece.codec.flatMap(PieceName.Ending.init) == name.ending
  }

  /// Whether the disk has had its time; then it is answered.
  private func isOver(_ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish) -> Bool {
    if loop.turnTime < wish.deadline { return false }
    shared.hls.figures.count(.segment, 503)
    answers.replyUnavailable(slot, to: head, "the disk is slow; ask again")
    return true
  }

  /// Seconds for which a segment that has left the list can still be had.
  private static let margin = 180.0

  /// Answers a request for audio further back than listeners may go; false where they may.
  ///
  /// - Parameter end: of the audio, in media time.
  private func refuse(
    _ slot: UInt32, _ head: HTTPRequestHead, _ name: PieceName, _ end: MediaTime, _ mount: Mount,
    at edge: @autoclosure () -> LogPoint
  ) -> Bool {
    let settings = mount.settings
    var reach = settings.offsetMax
    if !settings.allowsShift, !settings.givesClips {
      reach = MediaTime(seconds: 10 * Double(name.key.seconds))
    }
    guard let reach, edge().media - end > reach + MediaTime(seconds: Self.margin)
    else { return false }
    connections.counts.refuse(.rights)
    shared.hls.figures.count(.segment, 403)
    answers.replyError(
      slot, to: head, status: 403, code: "shift-off",
      message: "station \(mount.station) is not heard so far back")
    return true
  }

  // MARK: Answers

  private func replyUnknown(_ slot: UInt32, _ head: HTTPRequestHead) {
    shared.hls.figures.count(.segment, 404)
    answers.replyError(
      slot, to: head, status: 404, code: "not-found",
      message: "no playlist has this segment now; load the playlist again",
      fields: [.init(name: "Cache-Control", value: "max-age=1")])
  }

  private func replyGone(_ slot: UInt32, _ head: HTTPRequestHead) {
    shared.hls.figures.count(.segment, 410)
    answers.replyError(
      slot, to: head, status: 410, code: "gone",
      message: "this segment is not kept any more",
      fields: [
        .init(name: "Cache-Control", value: "max-age=3600")
      ])
  }

  private func sendInitialisation(
    _ slot: UInt32, _ head: HTTPRequestHead, _ name: PieceName, _ number: UInt64,
    _ held: HLSReaders.Held
  ) {
    guard
      let headers = held.pieces.own.headers(name.key, discontinuities: Int64(clamping: number)),
      let writer = FragmentWriter(headers)
    else { return replyUnknown(slot, head) }
    reply(
      slot, head, name, EntityTag(opaque: name.text), writer.initialisation, .`init`, of: nil)
  }

  private func send(
    _ slot: UInt32, _ head: HTTPRequestHead, _ name: PieceName, _ piece: Piece, _ clip: Clip,
    _ source: HLSSource, _ held: HLSReaders.Held
  ) {
    let etag = EntityTag(opaque: name.text)
    if etag.isNamed(in: head.fields) { return replyUnchanged(slot, head, name, etag, .segment) }
    let title = held.title(of: piece)
    if name.ending == .m4s {
      return sendFragment(slot, head, name, etag, piece, clip, title, source, held)
    }
    let tag = TimestampTag(
      media: piece.programme(at: clip.start.media).stored, title: title.map { HLSTitle($0.title) }
    ).bytes
    if head.method != "HEAD", held.reader.edge.media - piece.end <= MediaTime(seconds: Self.margin),
      let bytes = whole(tag, clip, held.reader)
    {
      let kept = PieceShelf.Kept(bytes: bytes, tag: etag, span: piece.start..<piece.end)
      shared.hls.shelf.keep(kept, as: .init(name, of: source))
      return reply(slot, head, name, kept)
    }
    let answer = ranged(head, name, etag, tag.count + clip.byteCount)
    if answer.status == 416 { return refuseRange(slot, head, answer) }
    shared.hls.figures.count(.segment, answer.status)
    let keepsAlive = head.keepsAlive && !connections.isDraining
    let bytes = answers.answerHead(
      slot, to: head, status: answer.status, mediaType: answer.mediaType, length: answer.length,
      keepsAlive: keepsAlive, fields: answer.fields)
    var sending: Sending?
    if head.method != "HEAD" {
      let body = SegmentBody(
        clip, answer.pieces(behind: tag), from: held.reader, counting: shared.hls.figures)
      sending = answers.makeSending(
        body, for: AddressBlock(connections.client(slot, head)), patience: answers.replyNanoseconds)
    }
    answers.send(slot, bytes, status: answer.status, keepsAlive: keepsAlive, sending: sending)
  }

  /// Longer segments are read while they are sent.
  private static let wholeMax = 1 << 20

  /// Puts a segment together; nil where not all of it is in memory, or it is long.
  private func whole(_ tag: [UInt8], _ clip: Clip, _ reader: LogReader) -> [UInt8]? {
    guard clip.byteCount <= Self.wholeMax else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(tag.count + clip.byteCount)
    bytes += tag
    let scratch = answers.scratch.bytes
    while bytes.count < tag.count + clip.byteCount {
      let place = bytes.count - tag.count
      guard
        case .bytes(let piece) = reader.read(
          clip, at: place, limit: clip.byteCount - place, scratch: scratch),
        !piece.isEmpty
      else { return nil }
      bytes += piece
    }
    return bytes
  }

  private func ranged(
    _ head: HTTPRequestHead, _ name: PieceName, _ tag: EntityTag, _ length: Int
  ) -> RangedReply {
    RangedReply(
      length, tag: tag.strong, mediaType: name.ending.mediaType,
      boundary: "longwave-\(name.key.text)", fields: [CacheControl.immutable], to: head)
  }

  private func replyUnchanged(
    _ slot: UInt32, _ head: HTTPRequestHead, _ name: PieceName, _ tag: EntityTag,
    _ kind: HLSFigures.Kind
  ) {
    shared.hls.figures.count(kind, 304)
    answers.reply(
      slot, to: head, status: 304, mediaType: name.ending.mediaType, body: [],
      fields: [CacheControl.immutable, .init(name: "ETag", value: tag.strong)])
  }

  private func refuseRange(_ slot: UInt32, _ head: HTTPRequestHead, _ answer: RangedReply) {
    shared.hls.figures.count(.segment, 416)
    answers.replyError(
      slot, to: head, status: 416, code: "bad-range",
      message: "the segment has \(answer.wholeLength) bytes", field: "Range",
      fields: answer.fields.filter { $0.name != "Cache-Control" })
  }

  private func sendFragment(
    _ slot: UInt32, _ head: HTTPRequestHead, _ name: PieceName, _ etag: EntityTag, _ piece: Piece,
    _ clip: Clip, _ title: TitleMark?, _ source: HLSSource, _ held: HLSReaders.Held
  ) {
    let (key, shelf) = (PieceShelf.Key(name, of: source), shared.hls.shelf)
    guard
      let headers = held.pieces.own.headers(piece.key, discontinuities: piece.discontinuities)
    else { return replyGone(slot, head) }
    let reading = FragmentReading(
      log: source.log, delay: source.delay, clip: clip, piece: piece, headers: headers, title: title
    )
    connections.answerOffLoop(slot) {
      let bytes = await reading.bytes()
      let made = bytes.map {
        PieceShelf.Kept(bytes: $0, tag: etag, span: piece.start..<piece.end)
      }
      if let made { shelf.keep(made, as: key) }
      return made
    } then: { [self] slot, head, made in
      guard let made else { return replyGone(slot, head) }
      reply(slot, head, name, made)
    }
  }

  private func reply(
    _ slot: UInt32, _ head: HTTPRequestHead, _ name: PieceName, _ kept: PieceShelf.Kept
  ) {
    reply(slot, head, name, kept.tag, kept.bytes, .segment, of: kept.shared)
  }

  /// Sends what is in memory, or the parts of it that are wanted.
  private func reply(
    _ slot: UInt32, _ head: HTTPRequestHead, _ name: PieceName, _ tag: EntityTag, _ bytes: [UInt8],
    _ kind: HLSFigures.Kind, of page: MemoryRoom.SharedPage?
  ) {
    if tag.isNamed(in: head.fields) { return replyUnchanged(slot, head, name, tag, kind) }
    let answer = ranged(head, name, tag, bytes.count)
    if answer.status == 416 { return refuseRange(slot, head, answer) }
    shared.hls.figures.count(kind, answer.status)
    let isWhole = answer.status == 200
    let body =
      isWhole
      ? bytes
      : answer.pieces.flatMap { piece in
        switch piece {
        case .text(let text): text
        case .part(let range): Array(bytes[range])
        }
      }
    if head.method != "HEAD" { shared.hls.figures.send(body.count) }
    answers.reply(
      slot, to: head, status: answer.status, mediaType: answer.mediaType, body: body,
      fields: answer.fields, of: isWhole ? page : nil)
  }
}
