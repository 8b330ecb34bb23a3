import Wire

/// Reads one body of bytes: finds by the first of them whether it is audio, then its packets and titles.
final class AudioBody {
  /// Kind of a piece of the body.
  enum Reading {
    /// Nothing can be said before more bytes come.
    case nothing
    /// The body's first bytes, which tell what it is.
    case beginning([UInt8])
    case audio(Arrivals)
  }

  private enum Phase {
    case asking
    /// The first bytes, until there are enough.
    case sniffing([UInt8])
    /// They are enough, and are no audio so far.
    case told
    case audio
    case over
  }

  private(set) var headers: UpstreamHeaders?
  private var phase = Phase.asking
  private var received: UInt64 = 0
  private var pipeline: Pipeline
  private let type: AudioType?
  private let titles: TitleReader

  /// - Parameter type: the kind of audio that is assumed; nil: as the bytes show.
  init(type: AudioType?, titles: TitleReader) {
    self.type = type
    self.titles = titles
    pipeline = Pipeline(metaint: nil, hint: nil, titles: titles)
  }

  var isAudio: Bool { if case .audio = phase { true } else { false } }
  var isOver: Bool { if case .over = phase { true } else { false } }
  var isOgg: Bool { pipeline.isOgg }
  var hasPackets: Bool { pipeline.packets > 0 }
  var bytes: BodyBytes { BodyBytes(received: received, skipped: pipeline.bytesSkipped) }

  /// Whether the upstream says that all of the body has come.
  var isWhole: Bool { headers?.contentLength.map { received >= $0 } ?? false }

  func answered(_ fields: [TransferField]) {
    headers = UpstreamHeaders(fields, text: titles.texts.text)
    phase = .sniffing([])
  }

  func end() { phase = .over }

  // MARK: Its beginning

  func read(_ piece: Span<UInt8>) -> Reading {
    count(piece.count)
    switch phase {
    case .asking, .told, .over: return .nothing
    case .audio: return .audio(pipeline.feed(piece))
    case .sniffing(let before):
      let bytes = before + piece.array
      phase = bytes.count < BodyKind.sniffedBytes ? .sniffing(bytes) : .told
      return bytes.count < BodyKind.sniffedBytes ? .nothing : .beginning(bytes)
    }
  }

  /// Counts bytes that were read elsewhere.
  func count(_ bytes: Int) { received += UInt64(bytes) }

  /// The first bytes of a body that has ended before there were enough; nil for none.
  func wholeBeginning() -> [UInt8]? {
    guard case .sniffing(let bytes) = phase, !bytes.isEmpty else { return nil }
    phase = .told
    return bytes
  }

  func kind(of bytes: [UInt8], from url: String) -> BodyKind {
    BodyKind(bytes, mediaType: headers?.mediaType, url: url, isForced: type != nil)
  }

  /// The name of the packing that the bytes are in; nil for none.
  func packing(of bytes: [UInt8]) -> String? {
    bytes.starts(with: [0x1F, 0x8B]) ? headers?.coding : nil
  }

  // MARK: Its audio

  func beginAudio() {
    phase = .audio
    pipeline = Pipeline(
      metaint: headers?.metaint, hint: type?.codec ?? headers?.codecHint, isForced: type != nil,
      titles: titles, place: headers?.relay?.place)
  }

  /// Reads the first bytes, which were counted when they came; nil if it was ended meanwhile.
  func readBeginning(_ bytes: [UInt8]) -> Arrivals? {
    isAudio ? pipeline.feed(bytes.span) : nil
  }

  /// Ends the audio. A short file may never have gained sync: with its end known, fewer headers are enough.
  func finish() -> Arrivals { pipeline.finish() }

  /// Why nothing more of it is of use; nil while it is.
  var fault: UpstreamEnd? {
    guard isAudio else { return nil }
    if pipeline.isOutOfStep {
      return .disconnected(reason: "the upstream has lost the places of its title blocks")
    }
    guard pipeline.isBad else { return nil }
    return noAudio("\(pipeline.barrenBytes) without an \(type.map(\.rawValue) ?? "audio") frame")
  }

  func noAudio(_ reason: String) -> UpstreamEnd {
    let foreign = ForeignContainer(of: pipeline.beginning, mediaType: headers?.mediaType)
    return .notAudio(reason: foreign?.reason ?? reason)
  }

  var remark: String? {
    pipeline.metaintFound.map {
      "the upstream sends a title block every \($0) bytes without icy-metaint; they are read"
    }
  }
}

extension Span<UInt8> {
  /// A copy of the bytes.
  var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
