import Reactor
import Timeshift
import Wire

/// Clips and files that are played backwards: requests for them, until their bodies are sent. They take the places of
/// clips, and no station counts them.
final class Reversals {
  private let connections: Connections
  private let shared: SharedState
  private let answers: Answers
  let figures = ClipFigures()

  /// Seconds for which a client may take nothing of what is played backwards: few places are there for all.
  private static let patienceMax = 60.0
  /// Returns the nanoseconds for which a clip's client may take nothing; nil without end.
  ///
  /// - Parameter pause: the station's `pause-timeout` in seconds, 0 for none.
  static func patience(_ pause: Double, isReversed: Bool) -> Int64? {
    let most = isReversed ? patienceMax : .infinity
    let seconds = pause > 0 ? min(pause, most) : most
    return seconds.isFinite ? Int64(nanosecondsIn: seconds) : nil
  }

  init(_ connections: Connections, _ answers: Answers) {
    self.connections = connections
    self.answers = answers
    shared = connections.shared
  }

  /// Reserves one of the places for clips of an address, or answers that there is none.
  func reserveClipPlace(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount, isReversed: Bool
  ) -> Bool {
    let client = connections.client(slot, head)
    guard shared.clipPlaces.reserve(AddressBlock(client)) else {
      connections.counts.refuse(.address)
      answers.replyError(
        slot, to: head, status: 429, code: "too-many-clips",
        message: "your address is being sent all the clips it may have at once",
        fields: [.init(name: "Retry-After", value: "10")])
      return false
    }
    let patience = Self.patience(mount.settings.pauseTimeout, isReversed: isReversed)
    answers.giveClipPlace(slot, head, ClipPlace(mount, client, patience: patience))
    figures.now += 1
    figures.total += 1
    return true
  }

  /// Answers a request for a clip that has been found and has its place.
  ///
  /// - Parameter air: when the clip's first packet was on air, for the file's name.
  func play(
    _ slot: UInt32, _ head: HTTPRequestHead, _ clip: Clip, air: WallTime, of mount: Mount
  ) {
    guard let maker = maker(slot, head, mount),
      case .stream(let log, let delay) = mount.content
    else { return }
    let blocks = WaitingClipBlocks(ClipBlocks(log, clip, delay: delay))
    let order = ReverseOrder(
      station: mount.station, format: clip.format,
      bitrate: Double(clip.byteCount) / 125 / max(clip.seconds, 0.001),
      isCutShort: { blocks.isCutShort }
    ) { await blocks.next() }
    let name = "\(mount.station)-\(air.compact)-reversed.mp3"
    connections.answerOffLoop(slot) {
      await maker.reverse(order)
    } then: { [self] slot, head, opened in
      answer(slot, head, opened, at: mount.station, savedName: name)
    }
  }

  /// Answers an admitted request for a file: finds it off the loop, since that takes the disk.
  func play(
    _ slot: UInt32, _ head: HTTPRequestHead, _ request: FileRequest, _ mount: Mount
  ) {
    guard let source = mount.files else { return }
    guard reserveClipPlace(slot, head, mount, isReversed: true) else {
      return connections.giveBackTicket(slot)
    }
    guard let maker = maker(slot, head, mount) else { return }
    let (files, station) = (shared.files, mount.station)
    let customer = AddressBlock(connections.client(slot, head))
    let isHeard = head.method != "HEAD"
    connections.answerOffLoop(slot) {
      () -> Result<any ReverseSource, FileLibrary.ReverseRefusal> in
      do throws(FileLibrary.ReverseRefusal) {
        let order = try await files.reverseOrder(
          request, in: source, of: station, for: customer, isHeard: isHeard)
        return await maker.reverse(order).mapError { .sound($0) }
      } catch {
        return .failure(error)
      }
    } then: { [self] slot, head, opened in
      guard let mount = connections.mounts.mount(station: station), !mount.isStopped,
        !connections.isDraining
      else { return answers.replyStopped(slot, to: head, station) }
      switch opened {
      case .success(let made): send(slot, head, made, savedName: nil)
      case .failure(.file(let refusal)): answers.refuse(slot, head, refusal, mount)
      case .failure(.sound(let refusal)): answers.refuse(slot, head, refusal, at: station)
      }
    }
  }

  /// Returns what decodes the mount; answers where nothing does.
  private func maker(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount
  ) -> (any SampleMaking)? {
    if let maker = mount.samples { return maker }
    answers.replyError(
      slot, to: head, status: 404, code: "not-found", message: "this server decodes nothing")
    return nil
  }

  private func answer(
    _ slot: UInt32, _ head: HTTPRequestHead,
    _ opened: Result<any ReverseSource, SampleRefusal>, at station: String, savedName: String
  ) {
    switch opened {
    case .success(let source): send(slot, head, source, savedName: savedName)
    case .failure(let refusal): answers.refuse(slot, head, refusal, at: station)
    }
  }

  /// - Parameter savedName: the name under which a client is to save it; nil: by its address.
  private func send(
    _ slot: UInt32, _ head: HTTPRequestHead, _ source: any ReverseSource, savedName: String?
  ) {
    // How long the bytes are is known at their end only.
    let fields = answers.answerHead(
      slot, to: head, status: 200, mediaType: Codec.mp3.mediaType, length: nil, keepsAlive: false,
      fields: [.init(name: "Accept-Ranges", value: "none")]
        + (savedName.map { [FileOrder.disposition($0)] } ?? []))
    let place = connections[slot].clip
    let sending =
      head.method == "HEAD"
      ? nil
      : answers.makeSending(
        slot,
        ReverseBody(
          source, for: place?.customer, at: shared.clipPace, counting: figures),
        by: place)
    answers.send(slot, fields, status: 200, keepsAlive: false, sending: sending)
  }
}

/// Waits for blocks of a clip, off the loops.
///
/// Unchecked: one task at a time asks.
private final class WaitingClipBlocks: @unchecked Sendable {
  private let blocks: ClipBlocks

  init(_ blocks: ClipBlocks) { self.blocks = blocks }

  var isCutShort: Bool { blocks.isCutShort }

  /// Returns the next block; nil at the end, or when the task is cancelled.
  func next() async -> PacketRun? {
    while !Task.isCancelled {
      switch blocks.read() {
      case .block(let run): return run
      case .over: return nil
      case .loading: try? await Task.sleep(for: .milliseconds(20))
      }
    }
    return nil
  }
}
