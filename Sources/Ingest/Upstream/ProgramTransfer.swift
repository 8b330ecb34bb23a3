import Glibc
import Reactor
import Timeshift
import Wire

/// A program's standard output as a body, as `Transfer` is for an upstream that is asked by URL.
///
/// Made and used on the ingest loop. A paused program is not read: its pipe fills up, and it waits.
final class ProgramTransfer: BodyTransfer, LoopHandler {
  private static let pieceBytes = 16 * 1024
  /// The seconds that a program without output, or an output without its program, has for the rest.
  private static let patience = 1.0
  /// The most pieces read of an output that nobody may be writing any more: a pipe's greatest size.
  private static let restPiecesMax = 64
  /// The most pieces of one pipe in a turn, since other stations wait.
  private static let piecesMax = 4

  private enum Stream: UInt64 { case output, errors }

  private let call: ProgramCall
  /// The sound input that the program reads, if it reads one.
  private let input: SoundInput?
  private let loop: EventLoop
  private let runner: ProgramRunner
  private let onStep: ((TransferStep) -> Void)?
  private weak var owner: (any TransferOwner)?
  private var handler: HandlerID?
  private var id: ProgramRunner.ID?
  private var output: Int32 = -1
  private var errors: Int32 = -1
  private var words = LastWords()
  /// How the program ended; nil while it runs.
  private var exit: ProgramEnd?
  private var isOver = false
  private var hasBegun = false
  /// Whether nothing of the program is left but what it has written.
  private var isGone = false
  /// Whether the program was told to end, since it had closed its output.
  private var isAsked = false
  private var timer: LoopTimer?
  private(set) var isPaused = false

  /// Begins at once; the owner hears from a later turn of the loop.
  init(
    _ call: ProgramCall, machinery: IngestMachinery, owner: any TransferOwner,
    onStep: ((TransferStep) -> Void)?
  ) {
    self.call = call
    input = call.label.flatMap { SoundInput($0) }
    loop = machinery.loop
    runner = machinery.programs
    self.owner = owner
    self.onStep = onStep
    timer = LoopTimer(machinery.clock) { [unowned self] in timeIsUp() }
    id = runner.begin(call) { [unowned self] in hear($0) }
    if id == nil { timer?.set(after: 0) }
  }

  deinit { cancel() }

  func pause() { setPaused(true) }
  func resume() { setPaused(false) }

  private func setPaused(_ isPaused: Bool) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    guard output >= 0, let handler else { return }
    do {
      // The end of a pipe is reported whatever is watched; edge-triggered it is reported once.
      try loop.modify(
        output, isPaused ? .edge : .read, handler: handler, token: Stream.output.rawValue)
    } catch {
      return end(.failed(reason: error.description))
    }
    if isGone, !isPaused { timer?.set(after: 0) }
  }

  func cancel() {
    isOver = true
    timer = nil
    close(&output)
    if let id {
      if errors >= 0 { loop.remove(errors) }
      runner.end(id, errors: errors)
      errors = -1
    }
    id = nil
    close(&errors)
    if let handler { loop.detach(handler) }
    handler = nil
  }

  // MARK: The program

  private func hear(_ news: Program.News) {
    guard !isOver else { return }
    switch news {
    case .begun(let pipes): begin(pipes)
    case .refused(let reason): end(.failed(reason: reason))
    case .exited(let exit): exited(exit)
    case .gone: gone()
    }
  }

  private func begin(_ pipes: ProgramPipes) {
    guard let taken = pipes.claim() else { return }
    (output, errors) = taken
    let handler = loop.attach(self)
    self.handler = handler
    do {
      try loop.add(output, .read, handler: handler, token: Stream.output.rawValue)
      try loop.add(errors, .read, handler: handler, token: Stream.errors.rawValue)
    } catch {
      return end(.failed(reason: error.description))
    }
    hasBegun = true
    owner?.transfer(self, answered: 200, fields: [])
  }

  private func exited(_ exit: ProgramEnd) {
    self.exit = exit
    readRestOfErrors()
    endIfOver()
  }

  /// The group has been killed: who still holds the pipes has left it, and is not waited for.
  private func gone() {
    // The runner has forgotten it.
    id = nil
    isGone = true
    readRest()
  }

  private func readRest() {
    for _ in 0..<Self.restPiecesMax where output >= 0 && !isPaused {
      if !readOutput() { break }
    }
    if !isPaused { outputEnded() }
  }

  private func outputEnded() {
    guard !isOver else { return }
    close(&output)
    // Most programs end with their output, and say how a moment later.
    if exit == nil { timer?.set(after: Self.patience) }
    endIfOver()
  }

  private func timeIsUp() {
    if isGone { return readRest() }
    guard let id else {
      return end(.failed(reason: Shortage.now ?? ProgramRunner.noThread))
    }
    isAsked = true
    runner.ask(toEnd: id)
  }

  private func endIfOver() {
    guard !isOver, hasBegun, output < 0, let exit else { return }
    readRestOfErrors()
    if exit == .exited(0) { return end(.complete) }
    let what = isAsked ? "closed its output and did not end" : exit.words
    // The log has all of it.
    for line in words.popUntold() { onStep?(.said(line)) }
    let said = words.summary
    var reason = "\(call.name) \(what)"
    if let input { reason = input.words(for: reason, said: words.text) }
    end(.failed(reason: reason + (said.isEmpty ? "" : "\n\(said)")))
  }

  private func end(_ end: TransferEnd) {
    guard !isOver else { return }
    cancel()
    owner?.transfer(self, ended: end)
  }

  // MARK: Its pipes

  func timerFired(_ token: UInt32) {}

  func ready(_ token: UInt64, _ readiness: Readiness) {
    switch Stream(rawValue: token) {
    case .output:
      for _ in 0..<Self.piecesMax where output >= 0 && !isPaused {
        if !readOutput() { return }
      }
    case .errors: readErrors(pieces: Self.piecesMax)
    case nil: break
    }
  }

  /// Reads a piece of the output. False: nothing more is there now.
  private func readOutput() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) { buffer in
      switch ProgramPipes.receive(output, into: buffer) {
      case .wouldBlock: return false
      case .ended:
        outputEnded()
        return false
      case .bytes(let count):
        // The kernel has filled this part, and the buffer is this call's own.
        owner?.transfer(
          self,
          delivered: UnsafeRawBufferPointer(rebasing: buffer[..<count])
            .bindMemory(to: UInt8.self).span)
        return count == buffer.count
      }
    }
  }

  private func readRestOfErrors() { readErrors(pieces: Self.restPiecesMax) }

  private func readErrors(pieces: Int) {
    withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) { buffer in
      for _ in 0..<pieces where errors >= 0 {
        switch ProgramPipes.receive(errors, into: buffer) {
        case .wouldBlock: return
        case .ended: close(&errors)
        case .bytes(let count):
          // As above.
          let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          let lines = words.add(piece.bindMemory(to: UInt8.self).span, at: .now())
          for line in lines { heard(line) }
        }
      }
    }
  }

  private func heard(_ line: String) {
    onStep?(.said(line))
    guard let input, let fault = SoundInput.fault(in: line) else { return }
    end(.failed(reason: "\(input.text): \(fault)"))
  }

  private func close(_ fd: inout Int32) {
    guard fd >= 0 else { return }
    loop.remove(fd)
    Glibc.close(fd)
    fd = -1
  }
}
