import Wire

/// A delivery whose audio is the body of one transfer.
protocol BodyDelivery: UpstreamDelivery, TransferOwner {
  associatedtype Bytes: BodyTransfer

  /// Nil once it is over.
  var transfer: Bytes? { get set }
  var body: AudioBody { get }
  var silence: SilenceWatch { get }
  /// Why WAV is not played, and what is.
  var wavRefusal: String { get }

  /// Handles the body's first bytes, which tell its kind.
  func begins(with bytes: [UInt8], as kind: BodyKind)
  /// Handles the good end of the transfer.
  func bodyEnded()
  /// Ends the delivery, once.
  func end(_ end: UpstreamEnd)
}

extension BodyDelivery {
  var sourceURL: String { askedURL }
  var headers: UpstreamHeaders? { body.headers }
  var bodyBytes: BodyBytes { body.bytes }
  var remark: String? { body.remark }
  var wavRefusal: String { Unplayed.wav }

  func pause() {
    transfer?.pause()
    silence.pause()
  }

  func resume() {
    guard transfer?.isPaused == true else { return }
    silence.resume()
    transfer?.resume()
  }

  func cancel() {
    body.end()
    silence.end()
    transfer?.cancel()
    transfer = nil
  }

  func end(_ end: UpstreamEnd) { tell(end) }

  /// Cancels the delivery, and tells its owner why.
  func tell(_ end: UpstreamEnd) {
    guard !body.isOver else { return }
    cancel()
    owner?.deliveryEnded(end)
  }

  // MARK: From the transfer

  func transfer(_ transfer: any BodyTransfer, answered status: Int, fields: [TransferField]) {
    silence.answered()
    body.answered(fields)
  }

  func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>) {
    silence.heard()
    read(piece)
  }

  func transfer(_ transfer: any BodyTransfer, ended end: TransferEnd) { transferEnded(end) }

  func transferEnded(_ end: TransferEnd) {
    switch end {
    case .complete:
      if let bytes = body.wholeBeginning() { begin(with: bytes) }
      if !body.isOver { bodyEnded() }
    case .cut: self.end(.disconnected(reason: "the connection was lost"))
    case .timedOut(let reason): self.end(.timedOut(reason: reason))
    case .failed(let reason): self.end(.failed(reason: reason))
    }
  }

  // MARK: The body

  func read(_ piece: Span<UInt8>) {
    switch body.read(piece) {
    case .nothing: break
    case .beginning(let bytes): begin(with: bytes)
    case .audio(let arrivals): handOver(arrivals, of: piece.count)
    }
  }

  private func begin(with bytes: [UInt8]) {
    if let packing = body.packing(of: bytes) {
      return end(.notAudio(reason: "the answer is packed (\(packing)), which was not asked for"))
    }
    begins(with: bytes, as: body.kind(of: bytes, from: sourceURL))
  }

  func beginAudio(_ bytes: [UInt8]) {
    if let reason = Unplayed.container(bytes, wav: wavRefusal) {
      return end(.notAudio(reason: reason))
    }
    silence.audioBegins()
    body.beginAudio()
    if let headers { owner?.deliveryOpened(headers) }
    // The owner may have cancelled the delivery.
    if let arrivals = body.readBeginning(bytes) { handOver(arrivals, of: bytes.count) }
  }

  private func handOver(_ arrivals: Arrivals, of count: Int) {
    silence.came(bytes: count, hasPackets: arrivals.hasPackets, isOgg: body.isOgg)
    owner?.deliveryBrought(arrivals)
    if let fault = body.fault { end(fault) }
  }

  /// Ends with audio that has come whole.
  ///
  /// - Parameter isLast: whether nothing can follow it.
  func fileEnded(isLast: Bool = false) {
    let arrivals = body.finish()
    if !arrivals.isEmpty { owner?.deliveryBrought(arrivals) }
    end(body.hasPackets ? .fileComplete(isLast: isLast) : body.noAudio("no audio in the body"))
  }
}
