import Glibc
import Media
import Reactor
import Threads
import Timeshift
import Wire

// Files on demand, while they are sent: as listeners are when they go as they play, and until then in turns, out of the
// share of a slot that clips have.
extension LoopServer {
  /// What is brought into the page cache at once: the piece that is wanted, and three more.
  static let fetchBytes = 4 * ClipDesk.pieceBytes

  /// Once a slot: whom the disk or their play point have kept waiting.
  func serveFiles(now: Int64) {
    // With another one first each time, so that what a slot gives goes round.
    let slots = Array(fileSlots)
    let first = slots.isEmpty ? 0 : Int(now / TickPlan.slotNanoseconds) % slots.count
    for slot in slots[first...] + slots[..<first] {
      guard let file = connections[slot].file else { continue }
      if file.endsAt <= now {
        endFile(slot, .listeningTime)
      } else if file.body.due <= now, !connections[slot].isBlocked {
        let token = connections.token(slot)
        continueReply(slot)
        if connections.slot(of: token) != nil { proceed(slot) }
      }
    }
  }

  /// Sends the next piece; true: that was the last.
  func continueFile(_ slot: UInt32, _ body: FileBody) -> Bool {
    let now = loop.turnTime
    func wait(until due: Int64) {
      setBlocked(slot, false)
      body.due = due
    }
    let isInTurn = connections[slot].file?.isInTurn == true
    let isPrompt = !body.isPaced && !isInTurn && prompt.hasLeft
    if !body.isPaced, !isPrompt { waitForTurn(slot) }
    // What is encrypted goes by way of the scratch.
    let limit = connections[slot].tls == nil ? ClipDesk.pieceBytes : clips.scratch.bytes.count
    switch body.next(limit: limit, isPrompt: isPrompt, now: now) {
    case .bytes(let bytes): wrote(slot, body, write(slot, bytes[...]), of: bytes.count, isPrompt)
    case .file(let offset, let count):
      let written = sendFile(slot, body.file, at: offset, count: count)
      wrote(slot, body, written, of: count, isPrompt)
    case .ahead:
      if body.isPaced, let place = connections[slot].file { askForIndex(slot, place, now: now) }
      connections[slot].deadline = patience(slot)
      wait(until: now + TickPlan.placedNanoseconds)
    case .loading:
      connections[slot].deadline = patience(slot)
      wait(until: now)
    case .lost: endFile(slot, .fileEnded)
    case .out: return true
    }
    prepare(slot, body)
    return false
  }

  /// Others come first; meanwhile it goes as it plays.
  private func waitForTurn(_ slot: UInt32) {
    guard let place = connections[slot].file, !place.isInTurn else { return }
    place.isInTurn = true
    prompt.wait(connections.token(slot), for: place.customer)
  }

  /// Has others fetch or make what comes next.
  private func prepare(_ slot: UInt32, _ body: FileBody) {
    if let fetch = body.takeFetch() { shared.files.fetch(fetch) }
    guard let maker = body.lendMaker() else { return }
    let token = connections.token(slot)
    let id = connections[slot].listenerID
    let pages = shared.files.pages
    Task.detached {
      let made = await pages.value { () -> (MediaPages.Chunk?, MediaPages) in
        var maker = maker
        // What cannot be read any more ends there.
        let chunk = (try? maker.next()) ?? nil
        return (chunk, maker)
      }
      await self.take(made, from: maker, token, id)
    }
  }

  private func take(
    _ made: (MediaPages.Chunk?, MediaPages)?, from maker: MediaPages, _ token: UInt64, _ id: UInt64
  ) {
    guard let slot = connections.slot(of: token), connections[slot].listenerID == id,
      let body = connections[slot].file?.body
    else { return }
    if let (chunk, maker) = made { body.take(chunk, from: maker) } else { body.giveBack(maker) }
  }

  private func wrote(
    _ slot: UInt32, _ body: FileBody, _ written: Transferred, of wanted: Int,
    _ isPrompt: Bool
  ) {
    switch written {
    case .ended: end(slot, .clientGone)
    case .wouldBlock:
      body.isStalled = true
      setBlocked(slot, true)
    // Shorter than it was: what was promised is not there.
    case .bytes(0): endFile(slot, .fileEnded)
    case .bytes(let count):
      body.took(count)
      body.isStalled = count < wanted
      connections[slot].file?.bytes += UInt64(count)
      fileBytes += UInt64(count)
      if isPrompt { prompt.spend(count) }
      connections[slot].deadline = patience(slot)
      // Also where it took everything: the others come first, then the loop finds it writable.
      setBlocked(slot, true)
    }
  }

  /// Until when the socket may take nothing: as long as a listener's may.
  private func patience(_ slot: UInt32) -> Int64 {
    // Whoever has closed its sending half may have gone: nothing would show that.
    if connections[slot].isInputEnded { return loop.turnTime + replyNanoseconds }
    let seconds = connections[slot].file?.mount.settings.pauseTimeout ?? 0
    return seconds > 0 ? loop.turnTime + Int64(nanosecondsIn: seconds) : .max
  }

  /// From the page cache to the socket, without a copy in between unless it is encrypted.
  private func sendFile(
    _ slot: UInt32, _ file: MediaFile, at offset: UInt64, count: Int
  ) -> Transferred {
    if connections[slot].tls != nil {
      let piece = UnsafeMutableRawBufferPointer(rebasing: clips.scratch.bytes[..<count])
      let got = pread(file.descriptor, piece.baseAddress, count, off_t(offset))
      if got < 0 { return .ended }
      return got == 0 ? .bytes(0) : write(slot, UnsafeRawBufferPointer(rebasing: piece[..<got]))
    }
    let written = Socket.sendFile(
      connections[slot].fd, file.descriptor, at: offset, count: count)
    if case .bytes(let sent) = written { connections[slot].note?.bytes += UInt64(sent) }
    return written
  }
}
