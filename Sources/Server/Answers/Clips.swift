import Reactor
import Timeshift
import Wire

/// Pieces of the window as files: requests for clips, until their bodies are sent.
final class Clips {
  private let connections: Connections
  private let loop: EventLoop
  private let shared: SharedState
  private let answers: Answers
  let reversals: Reversals
  private let waits: DiskWaits<ClipWish>
  let figures: ClipFigures

  init(_ connections: Connections, _ answers: Answers, _ reversals: Reversals) {
    self.connections = connections
    self.reversals = reversals
    figures = reversals.figures
    self.answers = answers
    waits = DiskWaits(connections)
    loop = connections.loop
    shared = connections.shared
  }

  /// Gives back what was reserved to send a clip, if anything.
  func leaveClip(_ slot: UInt32) {
    guard let place = answers.popClipPlace(slot, isTap: false) else { return }
    figures.now -= 1
    shared.clipPlaces.release(place.customer)
  }

  /// Answers an admitted request for a clip, now or when its index is here.
  func cut(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: ClipRequest, _ mount: Mount
  ) {
    guard case .stream(let log, let delay) = mount.content else { return }
    guard reversals.reserveClipPlace(slot, head, mount, isReversed: request.isReversed) else {
      return connections.giveBackTicket(slot)
    }
    let wish = ClipWish(
      token: connections.token(slot), reader: LogReader(log, delay: delay),
      request: request, mount: mount, offsetMax: mount.settings.offsetMax,
      deadline: loop.turnTime + ClipWish.patienceNanoseconds)
    waits.begin(wish, fulfil)
  }

  /// Answers a request for a clip; false while something is on its way from the disk.
  private func fulfil(_ wish: ClipWish) -> Bool {
    guard let slot = connections.slot(of: wish.token),
      case .answering(let head, _) = connections[slot].state
    else { return true }
    wish.reader.refresh()
    let earliest = wish.offsetMax.map { wish.reader.air(at: wish.reader.edge.media - $0) }
    let from = earliest.map { max($0, wish.request.from) } ?? wish.request.from
    switch wish.reader.clip(from: from, to: max(from, wish.request.to)) {
    case .clip(let clip) where wish.request.isReversed:
      let air = wish.reader.air(at: clip.start.media)
      reversals.play(slot, head, clip, air: air, of: wish.mount)
    case .clip(let clip):
      sendClip(slot, clip, of: wish.mount.station, from: wish.reader, to: head)
    case .nothing:
      answers.refuse(slot, head, SampleRefusal.nothingThere, at: wish.mount.station)
    case .loading:
      if loop.turnTime < wish.deadline { return false }
      answers.replyUnavailable(slot, to: head, "the disk is slow; ask again")
    }
    return true
  }

  private func sendClip(
    _ slot: UInt32, _ clip: Clip, of station: String, from reader: LogReader,
    to head: HTTPRequestHead
  ) {
    let answer = RangedReply(
      clip, of: station, air: reader.air(at: clip.start.media), to: head)
    if answer.status == 416 {
      return answers.replyError(
        slot, to: head, status: 416, code: "bad-range",
        message: "the clip has \(clip.byteCount) bytes", field: "Range", fields: answer.fields)
    }
    let keepsAlive = head.keepsAlive && !connections.isDraining
    let fields = answers.answerHead(
      slot, to: head, status: answer.status, mediaType: answer.mediaType, length: answer.length,
      keepsAlive: keepsAlive, fields: answer.fields)
    let sending = head.method == "HEAD" ? nil : makeClip(slot, clip, answer, from: reader)
    answers.send(slot, fields, status: answer.status, keepsAlive: keepsAlive, sending: sending)
  }

  private func makeClip(
    _ slot: UInt32, _ clip: Clip, _ answer: RangedReply, from reader: LogReader
  ) -> Sending {
    let place = connections[slot].clip
    let body = ClipBody(
      clip, answer.pieces, from: reader, for: place?.customer, at: shared.clipPace,
      counting: figures)
    return answers.makeSending(slot, body, by: place)
  }

  /// Once a slot: tries the requests again that wait for an index.
  func serveWaits() { waits.serve(fulfil) }

  func bear(_ nanoseconds: Int64) { waits.bear(nanoseconds) }
}
