import Audio
import Reactor
import Wire

/// One run of a program, whose output is the body: audio, or samples that are encoded here.
///
/// Encoding runs on the ingest loop: a stereo station takes 0.7 % of a core, in steps of a millisecond.
final class ProgramDelivery: BodyDelivery {
  let askedURL: String
  weak var owner: (any UpstreamDeliveryOwner)?
  var transfer: ProgramTransfer?
  let body: AudioBody
  let silence: SilenceWatch
  private let program: ProgramCall
  /// Makes MP3 of the samples that the program writes; nil where it writes encoded audio.
  private let encoder: PCMEncoder?

  /// Begins at once; the owner hears from a later turn of the loop.
  init(
    _ program: ProgramCall, by maker: DeliveryMaker, connectTimeout: Double,
    owner: any UpstreamDeliveryOwner, onStep: ((TransferStep) -> Void)?
  ) {
    self.program = program
    askedURL = UpstreamSettings.shownURL(of: program)
    self.owner = owner
    body = maker.body()
    silence = maker.silence(
      beginningSecondsMax: maker.machinery.oddities.playlistSecondsMax)
    encoder = maker.settings.encode.map { PCMEncoder($0) }
    silence.onSilence = { [unowned self] in end(.timedOut(reason: $0)) }
    silence.begin(connectTimeout: connectTimeout)
    transfer = ProgramTransfer(program, machinery: maker.machinery, owner: self, onStep: onStep)
  }

  let isLive = true
  let stitchSource = StitchSource()
  var wavRefusal: String { Unplayed.wav(from: program) }

  func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>) {
    guard let encoder else { return hear(piece) }
    do throws(AudioError) {
      let bytes = try encoder.encode(piece)
      if !bytes.isEmpty { hear(bytes.span) }
    } catch {
      end(.failed(reason: "the samples cannot be encoded: \(error.reason)"))
    }
  }

  private func hear(_ piece: Span<UInt8>) {
    silence.heard()
    read(piece)
  }

  func transfer(_ transfer: any BodyTransfer, ended end: TransferEnd) {
    if let rest = encoder?.finish(), !rest.isEmpty { hear(rest.span) }
    transferEnded(end)
  }

  func begins(with bytes: [UInt8], as kind: BodyKind) {
    guard kind == .audio else {
      return end(.notAudio(reason: "the program writes text and no audio"))
    }
    beginAudio(bytes)
  }

  func bodyEnded() {
    guard body.isAudio else {
      return end(.programEnded(reason: "\(program.name) ended and wrote nothing", isHopeless: true))
    }
    fileEnded(isLast: program.readsInput)
  }

  func end(_ end: UpstreamEnd) {
    switch end {
    case .failed(let reason), .disconnected(let reason):
      tell(.programEnded(reason: reason, isHopeless: !body.hasPackets))
    default: tell(end)
    }
  }
}
