import Reactor
import Timeshift
import Wire

/// Pieces of the window as finished playlists: the audio of their segments is that of `/ID/clip`.
final class HLSClips {
  private struct Wish: DiskWish {
    let token: UInt64
    let request: ClipRequest
    let station: String
    /// Time to give up, monotonic nanoseconds.
    var deadline: Int64
  }

  private let connections: Connections
  private let loop: EventLoop
  private let shared: SharedState
  private let answers: Answers
  private let readers: HLSReaders
  private let waits: DiskWaits<Wish>

  init(_ connections: Connections, _ answers: Answers, _ readers: HLSReaders) {
    self.connections = connections
    self.answers = answers
    self.readers = readers
    waits = DiskWaits(connections)
    loop = connections.loop
    shared = connections.shared
  }

  func send(_ slot: UInt32, _ head: HTTPRequestHead, _ request: ClipRequest, _ mount: Mount) {
    // A clip's list is no listener: its segments are had without a ticket.
    connections.giveBackTicket(slot)
    if let problem = mount.hlsProblem {
      return answers.replyError(slot, to: head, status: 404, code: "no-hls", message: problem)
    }
    let wish = Wish(
      token: connections.token(slot), request: request, station: mount.station,
      deadline: loop.turnTime + ClipWish.patienceNanoseconds)
    waits.begin(wish, fulfil)
  }

  /// Once a slot: tries the requests again that wait for an index.
  func serveWaits() { waits.serve(fulfil) }

  func bear(_ nanoseconds: Int64) { waits.bear(nanoseconds) }

  /// Answers a request; false while something is on its way from the disk.
  private func fulfil(_ wish: Wish) -> Bool {
    guard let slot = connections.slot(of: wish.token),
      case .answering(let head, _) = connections[slot].state
    else { return true }
    guard let station = HLSStation(wish.station, connections) else {
      answers.replyStopped(slot, to: head, wish.station)
      return true
    }
    let mount = station.mount
    let held = readers.reader(station.source)
    let reader = held.reader
    let earliest = mount.settings.offsetMax.map { reader.air(at: reader.edge.media - $0) }
    let from = earliest.map { max($0, wish.request.from) } ?? wish.request.from
    switch reader.clip(from: from, to: max(from, wish.request.to)) {
    case .loading: return isOver(slot, head, wish)
    case .nothing:
      answers.refuse(slot, head, SampleRefusal.nothingThere, at: mount.station)
    case .clip(let clip):
      guard let ends = ClipEnds(clip, held.pieces, in: reader) else {
        return isOver(slot, head, wish)
      }
      send(slot, head, mount, clip, ends, held.pieces)
    }
    return true
  }

  private func isOver(_ slot: UInt32, _ head: HTTPRequestHead, _ wish: Wish) -> Bool {
    if loop.turnTime < wish.deadline { return false }
    answers.replyUnavailable(slot, to: head, "the disk is slow; ask again")
    return true
  }

  private func send(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount, _ clip: Clip, _ ends: ClipEnds,
    _ pieces: HLSSourcePieces
  ) {
    let isClosed = mount.authority != nil
    let seal = isClosed ? shared.hls.seal.seal(of: mount.station, at: Moment.now().wall) : nil
    let cacheControl = HTTPFields.Field(
      name: "Cache-Control", value: isClosed ? "private, no-store" : "max-age=60")
    let customer = AddressBlock(connections.client(slot, head))
    let takesGzip = ContentCoding.preferred(by: head.fields) == .gzip
    let (desk, station) = (shared.hls.desk, mount.station)
    connections.answerOffLoop(slot) {
      await desk.clip(takesGzip: takesGzip, for: customer) {
        var list = ends.list(
          pieces.pieces(from: clip.start.media, to: clip.end.media), of: pieces)
        list?.seal = seal
        return list
      }
    } then: { [self] slot, head, made in
      switch made {
      case nil: answers.replyUnavailable(slot, to: head, "too much is asked for; ask again")
      case .some(nil): answers.refuse(slot, head, SampleRefusal.nothingThere, at: station)
      case .some(let page?):
        shared.hls.figures.count(.clip, 200)
        answers.reply(
          slot, to: head, status: 200, mediaType: HLSPage.mediaType, body: page.body,
          fields: page.fields(cacheControl), of: page.shared)
      }
    }
  }
}

/// The pieces in which a clip begins and ends, as far as they are cut there.
private struct ClipEnds: Sendable {
  private struct Cut {
    /// The piece as it is in the playlist.
    var piece: Piece
    var packets: Range<UInt64>
  }

  private var cuts: [Cut] = []
  /// The numbers of pieces of which the clip has no packet: it ends within a packet of their border.
  private var empty: Set<Int64> = []

  /// - Returns: nil while an index is being fetched.
  init?(_ clip: Clip, _ pieces: HLSSourcePieces, in reader: LogReader) {
    let first = pieces.piece(at: clip.start.media)
    let last = pieces.piece(at: clip.end.media - .flick)
    for piece in [first, last == first ? nil : last].compactMap(\.self) {
      guard let begin = reader.firstPoint(atOrAfter: piece.start),
        let end = reader.firstPoint(atOrAfter: piece.end)
      else { return nil }
      let start = max(begin.position, clip.start.position)
      let stop = min(end.position, clip.end.position)
      if start >= stop { empty.insert(piece.number) }
      guard start != begin.position || stop != end.position, start < stop else { continue }
      let from = max(piece.start, clip.start.media)
      var cut = piece
      cut.programme =
        piece.programme(at: from)..<piece.programme(at: min(piece.end, clip.end.media))
      cut.air = reader.air(at: from)
      cuts.append(Cut(piece: cut, packets: start..<stop))
    }
  }

  /// Returns the finished playlist of a clip; nil where none of its pieces is listed yet.
  func list(_ all: [Piece], of pieces: HLSSourcePieces) -> MediaPlaylist? {
    var all = all.filter { !empty.contains($0.number) }
    if all.isEmpty { return nil }
    var names: [Int: Range<UInt64>] = [:]
    for cut in cuts {
      guard let place = all.firstIndex(where: { $0.number == cut.piece.number }) else { continue }
      all[place] = cut.piece
      names[place] = cut.packets
    }
    var list = MediaPlaylist(pieces.titled(all), kind: .finished)
    for (place, span) in names where list.pieces.indices.contains(place) {
      let name = list.pieces[place].name
      if let cut = PieceName(key: name.key, part: .span(span), ending: name.ending) {
        list.pieces[place].name = cut
      }
    }
    return list
  }
}
